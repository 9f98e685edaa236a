#!/usr/bin/env bash
# Builds and runs the tests, says which suites passed, and what failed once more at the end.
#
#   scripts/test.sh [OPTION OF swift test…]     for example --filter PlanTests
#
# In release: pixel loops are many times slower in debug. The two --disable options are what Swift 6.3
# needs to test a package with isolated deinits in release. All tests at once take 10 GB, six at a time
# 3 GB and no longer; 2 GB where the allocator keeps two heaps and not one for every few threads.
# Everything that was said is in .build/tests.log.
set -uo pipefail
cd "$(dirname "$0")/.."
mkdir -p .build
log=.build/tests.log
export MALLOC_ARENA_MAX=2
swift test -c release --disable-xctest --disable-testable-imports \
  --experimental-maximum-parallelization-width 6 "$@" 2>&1 |
  tee "$log" | grep --line-buffered -v -e '^◇' -e '^✔ Test [^ ]*(.*) ' -e '^✔ Test `' -e '^✔ Test case '
status=${PIPESTATUS[0]}
[ "$status" -eq 0 ] && exit
# What a failure says goes on until the next test is spoken of. The summary is the last of these.
printf '\nFailed (all of it is in %s):\n' "$log"
awk '/^✘/ { failed = 1 } /^[◇✔]/ { failed = 0 } failed' "$log" | cut -c1-2000
exit "$status"
