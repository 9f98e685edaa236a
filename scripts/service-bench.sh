#!/usr/bin/env bash
# Measures the service beside the command and beside thumbor: scripts/service-bench.sh [OPTION…]
# Installs and builds what is missing first; thumbor and pyvips go to Benchmarks/.venv-service. Without a network
# they are left out. Options are those of Benchmarks/service/service.py. Then Benchmarks/service/sources.py has
# images fetched, and at the end Benchmarks/service/siege.py besieges the service and says what another client notices.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/deps.sh build run mesa service-bench
swift build -c release --product frostglass
swift build -c release --product frostglass-fetch

venv=${FROSTGLASS_THUMBOR:-Benchmarks/.venv-service}
if ! "$venv/bin/python" -c 'import pyvips, thumbor' 2>/dev/null; then
  python3 -m venv --clear "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check 'thumbor==7.8.0' 'pyvips==3.2.0' ||
    echo "service-bench: no thumbor and pyvips from PyPI; they are left out" >&2
fi
thumbor=()
[ ! -x "$venv/bin/thumbor" ] || thumbor=(--thumbor "$venv/bin/thumbor")
export PYTHONDONTWRITEBYTECODE=1
python3 Benchmarks/service/service.py "${thumbor[@]}" --page Benchmarks/results/service.md "$@"
python3 Benchmarks/service/sources.py --venv "$venv" --page Benchmarks/results/service-sources.md
python3 Benchmarks/service/siege.py
