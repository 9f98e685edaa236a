#!/usr/bin/env bash
# Holds Frostglass beside a browser and beside other tools' blurs: scripts/fidelity.sh [--fixtures]
# Writes Benchmarks/results/compat.md, css-chromium.md and css-chromium.png; with --fixtures also
# the pictures in Tests/Fixtures/Chromium. Installs and builds what is missing first.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/deps.sh build run mesa bench browser
swift build -c release --product frostglass

venv=Benchmarks/.venv-fidelity
wanted=$(cat Benchmarks/blurs/requirements.txt Benchmarks/fidelity/requirements.txt | sha256sum)
if [ "$(cat $venv/installed 2>/dev/null)" != "$wanted" ]; then
  /usr/bin/python3 -m venv --clear $venv
  # As in bench.sh: the libvips measured is that of pyvips-binary.
  PKG_CONFIG_LIBDIR=/nowhere $venv/bin/pip install --quiet --disable-pip-version-check \
    --no-cache-dir -r Benchmarks/blurs/requirements.txt
  # thumbor's own wishes would replace Pillow; its blur needs none of them.
  $venv/bin/pip install --quiet --disable-pip-version-check --no-deps \
    -r Benchmarks/fidelity/requirements.txt
  echo "$wanted" >$venv/installed
fi
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=Benchmarks/common
$venv/bin/python Benchmarks/fidelity/compat.py
$venv/bin/python Benchmarks/fidelity/css_fidelity.py "$@"
