#!/usr/bin/env bash
# Makes a container image without a container engine: .build/image/frostglass.tar, which docker load,
# podman load and skopeo (docker-archive:) read. In it are a minimal Debian and the package of make package;
# a user without rights runs the command. A picture is blurred in it before it is done.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/deps.sh image
[ "$(id -u)" -eq 0 ] || { echo "image: root is needed to make another system's files" >&2; exit 1; }
scripts/package.sh
package=$(ls .build/package/frostglass_*.deb)
version=$(dpkg-deb -f "$package" Version)
work=.build/image
rm -rf "$work"
mkdir -p "$work"

# Mesa is left out: a GPU's driver comes with the container engine, and without one the CPU does it all.
mmdebstrap --quiet --mode=root --variant=essential --include=apt,fonts-inter,ca-certificates \
  --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
  --dpkgopt='path-include=/usr/share/doc/*/copyright' --dpkgopt='path-exclude=/usr/share/locale/*' \
  --customize-hook="copy-in $package /tmp" \
  --customize-hook='chroot "$1" apt-get -qq install --yes --no-install-recommends /tmp/'"${package##*/}"' libegl1 libgles2' \
  --customize-hook='rm "$1"/tmp/*.deb' \
  --customize-hook='chroot "$1" useradd --uid 10001 --create-home --shell /usr/sbin/nologin frostglass' \
  --customize-hook='mkdir "$1/pictures"' \
  bookworm "$work/layer.tar"

# It works, seen from inside.
root=$(mktemp -d)
trap 'umount "$root/proc" 2>/dev/null; rm -rf --one-file-system "$root"' EXIT
tar -xf "$work/layer.tar" -C "$root"
mount -t proc proc "$root/proc"
install -m 644 Tests/Photographs/rocket.jpg "$root/pictures/in.jpg"
chmod 777 "$root/pictures"
chroot --userspec=10001:10001 "$root" /bin/sh -c \
  'cd /pictures && HOME=/home/frostglass frostglass blur in.jpg out.png --sigma 20 && test -s out.png'

python3 scripts/image.py "$work" "frostglass:$version"
rm "$work/layer.tar"
ls -l "$work/frostglass.tar"
