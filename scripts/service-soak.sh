#!/usr/bin/env bash
# Asks the service for a long time, checks every answer, and looks at its memory in the end:
#   scripts/service-soak.sh [MINUTES]
# Writes Benchmarks/results/service-soak.csv, and fails where anything is wrong.
set -euo pipefail
cd "$(dirname "$0")/.."

swift build -c release --product frostglass
swift build -c release --product frostglass-fetch
export PYTHONDONTWRITEBYTECODE=1
python3 Benchmarks/service/soak.py --minutes "${1:-10}" --trace Benchmarks/results/service-soak.csv
