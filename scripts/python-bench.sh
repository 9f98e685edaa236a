#!/usr/bin/env bash
# Measures a blur from Python beside the library's own time, OpenCV, Pillow, SciPy, scikit-image,
# albumentations and torchvision; or a random blur of small pictures, as a DataLoader has it, beside what else
# augments them.
#
#   scripts/python-bench.sh [--sigma N] [--rounds N]
#   scripts/python-bench.sh --loader [--side N] [--batch N] [--rounds N]
set -euo pipefail
cd "$(dirname "$0")/.."
venv=Benchmarks/.venv-python
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
pip=("$venv/bin/pip" install --quiet --disable-pip-version-check)
"${pip[@]}" -r Benchmarks/python/requirements.txt
torch=(torch==2.13.0+cpu torchvision==0.28.0)
"${pip[@]}" "${torch[@]}" 2>/dev/null ||
  "${pip[@]}" --extra-index-url https://download.pytorch.org/whl/cpu "${torch[@]}"
# After torch, as it would bring the one with CUDA.
"${pip[@]}" kornia==0.9.0
scripts/c-library.sh >&2
program=python_blur
[ "${1:-}" = --loader ] && { program=loader_blur; shift; }
FROSTGLASS_LIBRARY=$PWD/.build/c/lib/libfrostglass.so PYTHONPATH=$PWD/Python \
  "$venv/bin/python" Benchmarks/python/$program.py "$@"
