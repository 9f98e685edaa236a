#!/usr/bin/env bash
# Measures this machine's GPU: scripts/gpu-bench.sh [--size WxH] [--sigma A,B,…] [--rounds N]
# Builds frostglass-gpu-bench, which runs alone on other machines too: it needs libEGL, libGLESv2 and
# a driver. Prints Markdown; peers that are not installed are left out.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/deps.sh build run mesa
swift build -c release --product frostglass-gpu-bench --static-swift-stdlib \
  --scratch-path .build/static >&2
program=.build/static/release/frostglass-gpu-bench

venv=Benchmarks/.venv-gpu
if [ ! -e $venv/installed ]; then
  # Sees what is installed for the machine: torchvision and CuPy are large, and the GPU's owner's.
  /usr/bin/python3 -m venv --clear --system-site-packages $venv
  $venv/bin/pip install --quiet --disable-pip-version-check --no-cache-dir \
    -r Benchmarks/gpu/requirements.txt
  touch $venv/installed
fi
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=Benchmarks/common
$program "$@"
echo
echo "## Beside others"
echo
$venv/bin/python Benchmarks/gpu/gpu.py --command $program "$@"
