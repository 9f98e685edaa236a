#!/usr/bin/env bash
# Compares Frostglass with other decoders on the image files of other projects' test suites, and writes
# Benchmarks/results/conformance.md.
#
#   scripts/conformance.sh [OPTION of Benchmarks/conformance/conformance.py…]     for example --only 'giflib/*' --show
#
# The files are in Debian's source packages, which apt fetches into .build/conformance, 360 MB, and of which
# nothing is committed. No root is needed and /etc stays as it is: apt gets a configuration of its own, with this
# machine's package sources as sources of source packages. Ten minutes at most, on two cores.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/deps.sh conformance
[ -x .build/release/frostglass ] || swift build -c release --product frostglass
packages=(pillow vips libpng1.6 gdk-pixbuf tiff exiv2 libwebp giflib libheif jpeg-xl)
work=$PWD/.build/conformance
mkdir -p "$work"/{lists,cache/archives,sources}

venv=$work/venv
"$venv/bin/python" -c 'import pillow_heif, pillow_jxl, numpy' 2>/dev/null || {
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r Benchmarks/conformance/requirements.txt
}

# Security updates are left out, as not every mirror has their sources; releases take them in.
apt-get indextargets 'Created-By: Packages' 'Origin: Debian' \
  --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' | grep -v -- '-security ' | sort -u >"$work/sources.list"
[ -s "$work/sources.list" ] || {
  echo "conformance: apt knows no sources of Debian here; run apt-get update, or use Debian" >&2
  exit 1
}
apt=(apt-get -qq -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=/dev/null
  -o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=root)
fetched=
for package in "${packages[@]}"; do
  # A folder has the version in its name.
  compgen -G "$work/sources/$package-[0-9]*/" >/dev/null && continue
  [ -n "$fetched" ] || "${apt[@]}" update
  fetched=yes
  (cd "$work/sources" && "${apt[@]}" source "$package" >/dev/null 2>"$work/apt.log") ||
    { cat "$work/apt.log" >&2; exit 1; }
done
"$venv/bin/python" Benchmarks/conformance/conformance.py "$work/sources" "$@"
