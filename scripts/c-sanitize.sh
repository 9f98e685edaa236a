#!/usr/bin/env bash
# Builds the library for C with the address and the thread sanitizer, and runs a hostile C program over it.
#
#   scripts/c-sanitize.sh [address|thread]…
#
# Leaks are not looked for, as the library keeps a few things for as long as the process lives.
set -euo pipefail
cd "$(dirname "$0")/.."
export ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=1 TSAN_OPTIONS=halt_on_error=1
[ $# -gt 0 ] || set -- address thread
for kind; do
  scratch=.build/$kind
  swift build -c release --sanitize="$kind" --scratch-path "$scratch" --product FrostglassC
  # A forked process cannot start threads under the thread sanitizer.
  flags=()
  [ "$kind" = address ] || flags=(-DWITHOUT_FORKS)
  clang -std=gnu11 -Wall -Wextra -Werror -g -O1 -fsanitize="$kind" "${flags[@]}" -ISources/CFrostglass \
    -c -o "$scratch/hostile.o" Tests/C/hostile.c
  swiftc -sanitize="$kind" -static-stdlib -use-ld=lld -o "$scratch/hostile" "$scratch/hostile.o" \
    "$scratch/release/libFrostglassC.a" -lswiftSynchronization
  for seed in 1 2 3; do
    echo "$kind sanitizer, seed $seed"
    "$scratch/hostile" "$seed"
  done
done
