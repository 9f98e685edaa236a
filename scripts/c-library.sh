#!/usr/bin/env bash
# Makes the library for C, .build/c: include/frostglass.h, lib/libfrostglass.so with Swift's libraries in it,
# lib/pkgconfig/frostglass.pc; or the larger one with files and GPUs, which has another header beside it.
#
#   scripts/c-library.sh [--files] [--built]     --built: of what a release build has left, without building
#
# SwiftPM could link it, but would have every package that depends on this one allow unsafe flags: what the
# library shows of itself is named in packaging/frostglass.map.
set -euo pipefail
cd "$(dirname "$0")/.."
name=frostglass product=FrostglassC headers=(frostglass.h) others=() built=
for option; do
  case $option in
    --built) built=1 ;;
    --files)
      name=frostglass-files product=FrostglassCFiles headers+=(frostglass_files.h)
      # Several words on purpose.
      others=($(pkg-config --libs vips fontconfig) -lgmodule-2.0) ;;
    *) sed -n '5s/^# *//p' "$0" >&2; exit 64 ;;
  esac
done
archive=.build/release/lib$product.a
if [ -z "$built" ]; then
  # SwiftPM adds to an archive that is there, and leaves the objects of removed files in it.
  rm -f "$archive"
  swift build -c release --product "$product"
fi
target=.build/c
library=$target/lib/lib$name.so.1

mkdir -p "$target/include" "$target/lib/pkgconfig"
# Tests ask for it side by side.
exec 9>"$target/lock"
flock 9
# Nothing has changed since the last time.
isNew=
for source in "$archive" packaging/$name.map packaging/$name.pc scripts/c-library.sh \
  "${headers[@]/#/Sources/CFrostglass/}"; do
  [ "$library" -nt "$source" ] || isNew=1
done
[ -n "$isNew" ] || exit 0
made=$(mktemp -d "$target/link.XXXXXX")
trap 'rm -rf "$made"' EXIT
# As one object: what comes from archives is not shown, whatever the map says.
ld -r -o "$made/frostglass.o" --whole-archive "$archive"
# Swift's own module for the C library names `hypotf`, which nothing here calls, and of which glibc 2.35
# has a new version: with one of its own the library runs with glibc 2.34.
echo 'float hypotf(float x, float y) { return __builtin_sqrt((double)x * x + (double)y * y); }' |
  clang -O2 -fPIC -c -x c -o "$made/hypotf.o" -
swiftc -emit-library -static-stdlib -use-ld=lld -o "$made/lib$name.so" \
  "$made/frostglass.o" "$made/hypotf.o" \
  -Xlinker --gc-sections -Xlinker --version-script=packaging/$name.map \
  -Xlinker -soname=lib$name.so.1 -Xlinker -z -Xlinker defs -lswiftSynchronization \
  ${others[@]+"${others[@]}"}
strip --strip-unneeded --remove-section=.comment "$made/lib$name.so"
version=$(sed -n 's/.*current = "\(.*\)"/\1/p' Sources/FrostglassCore/Version.swift)
sed "s|@VERSION@|$version|" packaging/$name.pc >"$target/lib/pkgconfig/$name.pc"
cp "${headers[@]/#/Sources/CFrostglass/}" "$target/include"
ln -sf lib$name.so.1 "$target/lib/lib$name.so"
mv "$made/lib$name.so" "$library"
