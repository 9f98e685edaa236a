#!/usr/bin/env bash
# Builds the real Dockerfile without a container engine, and tries its image: it blurs a photograph, redacts a
# video, and serves behind the image's own health check. Then makes what else only an administrator, a network or
# patience can: make image, make install with every command line of the documentation, make try-service, make
# python. Ends with what was skipped, and why.
#
#   scripts/integration.sh [--keep]      --keep leaves the built image in .build/integration
#
# buildah builds with plain chroots, as root. Nothing comes from a registry: debian:12-slim is a minimal
# bookworm that mmdebstrap makes with this machine's package sources, and swift:6.3-bookworm the same with
# Swift's libraries, on which this machine's toolchain is mounted. MESA=mesa as for `make docker`.
set -euo pipefail
cd "$(dirname "$0")/.."
[ "$(id -u)" -eq 0 ] || { echo "integration: run as root; images consist of other users' files" >&2; exit 1; }
scripts/deps.sh integration films
keep=
[ "${1-}" != --keep ] || keep=yes
limit=420 # MB beyond the base
work=$PWD/.build/integration
# buildah OPTION… with storage of its own.
buildah() { command buildah --storage-driver vfs --root "$work/storage" --runroot "$work/run" "$@"; }
say() { echo "integration: $*"; }
fail() { echo "integration: $*" >&2; exit 1; }

service=
clean() {
  [ -z "$service" ] || kill "$service" 2>/dev/null || true
  buildah umount --all >/dev/null 2>&1 || true
  if [ -z "$keep" ]; then
    buildah rm --all >/dev/null 2>&1 || true
    buildah rmi --all --force >/dev/null 2>&1 || true
    rm -rf --one-file-system "$work"
  fi
}
trap clean EXIT
rm -rf --one-file-system "$work"
mkdir -p "$work/files"

# This machine's sources of bookworm, and how they are reached; without any, mmdebstrap's own.
mapfile -t sources < <(apt-get indextargets 'Created-By: Packages' 'Origin: Debian' \
  --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' | grep -E ' bookworm(-[a-z]+)? ' | sort -u)
[ ${#sources[@]} -gt 0 ] || say "this machine's package sources are not Debian 12's; taking those of mmdebstrap"
apt-config dump | grep -E '^Acquire::(http|https|Check|Retries)' >"$work/apt.conf" || true

# base NAME PACKAGE…: a minimal bookworm, imported as NAME.
base() {
  local name=$1 options=(--quiet --mode=root --variant=minbase)
  shift
  [ $# -eq 0 ] || options+=(--include="$(printf '%s\n' "$@" | paste -sd,)")
  mmdebstrap "${options[@]}" --aptopt="$work/apt.conf" bookworm "$work/base.tar" \
    ${sources[@]+"${sources[@]}"} || fail "mmdebstrap could not make $name"
  buildah from --quiet --name base scratch >/dev/null
  buildah add --quiet base "$work/base.tar" / >/dev/null
  buildah config --env "PATH=$toolchain/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" base
  buildah commit --quiet --rm base "$name" >/dev/null
  rm "$work/base.tar"
  say "made $name"
}
# The folder above bin, in which Swift finds its own libraries.
toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")
mapfile -t swift < <(scripts/deps.sh --list swift)
base docker.io/library/swift:6.3-bookworm "${swift[@]}"
base docker.io/library/debian:12-slim

version=$(sed -n 's/.*current = "\(.*\)"/\1/p' Sources/FrostglassCore/Version.swift)
image=frostglass:$version
say "building the Dockerfile"
buildah build --quiet --isolation chroot --pull=never --format docker --build-arg "MESA=${MESA:-}" \
  --volume "$toolchain:$toolchain:ro" --tag "$image" . >"$work/build.log" 2>&1 ||
  { tail -40 "$work/build.log" >&2; fail "the Dockerfile does not build"; }

# How large it is beside its base, and what should not be in it.
buildah from --quiet --pull=never --name image "$image" >/dev/null
buildah from --quiet --pull=never --name base docker.io/library/debian:12-slim >/dev/null
root=$(buildah mount image)
below=$(buildah mount base)
megabytes() { du -s --block-size=1000000 --one-file-system "$1" | cut -f1; }
size=$(($(megabytes "$root") - $(megabytes "$below")))
say "$image is $size MB larger than its base"
[ -n "${MESA:-}" ] || [ "$size" -le "$limit" ] || fail "$size MB are more than $limit"
[ -n "${MESA:-}" ] || [ -z "$(find "$root/usr/lib" -name 'libLLVM*')" ] || fail "LLVM is in the image"
surplus=$(diff <(cd "$below" && find usr/share/{doc,man,info,locale} var/cache var/lib/apt/lists -type f | sort) \
  <(cd "$root" && find usr/share/{doc,man,info,locale} var/cache var/lib/apt/lists -type f 2>/dev/null | sort) |
  sed -n 's/^> //p' | grep -v '/copyright$' || true)
[ -z "$surplus" ] || fail "documentation, locales or caches are in the image:
$surplus"
buildah rm base >/dev/null

# configuration NAME: what the image says of itself, a line for each word.
configuration() {
  buildah inspect --type image "$image" | python3 -c 'import json, sys
value = json.load(sys.stdin)["Docker"]["config"]
for name in sys.argv[1].split("."):
    value = value[name]
print(*([value] if isinstance(value, str) else value), sep="\n")' "$1"
}
mapfile -t entry < <(configuration Entrypoint)
mapfile -t check < <(configuration Healthcheck.Test)
[ "${entry[*]}" = frostglass ] && [ "${check[0]}" = CMD ] || fail "entry '${entry[*]}', check '${check[*]}'"

# in_image ARGUMENT…: what `docker run IMAGE ARGUMENT…` runs, in a folder of the caller's.
in_image() {
  buildah run --isolation chroot --volume "$work/files:/pictures" image -- "${entry[@]}" "$@"
}
cp Tests/Fixtures/Photographs/rocket.jpg "$work/files/in.jpg"
ffmpeg -loglevel error -f lavfi -i testsrc=size=160x120:rate=10:duration=1 -c:v mpeg4 "$work/files/in.mp4"
chmod -R a+rwX "$work/files"
[ "$(in_image --version)" = "frostglass $version" ] || fail "the image's command is not frostglass $version"
in_image blur in.jpg out.webp --sigma 20 --quiet
in_image redact in.mp4 out.mp4 --region 40,30,60,40 --fill solid --quiet
# brightest FILE WIDTH:HEIGHT:X:Y: the largest sample in a part of all frames.
brightest() {
  ffmpeg -loglevel error -i "$1" -vf "format=rgb24,crop=$2" -f rawvideo - | od -An -v -w1 -tu1 | sort -n | tail -1
}
[ "$(brightest "$work/files/out.mp4" 52:32:44:34)" -lt 32 ] || fail "the region of the video is not black"
[ "$(brightest "$work/files/in.mp4" 52:32:44:34)" -gt 192 ] || fail "the region was black before"
say "blurred a photograph and redacted a video as user $(configuration User)"

# The service as deploy/compose.yaml runs it: process 1, files read-only but /tmp, no capabilities. The network
# is a loopback of its own, so that port 8080 is free, and what listens for everybody is heard by nobody else.
# start PROGRAM ARGUMENT…: sets service, and inside to the process that the others see as 1.
start() {
  unshare --mount --pid --net --ipc --fork --kill-child -- bash -c '
    set -e; root=$1; shift
    ip link set lo up
    mount --bind "$root" "$root"
    mount --rbind /dev "$root/dev"
    mount -t tmpfs tmpfs "$root/tmp"
    mount -t proc proc "$root/proc"
    mount -o remount,bind,ro "$root"
    cd "$root"
    exec chroot . setpriv --reuid 10001 --regid 10001 --clear-groups --no-new-privs --inh-caps=-all \
      --bounding-set=-all "$@"' start "$root" "$@" 2>"$work/service.log" &
  service=$!
  inside=
  for _ in $(seq 100); do
    inside=$(cat "/proc/$service/task/$service/children" 2>/dev/null || true)
    inside=${inside%% *}
    # Before it is the program it is this script's shell.
    [ -n "$inside" ] && [ "$(tr '\0' ' ' <"/proc/$inside/cmdline")" = "$* " ] && return
    sleep 0.1
  done
  fail "the container does not start: $(cat "$work/service.log")"
}
stop() {
  kill -TERM "$inside"
  wait "$service" || true
  service=
}
healthy() {
  nsenter --target "$inside" --mount --pid --net --root --wd -- \
    setpriv --reuid 10001 --regid 10001 --clear-groups "${check[@]:1}" >/dev/null 2>&1
}
export FROSTGLASS_SIGNING_KEYS=k1:0123456789abcdef0123
mapfile -t serve < <(python3 -c 'import yaml
print(*yaml.safe_load(open("deploy/compose.yaml"))["services"]["frostglass"]["command"], sep="\n")')
start "${entry[@]}" "${serve[@]}"
for _ in $(seq 100); do
  ! healthy || break
  sleep 0.2
done
healthy || fail "the health check says no to a service that runs: $(cat "$work/service.log")"
echo "$FROSTGLASS_SIGNING_KEYS" >"$work/files/keys"
address=$(in_image sign --keys keys "/v1/blur?sigma=8&format=png")
answer=$(nsenter --target "$inside" --net -- curl --silent --max-time 60 --output "$work/answer.png" \
  --write-out '%{http_code} %{content_type}' --data-binary @"$work/files/in.jpg" "http://127.0.0.1:8080$address")
[ "$answer" = "200 image/png" ] || fail "the service answers $answer: $(cat "$work/service.log")"
[ -n "$(brightest "$work/answer.png" 8:8:8:8)" ] || fail "the service's answer is no image"
stop
# It can say no: something that calls itself serve, and does not listen.
start sh -c 'sleep 60; :' serve
! healthy || fail "the health check says yes where nothing listens"
stop
start sh -c 'sleep 60; :' blur
healthy || fail "the health check says no to a container that is no service"
stop
unset FROSTGLASS_SIGNING_KEYS # What follows starts services that take unsigned requests.
say "served a signed request with $(printf '%s ' "${serve[@]}"); the health check tells a service from none"

make build install DESTDIR="$work/installed" PREFIX=/usr/local >"$work/install.log" 2>&1 ||
  { tail -20 "$work/install.log" >&2; fail "make build install does not end well"; }
scripts/documented_commands.py "$work/installed/usr/local/bin"
for target in image try-service python; do
  make "$target" >"$work/$target.log" 2>&1 || { tail -20 "$work/$target.log" >&2; fail "make $target fails"; }
  say "make $target is done"
done
scripts/ptx --check
say "skipped: GPUs (--device, --gpus), which need a container engine that passes them on"
say "skipped: deploy/kubernetes*.yaml on a cluster; make test validates them and runs their commands"
