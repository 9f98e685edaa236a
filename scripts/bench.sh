#!/usr/bin/env bash
# Measures Frostglass beside its peers: scripts/bench.sh [--quick] [--full] [--filters]
# Installs and builds what is missing first; the peers go to Benchmarks/.venv.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/deps.sh build run mesa bench
swift build -c release --product frostglass

venv=Benchmarks/.venv
wanted=$(sha256sum Benchmarks/blurs/requirements.txt)
if [ "$(cat $venv/installed 2>/dev/null)" != "$wanted" ]; then
  /usr/bin/python3 -m venv --clear $venv
  # pyvips binds itself to the system's libvips where pkg-config (or a wheel made earlier) shows it
  # one; the peer is the newer libvips of pyvips-binary.
  PKG_CONFIG_LIBDIR=/nowhere $venv/bin/pip install --quiet --disable-pip-version-check \
    --no-cache-dir -r Benchmarks/blurs/requirements.txt
  echo "$wanted" >$venv/installed
fi
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=Benchmarks/common
$venv/bin/python Benchmarks/blurs/run.py "$@"
