#!/usr/bin/env bash
# Puts validators of OpenAPI descriptions and of Kubernetes' manifests, a generator of clients, and
# an S3-compatible store, where tests find them,
# .build/service-venv. Without a network those tests are skipped, and say so.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=.build/service-venv
"$venv/bin/python" -c 'import openapi_spec_validator, kubernetes_validate, openapi_python_client, moto.server' 2>/dev/null && exit 0
python3 -m venv "$venv" && "$venv/bin/pip" install --quiet --disable-pip-version-check \
  'openapi-spec-validator==0.9.0' 'kubernetes-validate==1.37.0' \
  'openapi-python-client==0.29.1' 'moto[s3,server]==5.2.5' && exit 0
echo "service-venv: no validators from PyPI; tests of the service's description, of deploy/ and of S3 are skipped" >&2
rm -rf "$venv"
