#!/usr/bin/env bash
# Measures batches of JPEG files of a megapixel: files per second beside pools of pyvips and OpenCV, mogrify, and
# libvips as sharp uses it.
#
#   scripts/batch-bench.sh [--count N] [--sigma N] [--rounds N]
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/deps.sh bench
venv=Benchmarks/.venv-python
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check -r Benchmarks/python/requirements.txt
swift build -c release --product frostglass >&2
"$venv/bin/python" Benchmarks/python/batch_files.py .build/release/frostglass "$@"
