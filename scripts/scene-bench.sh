#!/usr/bin/env bash
# Renders the example scenes at 60 frames per second without writing them, three times each, and
# prints a table for each BACKEND (fast): frames per second, beside a copy of a frame, and the share
# of pixels computed: scripts/scene-bench.sh fast gl
set -euo pipefail
cd "$(dirname "$0")/.."
frostglass=.build/release/frostglass
[ -x $frostglass ] || swift build -c release --product frostglass

cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)
echo "# Scenes at 60 frames per second"
for backend in "${@:-fast}"; do
  echo
  echo "$(date -u +%F), $cpu, $(nproc) threads, backend $backend; without encoding, the median of three runs."
  echo
  echo "| scene | frames | frames per second | times a copy of a frame | pixels computed |"
  echo "|---|---|---:|---:|---:|"
  for scene in Examples/scenes/*.json; do
    for run in 1 2 3; do
      "$frostglass" scene "$scene" --fps 60 --measure --backend "$backend"
    done | sort -t: -k2 -g | sed -n 2p | sed -E \
      "s!^([0-9]+ frames of [^ ]+) in .*: ([0-9.]+) frames per second on $backend, ([0-9.]+) times.*; ([0-9.]+ %).*!| $(basename "$scene" .json) | \\1 | \\2 | \\3 | \\4 |!"
  done
done
