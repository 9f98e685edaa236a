#!/usr/bin/env bash
# Builds and runs the tests, says which suites passed, and what failed once more at the end.
#
#   scripts/test.sh [OPTION OF swift test…]     for example --filter PlanTests
#   scripts/test.sh --integration               what needs nginx, a browser, systemd or PyPI; and what was skipped
#
# In release: pixel loops are many times slower in debug. The two --disable options are what Swift 6.3
# needs to test a package with isolated deinits in release. All tests at once take 10 GB, six at a time
# 3 GB and no longer; 2 GB where the allocator keeps two heaps and not one for every few threads; large
# blocks are by themselves, so that they go back to the system when they are freed.
# Without options there are four processes side by side, each with a summary in the end: contexts of a
# software renderer take turns within one, so tests of GL, and those of every filter on all backends, have
# one each; so have those of the command and the service, which mostly wait for other programs. Everything
# that was said is in .build/tests.log, and in tests-gl.log, tests-parity.log and tests-command.log beside it.
set -uo pipefail
cd "$(dirname "$0")/.."
mkdir -p .build
export MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=1048576
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

# What a failure says goes on until the next test is spoken of. No sets of signs: Debian's awk knows
# bytes only, and these signs share their first.
failures() {
  printf '\nFailed (all of it is in %s):\n' "$1"
  awk '/^✘/ { failed = 1 } /^(◇|✔)/ { failed = 0 } failed' "$1" | cut -c1-2000
}

# Tests make libraries of them, and they keep the objects of files that are gone.
rm -f .build/release/libFrostglassC*.a
# The suites of `make integration`.
integration='\.(Nginx|PlaygroundBrowser|Systemd|Container|Prometheus|OpenAPI|PythonPackage|S3Store)Tests/'
if [ "${1-}" = --integration ]; then
  log=.build/tests-integration.log
  run "$log" 3 --filter "$integration"
  status=$?
  [ "$status" -eq 0 ] || failures "$log"
  printf '\nSkipped:\n'
  grep -E '^. (Suite|Test) .* skipped' "$log" || echo nothing
  exit "$status"
fi

log=.build/tests.log
if [ $# -gt 0 ]; then
  run "$log" 6 "$@"
  status=$?
  [ "$status" -eq 0 ] || failures "$log"
  exit "$status"
fi

quiet+=(-e '^. Test run with')
# No test has this name: all there is to do is to build.
run "$log" 1 --filter '^$' || exit
alone=(--skip-build --ignore-lock)
gl='^FrostglassGLTests\.' command='^Frostglass(CLI|Server)Tests\.'
parity='^ParityTests\.(GoldenLookTests/|ParityTests/(every|fast|instruction|row|specialized))'
logs=(.build/tests-gl.log .build/tests-parity.log .build/tests-command.log "$log")
# Most of what tests of GL take is LLVM compiling their shaders: Mesa may do it without its optimizer here,
# and for vectors of four, which it compiles in half the time. Every filter in blocks
# (specializedProgramsAreTheReference) and the looks are tested as programs are compiled for everybody.
quickly=(GALLIVM_PERF=nopt LP_NATIVE_VECTOR_WIDTH=128)
(export "${quickly[@]}" && run "${logs[0]}" 2 "${alone[@]}" --filter "$gl") &
processes=($!)
run "${logs[1]}" 2 "${alone[@]}" --filter "$parity" &
processes+=($!)
run "${logs[2]}" 3 "${alone[@]}" --filter "$command" --skip "$integration" &
processes+=($!)
(export "${quickly[@]}" && run "${logs[3]}" 2 "${alone[@]}" --skip "$gl" --skip "$parity" \
  --skip "$command") &
processes+=($!)

passed=() failed=()
for index in "${!logs[@]}"; do
  if wait "${processes[$index]}"; then passed+=("${logs[$index]}"); else failed+=("${logs[$index]}"); fi
done
# Last what failed: where a process ended without a summary, its last lines say where.
for each in ${passed[@]+"${passed[@]}"} ${failed[@]+"${failed[@]}"}; do
  grep -E '^. Test run with' "$each" | tail -1
done
for each in ${failed[@]+"${failed[@]}"}; do
  failures "$each"
  grep -qE '^. Test run with' "$each" || tail -n 12 "$each"
done
[ ${#failed[@]} -eq 0 ]
