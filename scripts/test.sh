#!/usr/bin/env bash
# Builds and runs the tests, says which suites passed, and what failed once more at the end.
#
#   scripts/test.sh [OPTION OF swift test…]     for example --filter PlanTests
#
# In release: pixel loops are many times slower in debug. The two --disable options are what Swift 6.3
# needs to test a package with isolated deinits in release. All tests at once take 10 GB, six at a time
# 3 GB and no longer; 2 GB where the allocator keeps two heaps and not one for every few threads.
# Without options there are two processes side by side: contexts of a software renderer take turns within
# one, so those with a GPU, and what is held against the same references, have one for themselves. Each
# has a summary in the end. Everything that was said is in .build/tests.log and .build/tests-gpu.log.
set -uo pipefail
cd "$(dirname "$0")/.."
mkdir -p .build
export MALLOC_ARENA_MAX=2
quiet=(-e '^◇' -e '^✔ Test [^ ]*(.*) ' -e '^✔ Test `' -e '^✔ Test case ')

# run LOG WIDTH OPTION…
run() {
  local log=$1 width=$2
  shift 2
  swift test -c release --disable-xctest --disable-testable-imports \
    --experimental-maximum-parallelization-width "$width" "$@" 2>&1 |
    tee "$log" | grep --line-buffered -v "${quiet[@]}"
  return "${PIPESTATUS[0]}"
}

# What a failure says goes on until the next test is spoken of.
failures() {
  printf '\nFailed (all of it is in %s):\n' "$1"
  awk '/^✘/ { failed = 1 } /^[◇✔]/ { failed = 0 } failed' "$1" | cut -c1-2000
}

log=.build/tests.log gpu_log=.build/tests-gpu.log
if [ $# -gt 0 ]; then
  run "$log" 6 "$@"
  status=$?
  [ "$status" -eq 0 ] || failures "$log"
  exit "$status"
fi

on_gpu='^(FrostglassGLTests|ParityTests)\.'
quiet+=(-e '^. Test run with')
# No test has this name: all there is to do is to build.
run "$log" 1 --filter '^$' || exit
run "$gpu_log" 2 --skip-build --ignore-lock --filter "$on_gpu" &
gpu=$!
run "$log" 5 --skip-build --ignore-lock --skip "$on_gpu"
status=$?
wait "$gpu"
gpu_status=$?
[ "$gpu_status" -eq 0 ] || failures "$gpu_log"
[ "$status" -eq 0 ] || failures "$log"
# The summaries; that of a failure comes last.
[ "$gpu_status" -ne 0 ] && logs=("$log" "$gpu_log") || logs=("$gpu_log" "$log")
for each in "${logs[@]}"; do grep -E '^. Test run with' "$each" | tail -1; done
exit $((status != 0 ? status : gpu_status))
