#!/usr/bin/env bash
# Makes the README's pictures, docs/pictures, from the photographs in Tests/Fixtures/Photographs, which are
# all CC0 or in the public domain (Tests/Fixtures/Photographs/LICENSES.md).
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/deps.sh build run mesa demo
swift build -c release --product frostglass

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
blur() { .build/release/frostglass blur "$1" "$work/$2" "${@:3}"; }
lay_out() { /usr/bin/python3 scripts/sheet.py "docs/pictures/$1" 1200; }

coffee=Tests/Fixtures/Photographs/coffee.jpg
rocket=Tests/Fixtures/Photographs/rocket.jpg
horse=Tests/Fixtures/Photographs/horse.png
mkdir -p docs/pictures

blur $coffee coffee.png --sigma 0
blur $coffee light.png --style light --scale 0.5
blur $coffee gaussian.png --sigma 12
printf '%s\t\t%s\t%s\n' \
  tile "$work/coffee.png" "" \
  panel "$work/coffee.png" "$work/light.png" \
  tile "$work/gaussian.png" "" | lay_out strip.jpg

for style in light extra-light dark ios-blur; do
  blur $rocket $style-rocket.png --style $style --scale 0.5
  printf 'panel\t%s\t%s\t%s\n' "--style $style" $rocket "$work/$style-rocket.png"
done | lay_out styles.jpg

for text in "ultra-thin-light(6px)" "thin-dark(6px)" "glass(width=60%, height=30%)" \
  "progressive-blur(14px)" "lens(9px)" "motion(30px, 20deg)" "pixelate(12px, hexagon)" \
  "bilateral(4px)" "spin(0.5, 0.5, 12deg)"; do
  picture=$work/family-${text%%(*}.png
  blur $coffee "${picture##*/}" --filter "$text"
  case $text in
    # A material is a pane over something, and shows beside what it covers.
    *-light* | *-dark*) printf 'panel\t%s\t%s\t%s\n' "$text" "$work/coffee.png" "$picture" ;;
    *) printf 'tile\t%s\t%s\n' "$text" "$picture" ;;
  esac
done >"$work/family.txt"
{
  sed -n 1,3p "$work/family.txt" | sed '1s/^/heading\t \n/'
  sed -n 4,6p "$work/family.txt" | sed '1s/^/heading\t \n/'
  sed -n 7,9p "$work/family.txt" | sed '1s/^/heading\t \n/'
} | lay_out family.jpg

for edge in clamp mirror wrap transparent; do
  blur $coffee edge-$edge.png --sigma 8% --edge $edge
  printf 'tile\t%s\t%s\n' "--edge $edge" "$work/edge-$edge.png"
done | lay_out edges.jpg

/usr/bin/python3 scripts/disc.py "$work/disc.png"
blur $horse horse-blurred.png --sigma 10
blur "$work/disc.png" disc-blurred.png --sigma 10
printf 'tile\t%s\t%s\n' \
  "original" $horse "--sigma 10" "$work/horse-blurred.png" \
  "original" "$work/disc.png" "--sigma 10" "$work/disc-blurred.png" | lay_out transparency.jpg

ls -l docs/pictures
