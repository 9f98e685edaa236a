#!/usr/bin/env bash
# Makes the pictures of scenes, docs/pictures, for docs/use/scenes.md and the pages of the three models.
# They are frames of the example scenes; their photographs are CC0 or in the public domain
# (Tests/Fixtures/Photographs/LICENSES.md).
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/deps.sh build run mesa demo
swift build -c release --product frostglass

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A tile: a scene at a time, with a caption.
tile() {
  .build/release/frostglass scene "Examples/scenes/$1.json" --time "$2" -o "$work/$1-$2.png" --overwrite
  printf 'tile\t%s\t%s\n' "$3" "$work/$1-$2.png"
}
# The same of a scene that is one of the examples with something else in it.
variant() {
  sed "s#\"\.\./\.\./#\"$PWD/#g; $2" "Examples/scenes/$1.json" >"$work/$1.json"
  .build/release/frostglass scene "$work/$1.json" --time "$3" -o "$work/$1-$3-variant.png"
  printf 'tile\t%s\t%s\n' "$4" "$work/$1-$3-variant.png"
}
# A row of its own.
row() { printf 'heading\t%s\n' "$1"; }
sheet() { /usr/bin/python3 scripts/sheet.py "docs/pictures/$1.jpg" "${2:-1200}"; }

{
  tile square-cash 4.8 "stretched: −0.58"
  tile square-cash 0 "progress 0"
  tile square-cash 1.7 "0.28"
  tile square-cash 1.783 "0.5"
  tile square-cash 3 "1"
} | sheet bar-square-cash

{
  tile facebook 0 "at the top: progress 0"
  tile facebook 2.4 "scrolled down: 1"
  tile facebook 2.95 "60 points up: still 1"
  tile facebook 4.995 "140 and 40 up: 0.47"
  tile facebook 5.5 "140 and 85 up: 0"
} | sheet bar-facebook

{
  tile safari 0 "at the top: progress 0"
  tile safari 0.425 "going: 0.4"
  tile safari 2.2 "1"
  tile safari 3.2 "a slow pull: still 1"
  tile safari 3.75 "a quick pull: 0"
} | sheet bar-safari

{
  row "The content's color: what can be read"
  tile status-bar 0.3 "on a dark sky: white"
  tile status-bar 2.2 "on a bright wall: black"
  tile status-bar 3 "dark beside bright: a veil"
  row "Events"
  tile status-bar 4.9 "in a call"
  tile status-bar 6.45 "turned on its side: fading out"
  tile status-bar 6.9 "on its side"
} | sheet status-bar 1100

{
  tile control-center 1.7 "away"
  tile control-center 1.95 "arriving, 0.15 s"
  tile control-center 2.05 "arriving, 0.25 s"
  tile control-center 2.4 "arrived"
  tile control-center 5.65 "leaving, 0.15 s"
} | sheet backdrop-arrival

{
  drop='s/"arrival": "grow"/"arrival": "drop"/'
  variant control-center "$drop" 1.95 "arriving, 0.15 s"
  variant control-center "$drop" 2.05 "arriving, 0.25 s"
  variant control-center "$drop" 2.15 "arriving, 0.35 s"
  variant control-center "$drop" 2.4 "arrived"
  variant control-center "$drop" 5.65 "leaving, 0.15 s"
} | sheet backdrop-drop

{
  tile control-center 2.4 "static"
  tile control-center 3.2 "static: behind it, all moved"
  tile control-center 4 "live: it looked again"
  tile control-center 4.7 "live: it goes along"
  tile control-center 5.4 "live"
} | sheet backdrop-live

{
  tile music-player 0.6 "0.6 s"
  tile music-player 0.75 "0.75 s"
  tile music-player 1.1 "1.1 s"
  tile music-player 2.6 "2.6 s"
  tile music-player 4.3 "4.3 s"
} | sheet scene-music-player

# The same scene in the other appearance.
dark() {
  .build/release/frostglass scene "Examples/scenes/$1.json" --appearance dark --time "$2" \
    -o "$work/$1-$2-dark.png"
  printf 'tile\t%s\t%s\n' "$3" "$work/$1-$2-dark.png"
}

{
  tile library 0.75 "0.75 s: a header stays"
  tile library 1.4 "1.4 s: pushed away"
  tile library 4.12 "4.12 s: a sheet comes"
  tile library 4.35 "4.35 s: beyond its place"
  dark library 5.4 "5.4 s: at rest, in the dark"
} | sheet scene-library

# All symbols, as the schema lists them.
/usr/bin/python3 - "$work/symbols.json" <<'END'
import json, sys

schema = json.load(open("docs/scene.schema.json"))
items, columns = [], 10
names = schema["$defs"]["shown"]["properties"]["symbol"]["enum"]
for index, name in enumerate(names):
    x, y = index % columns * 90, index // columns * 92
    items.append({"symbol": name, "color": "#1c1c1e", "frame": [x + 21, y + 14, 48, 48]})
    items.append({"text": name, "size": 10, "align": "center", "color": "#48484a",
                  "frame": [x, y + 66, 90, 16]})
canvas = {"width": columns * 90, "height": -(-len(names) // columns) * 92 + 8, "scale": 1.5}
json.dump({"canvas": canvas, "layers": items}, open(sys.argv[1], "w"))
END
.build/release/frostglass scene "$work/symbols.json" -o docs/pictures/symbols.png --overwrite

ls -l docs/pictures
