#!/usr/bin/env bash
# Makes the Python wheel, dist/frostglass-…-py3-none-manylinux_2_34_x86_64.whl, and tests it where nothing
# else of this project is: in a virtual environment of its own.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/deps.sh service
scripts/python-venv.sh
scripts/c-library.sh
python=.build/python-venv/bin/python
work=.build/python-wheel
rm -rf "$work"
mkdir -p "$work" dist
cp -r Python "$work/source"
cp LICENSE "$work/source"
cp .build/c/lib/libfrostglass.so.1 "$work/source/frostglass/libfrostglass.so"
"$python" -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation \
  --wheel-dir "$work" "$work/source"
rm -f dist/frostglass-*.whl
PATH=$PWD/.build/python-venv/bin:$PATH "$python" -m auditwheel repair \
  --plat "manylinux_2_34_$(uname -m)" --only-plat --wheel-dir dist "$work"/frostglass-*.whl \
  >"$work/auditwheel.log" 2>&1 || { cat "$work/auditwheel.log" >&2; exit 1; }
wheel=$(echo dist/frostglass-*.whl)
bytes=$(stat -c %s "$wheel")
[ "$bytes" -lt 5000000 ] || { echo "python-wheel: $wheel has $bytes bytes, 5 MB at most" >&2; exit 1; }

# With what it is tested against, and what runs the notebook, and without the sources in sight.
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check \
  $(grep -oE "(numpy|pillow|pytest)==[0-9.]+" scripts/python-venv.sh) nbclient==0.11.0 ipykernel==7.4.0 \
  "$wheel"
cp -r Python/tests "$work/tests"
FROSTGLASS_SOURCES=$PWD/Python "$work/venv/bin/python" -m pytest -q -p no:cacheprovider "$work/tests"
echo "$wheel: $bytes bytes"
