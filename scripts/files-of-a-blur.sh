#!/usr/bin/env bash
# Which files a blur on the CPU goes through, from main to the last byte, with how many of their
# functions it ran; and how many files those are. More than 45 are an error: what a plain blur has no
# use for is to be asked for before it is called.
#
#   scripts/files-of-a-blur.sh
#
# A debug build with coverage in .build/coverage; files of filters other than the Gaussian are there for
# the table of filters that names are looked up in.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=$(dirname "$(readlink -f "$(command -v swift)")")
build=.build/coverage
swift build --scratch-path "$build" --product frostglass -Xswiftc -profile-generate \
  -Xswiftc -profile-coverage-mapping >&2
LLVM_PROFILE_FILE=$build/blur.profraw "$build/debug/frostglass" blur Tests/Fixtures/Photographs/coffee.jpg \
  "$build/blurred.jpg" --sigma 20 --backend fast --overwrite
"$tools/llvm-profdata" merge "$build/blur.profraw" -o "$build/blur.profdata"
"$tools/llvm-cov" export "$build/debug/frostglass" -instr-profile "$build/blur.profdata" |
  python3 -c '
import collections, json, sys
most = 45
files = collections.Counter()
for function in json.load(sys.stdin)["data"][0]["functions"]:
    name = function["filenames"][0]
    if function["count"] > 0 and "/Sources/" in name:
        files[name.split("/Sources/")[1]] += 1
for name, count in sorted(files.items()):
    print(f"{count:5} {name}")
print(f"{len(files):5} files")
if len(files) > most:
    sys.exit(f"more than {most}: ask for what a plain blur does without before it is called")'
