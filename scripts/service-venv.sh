#!/usr/bin/env bash
# Puts a validator of OpenAPI descriptions where a test finds it, .build/service-venv. Without a network
# that test is skipped, and says so.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=.build/service-venv
"$venv/bin/python" -c 'import openapi_spec_validator' 2>/dev/null && exit 0
python3 -m venv "$venv" && "$venv/bin/pip" install --quiet --disable-pip-version-check \
  'openapi-spec-validator==0.9.0' && exit 0
echo "service-venv: no validator from PyPI; the test of the service's description is skipped" >&2
rm -rf "$venv"
