#!/usr/bin/env bash
# Makes the page docs/filters.md and its pictures, docs/filters, from the catalog.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/deps.sh build run
swift build -c release --product frostglass
frostglass=.build/release/frostglass
photograph=Tests/Photographs/chelsea.png

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/filters"

# blur NAME TEXT
blur() {
  "$frostglass" blur $photograph "$work/filters/$1.webp" --filter "$2" \
    --backend fast --output-quality 80 --strip
}

# The page says which example is which filter's: a heading, and the first line indented after it.
"$frostglass" filters --page >"$work/filters.md"
blur original "saturate(1)"
awk '/^## /{name = substr($0, 4)} /^    / && name {print name "\t" substr($0, 5); name = ""}' \
  "$work/filters.md" | while IFS=$'\t' read -r name example; do
  blur "$name" "$example" </dev/null
done

mkdir -p docs/filters
rm -f docs/filters/*.webp
cp "$work"/filters/*.webp docs/filters/
cp "$work/filters.md" docs/filters.md
echo "docs/filters.md: $(ls docs/filters | wc -l) pictures, $(du -sk docs/filters | cut -f1) KB"
