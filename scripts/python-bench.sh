#!/usr/bin/env bash
# Measures a blur from Python beside the library's own time, OpenCV, Pillow, SciPy, scikit-image,
# albumentations and torchvision.
#
#   scripts/python-bench.sh [--sigma N] [--rounds N]
set -euo pipefail
cd "$(dirname "$0")/.."
venv=Benchmarks/.venv-python
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
pip=("$venv/bin/pip" install --quiet --disable-pip-version-check)
"${pip[@]}" -r Benchmarks/python/requirements.txt
torch=(torch==2.13.0+cpu torchvision==0.28.0)
"${pip[@]}" "${torch[@]}" 2>/dev/null ||
  "${pip[@]}" --extra-index-url https://download.pytorch.org/whl/cpu "${torch[@]}"
scripts/c-library.sh >&2
FROSTGLASS_LIBRARY=$PWD/.build/c/lib/libfrostglass.so PYTHONPATH=$PWD/Python \
  "$venv/bin/python" Benchmarks/python/python_blur.py "$@"
