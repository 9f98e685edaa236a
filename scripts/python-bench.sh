#!/usr/bin/env bash
# Measures a blur from Python beside the library's own time, OpenCV, Pillow, SciPy and scikit-image.
#
#   scripts/python-bench.sh [--sigma N] [--rounds N]
set -euo pipefail
cd "$(dirname "$0")/.."
venv=Benchmarks/.venv-python
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check -r Benchmarks/requirements-python.txt
scripts/c-library.sh >&2
FROSTGLASS_LIBRARY=$PWD/.build/c/lib/libfrostglass.so PYTHONPATH=$PWD/Python \
  "$venv/bin/python" Benchmarks/python_blur.py "$@"
