#!/usr/bin/env bash
# Makes the page docs/use/filters.md and its pictures, docs/use/filters, from the catalog, and the numbers in
# docs/contribute/filter-definitions.md.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/deps.sh build run mesa demo
swift build -c release --product frostglass
frostglass=.build/release/frostglass

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/filters"

# A part of a photograph that is sharp all over, in the size at which the page shows it.
photograph=$work/photograph.png
/usr/bin/python3 - Tests/Fixtures/Photographs/astronaut.jpg "$photograph" <<'END'
import sys
from PIL import Image

picture = Image.open(sys.argv[1]).crop((0, 0, 512, 384))
picture.resize((400, 300), Image.LANCZOS).save(sys.argv[2])
END

# blur NAME TEXT [OPTION…]
blur() {
  "$frostglass" blur $photograph "$work/filters/$1.webp" --filter "$2" \
    --backend fast --output-quality 80 --strip "${@:3}"
}
# scene NAME JSON: layers on a canvas as large as the photograph.
scene() {
  echo "{\"canvas\": {\"width\": 400, \"height\": 300, \"background\": \"#e6ded2\"}, \"layers\": [$2]}" \
    >"$work/$1.json"
  "$frostglass" scene "$work/$1.json" -o "$work/filters/$1.webp" --backend fast --output-quality 85
}

# show NAME TEXT: the filter where it is meant to be.
show() {
  case $1 in
    vibrancy)
      # What it is for: words and symbols over a material.
      scene "$1" '{"image": "'"$photograph"'"},
        {"material": "thin-light(12px)", "frame": [24, 60, 352, 180], "cornerRadius": 28},
        {"text": "Vibrant", "font": "Inter Bold", "size": 64, "vibrancy": "'"$2"'", "left": 48,
         "width": 300, "top": 84, "height": 80},
        {"text": "over whatever lies behind", "font": "Inter Semi-Bold", "size": 22,
         "vibrancy": "'"$2"'", "left": 50, "width": 300, "top": 168, "height": 30}' ;;
    drop-shadow)
      "$frostglass" blur Tests/Fixtures/Photographs/horse.png "$work/$1.png" --filter "$2"
      scene "$1" '{"image": "'"$work/$1.png"'", "fit": "contain", "frame": [20, 8, 360, 284]}' ;;
    ultra-thin-* | thin-* | material-* | thick-* | chrome-* | dock-* | platter-* | toolbar-* | \
      custom-style | light | extra-light | dark | ios-blur | image-effects-* | 7blur-*)
      blur "$1" "$2" --region "rounded(6%,10%,52%,80%,9%)" ;;
    *) blur "$1" "$2" ;;
  esac
}

# The page says which example is which filter's: a heading, and the first line indented after it.
"$frostglass" filters --page >"$work/filters.md"
blur original "saturate(1)"
awk '/^## /{name = substr($0, 4)} /^    / && name {print name "\t" substr($0, 5); name = ""}' \
  "$work/filters.md" | while IFS=$'\t' read -r name example; do
  show "$name" "$example" </dev/null
done

mkdir -p docs/use/filters
rm -f docs/use/filters/*.webp
cp "$work"/filters/*.webp docs/use/filters/
cp "$work/filters.md" docs/use/filters.md

# Constants go between their comments in the page of definitions.
"$frostglass" filters --numbers >"$work/numbers.md"
/usr/bin/python3 - "$work/numbers.md" docs/contribute/filter-definitions.md <<'END'
import pathlib
import re
import sys

numbers, page = map(pathlib.Path, sys.argv[1:])
block = re.compile(r"<!-- numbers: (\S+) -->\n.*?<!-- end -->", re.DOTALL)
made = {found[1]: found[0] for found in block.finditer(numbers.read_text())}
page.write_text(block.sub(lambda found: made[found[1]], page.read_text()))
END
echo "docs/use/filters.md: $(ls docs/use/filters | wc -l) pictures, $(du -sk docs/use/filters | cut -f1) KB"
