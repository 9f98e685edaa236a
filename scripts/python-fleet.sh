#!/usr/bin/env bash
# Tests the Python package with Arrow, Ray, Spark, torch, a server with the S3 protocol, and beside other tools'
# blurs, which are large: from PyPI into .build/python-fleet-venv. Spark is started where there is Java.
#
#   scripts/python-fleet.sh [PYTEST’S OPTIONS]
set -euo pipefail
cd "$(dirname "$0")/.."
venv=.build/python-fleet-venv
# For the CPU, which PyPI has not: from torch's own index, unless pip knows another place.
torch=(torch==2.13.0+cpu torchvision==0.28.0)
if ! cmp -s Python/fleet_tests/requirements.txt "$venv/wanted"; then
  python3 -m venv "$venv"
  pip=("$venv/bin/pip" install --quiet --disable-pip-version-check)
  # First, as others would bring the one with CUDA.
  "${pip[@]}" "${torch[@]}" 2>/dev/null ||
    "${pip[@]}" --extra-index-url https://download.pytorch.org/whl/cpu "${torch[@]}"
  "${pip[@]}" -r Python/fleet_tests/requirements.txt
  cp Python/fleet_tests/requirements.txt "$venv/wanted"
fi
scripts/c-library.sh >&2
scripts/c-library.sh --files >&2
# Ray and Spark leave things at home and in temporary folders, whose names have to be short for sockets.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/home" "$scratch/tmp"
HOME=$scratch/home TMPDIR=$scratch/tmp RAY_TMPDIR=$scratch/tmp PYTHONDONTWRITEBYTECODE=1 \
  FROSTGLASS_FILES_LIBRARY=$PWD/.build/c/lib/libfrostglass-files.so \
  FROSTGLASS_SOURCES=$PWD/Python FROSTGLASS_LIBRARY=$PWD/.build/c/lib/libfrostglass.so \
  PYTHONPATH=$PWD/Python:$PWD/Python/fleet_tests PATH=$PWD/$venv/bin:$PATH \
  "$venv/bin/python" -m pytest -q -p no:cacheprovider "$@" Python/fleet_tests
