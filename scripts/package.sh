#!/usr/bin/env bash
# Makes a Debian package of the command, its manual, completions, systemd units and nginx configuration:
# .build/package/frostglass_VERSION_ARCH.deb. Swift's libraries are in the command. Debian's lintian then
# looks at it; an error or a warning of its is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/deps.sh build run package
# With a folder of its own: other flags are another build of everything.
swift build -c release --product frostglass --static-swift-stdlib --scratch-path .build/static
frostglass=.build/static/release/frostglass

version=$("$frostglass" --version | cut -d' ' -f2)
architecture=$(dpkg --print-architecture)
work=.build/package
stage=$work/stage
rm -rf "$work"
mkdir -p "$stage/DEBIAN" "$work/debian"

make --no-print-directory install DESTDIR="$stage" PREFIX=/usr FROSTGLASS="$frostglass" >/dev/null
strip --remove-section=.comment --remove-section=.note "$stage/usr/bin/frostglass"
gzip -9n "$stage"/usr/share/man/man1/*.1
install -d "$stage/lib/systemd/system" "$stage/usr/share/doc/frostglass/examples"
for unit in deploy/frostglass.service deploy/frostglass.socket; do
  sed 's|/usr/local/bin/|/usr/bin/|' "$unit" >"$stage/lib/systemd/system/${unit##*/}"
done
chmod 644 "$stage"/lib/systemd/system/*
install -m 644 deploy/nginx.conf Examples/scenes/*.json "$stage/usr/share/doc/frostglass/examples"
install -m 644 packaging/copyright "$stage/usr/share/doc/frostglass/copyright"
printf 'frostglass (%s) unstable; urgency=medium\n\n  * See changelog.gz.\n\n -- %s  %s\n' \
  "$version" "$(sed -n 's/^Maintainer: //p' packaging/control)" \
  "$(date -R -d "@$(git log -1 --format=%ct 2>/dev/null || date +%s)")" |
  gzip -9n >"$stage/usr/share/doc/frostglass/changelog.Debian.gz"
gzip -9nc CHANGELOG.md >"$stage/usr/share/doc/frostglass/changelog.gz"

# What the command is linked with; what it opens by name stands in packaging/control.
printf 'Source: frostglass\n\nPackage: frostglass\nArchitecture: any\n' >"$work/debian/control"
depends=$(cd "$work" && dpkg-shlibdeps -O --ignore-missing-info stage/usr/bin/frostglass 2>/dev/null |
  sed 's/^shlibs:Depends=//')
sed -e "s|@VERSION@|$version|" -e "s|@ARCHITECTURE@|$architecture|" -e "s|@DEPENDS@|$depends|" \
  -e "s|@SIZE@|$(du -sk --apparent-size "$stage" | cut -f1)|" packaging/control >"$stage/DEBIAN/control"
(cd "$stage" && find usr lib -type f -print0 | sort -z | xargs -0 md5sum) >"$stage/DEBIAN/md5sums"

package=$work/frostglass_${version}_$architecture.deb
dpkg-deb --root-owner-group --build "$stage" "$package" >/dev/null
lintian --allow-root --fail-on error,warning --tag-display-limit 0 "$package"
echo "$package"
