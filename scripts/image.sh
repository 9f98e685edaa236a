#!/usr/bin/env bash
# Makes a container image without a container engine: .build/image/frostglass.tar, which docker load,
# podman load and skopeo (docker-archive:) read. It has what the Dockerfile's has: a minimal Debian, the
# packages of deps.sh's sets run, video and find, and all programs, here from make package. A user without rights
# runs the command. An image is blurred and a video redacted in it before it is done.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/deps.sh image films
[ "$(id -u)" -eq 0 ] || { echo "image: root is needed to make another system's files" >&2; exit 1; }
scripts/package.sh
packages=(.build/package/frostglass{,-video,-find,-models}_*.deb)
version=$(dpkg-deb -f "${packages[0]}" Version)
work=.build/image
rm -rf "$work"
mkdir -p "$work/tmp"
cp "${packages[@]}" "$work/tmp"

# Without Mesa, unless MESA=mesa: a GPU's driver comes with the container engine, and the CPU needs none.
without=(--dpkgopt=packaging/dpkg-no-mesa.cfg)
[ -z "${MESA:-}" ] || without=()
list=$(scripts/deps.sh --list run video find ${MESA:-} | paste -sd,)
mmdebstrap --quiet --mode=root --variant=essential --include="apt,$list" \
  --dpkgopt=packaging/dpkg-small.cfg ${without[@]+"${without[@]}"} \
  --customize-hook="copy-in $work/tmp /" \
  --customize-hook='chroot "$1" sh -c "apt-get -qq install --yes --no-install-recommends /tmp/*.deb && rm /tmp/*.deb"' \
  --customize-hook='rm -rf "$1"/var/cache/* "$1"/var/log/*' \
  --customize-hook='chroot "$1" useradd --uid 10001 --create-home --shell /usr/sbin/nologin frostglass' \
  --customize-hook='mkdir "$1/pictures"' \
  bookworm "$work/layer.tar"

# It works, seen from inside.
root=$(mktemp -d)
trap 'umount "$root/proc" 2>/dev/null; rm -rf --one-file-system "$root"' EXIT
tar -xf "$work/layer.tar" -C "$root"
mount -t proc proc "$root/proc"
install -m 644 Tests/Fixtures/Photographs/rocket.jpg "$root/pictures/in.jpg"
ffmpeg -loglevel error -f lavfi -i testsrc=size=64x48:rate=10:duration=1 "$root/pictures/in.mkv"
chmod 777 "$root/pictures"
chroot --userspec=10001:10001 "$root" /bin/sh -c \
  'cd /pictures && export HOME=/home/frostglass && frostglass blur in.jpg out.png --sigma 20 &&
  frostglass redact in.mkv out.mkv --region 8,8,16,16 && test -s out.png && test -s out.mkv'

python3 scripts/image.py "$work" "frostglass:$version"
rm "$work/layer.tar"
ls -l "$work/frostglass.tar"
