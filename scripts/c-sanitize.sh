#!/usr/bin/env bash
# Builds the library for C with the address sanitizer, and runs a hostile C program over it.
#
#   scripts/c-sanitize.sh
#
# Leaks are not looked for, as the library keeps a few things for as long as the process lives. The thread
# sanitizer tells nothing here: Swift's mutexes and its once come linked in from a runtime that is not
# built with it, and each thing that they guard is a race to it.
set -euo pipefail
cd "$(dirname "$0")/.."
export ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=1
scratch=.build/address
# It would keep the objects of files that are gone.
rm -f "$scratch"/release/libFrostglassC*.a
swift build -c release --sanitize=address --scratch-path "$scratch" --product FrostglassC
clang -std=gnu11 -Wall -Wextra -Werror -g -O1 -fsanitize=address -ISources/CFrostglass \
  -c -o "$scratch/hostile.o" Tests/Programs/C/hostile.c
swiftc -sanitize=address -static-stdlib -use-ld=lld -o "$scratch/hostile" "$scratch/hostile.o" \
  "$scratch/release/libFrostglassC.a" -lswiftSynchronization
for seed in 1 2 3; do
  echo "seed $seed"
  "$scratch/hostile" "$seed"
done
