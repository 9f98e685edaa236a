#!/usr/bin/env bash
# Makes the library for C, .build/c: include/frostglass.h, lib/libfrostglass.so with Swift's libraries in it,
# lib/pkgconfig/frostglass.pc.
#
#   scripts/c-library.sh [--built]     --built: of what a release build has left, without building
#
# SwiftPM could link it, but would have every package that depends on this one allow unsafe flags: what the
# library shows of itself is named in packaging/frostglass.map.
set -euo pipefail
cd "$(dirname "$0")/.."
[ "${1-}" = --built ] || swift build -c release --product FrostglassC
archive=.build/release/libFrostglassC.a
target=.build/c
library=$target/lib/libfrostglass.so.1

mkdir -p "$target/include" "$target/lib/pkgconfig"
# Tests ask for it side by side.
exec 9>"$target/lock"
flock 9
# Nothing has changed since the last time.
if [ "$library" -nt "$archive" ] && [ "$library" -nt packaging/frostglass.map ] &&
  [ "$library" -nt Sources/CFrostglass/frostglass.h ] && [ "$library" -nt scripts/c-library.sh ]; then
  exit 0
fi
made=$(mktemp -d "$target/link.XXXXXX")
trap 'rm -rf "$made"' EXIT
# As one object: what comes from archives is not shown, whatever the map says.
ld -r -o "$made/frostglass.o" --whole-archive "$archive"
# Swift's own module for the C library names `hypotf`, which nothing here calls, and of which glibc 2.35
# has a new version: with one of its own the library runs with glibc 2.34.
echo 'float hypotf(float x, float y) { return __builtin_sqrt((double)x * x + (double)y * y); }' |
  clang -O2 -fPIC -c -x c -o "$made/hypotf.o" -
swiftc -emit-library -static-stdlib -use-ld=lld -o "$made/libfrostglass.so" \
  "$made/frostglass.o" "$made/hypotf.o" \
  -Xlinker --gc-sections -Xlinker --version-script=packaging/frostglass.map \
  -Xlinker -soname=libfrostglass.so.1 -Xlinker -z -Xlinker defs -lswiftSynchronization
strip --strip-unneeded --remove-section=.comment "$made/libfrostglass.so"
version=$(sed -n 's/.*current = "\(.*\)"/\1/p' Sources/FrostglassCore/Version.swift)
sed "s|@VERSION@|$version|" packaging/frostglass.pc >"$target/lib/pkgconfig/frostglass.pc"
cp Sources/CFrostglass/frostglass.h "$target/include/frostglass.h"
ln -sf libfrostglass.so.1 "$target/lib/libfrostglass.so"
mv "$made/libfrostglass.so" "$library"
