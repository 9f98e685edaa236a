#!/usr/bin/env bash
# Makes Debian packages: .build/package/frostglass_VERSION_ARCH.deb with the command, its manual,
# completions, what fetches images, systemd units and nginx configuration, frostglass-video_VERSION_ARCH.deb with what reads
# and writes films, which takes 44 packages of codecs, frostglass-find_VERSION_ARCH.deb with what finds faces, and
# frostglass-models_VERSION_all.deb with its models. Swift's libraries are in each program. Debian's
# lintian then looks at them; an error or a warning of its is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/deps.sh build run package
work=.build/package
rm -rf "$work"
mkdir -p "$work/debian"

# link PRODUCT MODULE LIBRARY…: builds a program, and links it once more with Swift's libraries in it, and those
# that pkg-config knows, or that are named as -lNAME. SwiftPM does so by --static-swift-stdlib, with which it compiles everything anew; what
# Foundation's libraries need of each other is named here instead.
link() {
  local product=$1 module=$2 library named=() known=()
  shift 2
  for library in "$@"; do
    case $library in
      -l*) named+=("$library") ;;
      *) known+=("$library") ;;
    esac
  done
  swift build -c release --product "$product"
  # Several words on purpose.
  swiftc -static-stdlib -emit-executable -o "$work/$product" -Xlinker --gc-sections \
    -Xlinker --defsym -Xlinker "main=${module}_main" "@.build/release/$product.product/Objects.LinkFileList" \
    $(pkg-config --libs "${known[@]}") ${named[@]+"${named[@]}"} -lswiftSynchronization -l_FoundationCollections -l_FoundationCShims
}
image_libraries=(vips fontconfig libmicrohttpd libseccomp)
link frostglass FrostglassCommand "${image_libraries[@]}"
link frostglass-fetch FrostglassFetch libcurl libseccomp
link frostglass-find FrostglassFindCommand libseccomp -lopencv_dnn -lopencv_core -lstdc++
link frostglass-video FrostglassVideoCommand "${image_libraries[@]}" libavformat libavcodec libavutil
frostglass=$work/frostglass

version=$("$frostglass" --version | cut -d' ' -f2)
architecture=$(dpkg --print-architecture)
stage=$work/stage
mkdir -p "$stage/DEBIAN"

make --no-print-directory install DESTDIR="$stage" PREFIX=/usr FROSTGLASS="$frostglass" \
  FROSTGLASS_VIDEO=/nowhere FROSTGLASS_FETCH="$work/frostglass-fetch" FROSTGLASS_FIND=/nowhere \
  FROSTGLASS_MODELS=/nowhere >/dev/null
programs=(usr/bin/frostglass usr/libexec/frostglass/frostglass-fetch)
strip --remove-section=.comment --remove-section=.note "${programs[@]/#/$stage/}"
gzip -9n "$stage"/usr/share/man/man1/*.1
install -d "$stage/lib/systemd/system" "$stage/usr/share/doc/frostglass/examples"
for unit in deploy/frostglass.service deploy/frostglass.socket; do
  sed 's|/usr/local/bin/|/usr/bin/|' "$unit" >"$stage/lib/systemd/system/${unit##*/}"
done
chmod 644 "$stage"/lib/systemd/system/*
install -m 644 deploy/nginx.conf deploy/alerts.yaml deploy/grafana.json Examples/scenes/*.json "$stage/usr/share/doc/frostglass/examples"

films=$work/stage-video
install -D "$work/frostglass-video" "$films/usr/libexec/frostglass/frostglass-video"
strip --remove-section=.comment --remove-section=.note "$films/usr/libexec/frostglass/frostglass-video"

find=$work/stage-find
install -D "$work/frostglass-find" "$find/usr/libexec/frostglass/frostglass-find"
strip --remove-section=.comment --remove-section=.note "$find/usr/libexec/frostglass/frostglass-find"

scripts/deps.sh models
scripts/models.sh
models=$work/stage-models
install -D -m 644 -t "$models/usr/share/frostglass/models" .build/models/*.onnx

# Adds what every package has, and packs it.
#
#   pack NAME STAGE COPYRIGHT PROGRAM…
pack() {
  local name=$1 stage=$2 copyright=$3 doc=$2/usr/share/doc/$1
  shift 3
  install -d "$doc" "$stage/DEBIAN"
  install -m 644 "$copyright" "$doc/copyright"
  printf '%s (%s) unstable; urgency=medium\n\n  * See changelog.gz.\n\n -- %s  %s\n' \
    "$name" "$version" "$(sed -n 's/^Maintainer: //p' packaging/control)" \
    "$(date -R -d "@$(git log -1 --format=%ct 2>/dev/null || date +%s)")" |
    gzip -9n >"$doc/changelog.Debian.gz"
  gzip -9nc CHANGELOG.md >"$doc/changelog.gz"
  # What the programs are linked with; what they open by name stands in packaging.
  printf 'Source: frostglass\n\nPackage: %s\nArchitecture: any\n' "$name" >"$work/debian/control"
  local depends=
  [ $# -eq 0 ] || depends=$(cd "$work" && dpkg-shlibdeps -O --ignore-missing-info "${@/#/${stage#"$work/"}/}" 2>/dev/null |
    sed 's/^shlibs:Depends=//')
  sed -e "s|@VERSION@|$version|g" -e "s|@ARCHITECTURE@|$architecture|" -e "s|@DEPENDS@|$depends|" \
    -e "s|@SIZE@|$(du -sk --apparent-size "$stage" | cut -f1)|" \
    "packaging/control${name#frostglass}" >"$stage/DEBIAN/control"
  (cd "$stage" && find . -path ./DEBIAN -prune -o -type f -printf '%P\0' | sort -z | xargs -0 md5sum) \
    >"$stage/DEBIAN/md5sums"
  local package
  package=$work/${name}_${version}_$(sed -n 's/^Architecture: //p' "$stage/DEBIAN/control").deb
  dpkg-deb --root-owner-group --build "$stage" "$package" >/dev/null
  lintian --allow-root --fail-on error,warning --tag-display-limit 0 "$package"
  echo "$package"
}
pack frostglass-video "$films" packaging/copyright usr/libexec/frostglass/frostglass-video
pack frostglass-models "$models" .build/models/LICENSES.txt
pack frostglass-find "$find" packaging/copyright usr/libexec/frostglass/frostglass-find
pack frostglass "$stage" packaging/copyright "${programs[@]}"
