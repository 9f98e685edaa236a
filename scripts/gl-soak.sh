#!/usr/bin/env bash
# Runs many mixed jobs on the GL backend and writes down the memory they leave taken:
#   scripts/gl-soak.sh [JOBS] [NAME]
# 10000 jobs unless told otherwise; the table goes to Benchmarks/results/NAME-soak.csv, NAME being
# the GL device's unless told otherwise. Fails where memory grows.
set -euo pipefail
cd "$(dirname "$0")/.."

jobs=${1:-10000}
swift build -c release --product frostglass
frostglass=.build/release/frostglass

renderer=$($frostglass doctor | sed -n 's/^  gl  *\([^(]*\).*/\1/p' | head -n 1)
name=${2:-$(echo "$renderer" | tr 'A-Z' 'a-z' | tr -cs 'a-z0-9' '-' | sed 's/^-//; s/-*$//')}
trace=Benchmarks/results/$name-soak.csv
mkdir -p Benchmarks/results
$frostglass bench --soak "$jobs" --backend gl --gpu-memory 64M >"$trace.part"
mv "$trace.part" "$trace"

# The mean of what the process holds, in the third quarter and in the last: until then programs
# are still compiled and kept.
awk -F, -v jobs="$jobs" '
  NR == 1 { next }
  $1 > jobs / 2 && $1 <= jobs * 3 / 4 { early += $3; e++ }
  $1 > jobs * 3 / 4 { late += $3; l++ }
  $5 > 67108864 { print "job " $1 ": " $5 " bytes on the GPU exceed 64 MiB"; failed = 1 }
  END {
    if (!e || !l) { print "too few jobs to compare"; exit 1 }
    printf "%.1f MiB in the third quarter, %.1f MiB in the last, at most %.1f MiB on the GPU\n",
      early / e / 1048576, late / l / 1048576, $5 / 1048576
    if (late / l > early / e * 1.05 + 16777216) { print "memory grows"; failed = 1 }
    exit failed
  }' "$trace"
