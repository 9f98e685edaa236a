#!/usr/bin/env bash
# Blurs photographs in every way the command knows and plays the example scenes, into demo/, and
# lays them out on demo/sheet.png. Installs and builds what is missing first. Can be run again at any time.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/deps.sh build run demo
swift build -c release --product frostglass
frostglass=.build/release/frostglass

mate=/usr/share/backgrounds/mate/nature
if scripts/deps.sh wallpapers && [ -r $mate/Garden.jpg ]; then
  flower=$mate/Garden.jpg beetle=$mate/LadyBird.jpg water=$mate/Aqua.jpg grass=$mate/Dune.jpg
  scale=3
  credit="Photographs: Garden, LadyBird and Aqua © 2008 Charles Barbin, Dune © 2007 Marco Cogoni, 2008 Hylke Bons; changed; GPL 2 or later (Debian package mate-backgrounds). Horse: Andreas Preuss, coffee: Rachel Michetti, Chelsea: Stéfan van der Walt: CC0. Astronaut and Hubble: NASA, rocket: SpaceX: public domain."
else
  echo "demo: no large photographs to be had; taking the small ones of Tests/Photographs" >&2
  flower=Tests/Photographs/coffee.jpg beetle=Tests/Photographs/rocket.jpg
  water=Tests/Photographs/rocket.jpg grass=Tests/Photographs/chelsea.png
  scale=1
  credit="Photographs: coffee by Rachel Michetti, Chelsea by Stéfan van der Walt, horse by Andreas Preuss: CC0. Rocket by SpaceX, astronaut and Hubble by NASA: public domain."
fi

mkdir -p demo
sheet=demo/sheet.txt
: >$sheet

say() { (IFS=$'\t'; echo "$*") >>$sheet; }
# Runs the command and shows it as a reader would type it.
blur() {
  local word line="frostglass blur"
  for word in "$@"; do
    case $word in *[!A-Za-z0-9._/%-]*) word="\"$word\"" ;; esac
    line+=" $word"
  done
  echo "$line"
  "$frostglass" blur "$@" --overwrite
}
# What the command makes of the photograph when it changes nothing: upright, sRGB.
original() { blur "$1" "$2" --sigma 0; }

say title "Frostglass"

original "$flower" demo/flower.jpg
say heading "Gaussian blur"
say tile "original, {size}" demo/flower.jpg
for sigma in 5 20 60; do
  blur "$flower" demo/gaussian-$sigma.jpg --sigma $sigma
  say tile "--sigma $sigma" demo/gaussian-$sigma.jpg
done

original "$beetle" demo/beetle.jpg
say heading "Styles: glass over a photograph"
for style in light extra-light dark ios-blur; do
  blur "$beetle" demo/style-$style.jpg --style $style --scale $scale
  say panel "--style $style" demo/beetle.jpg demo/style-$style.jpg
done

say heading "Materials of iOS"
for style in ultra-thin-light thin-light chrome-light ultra-thin-dark thick-dark; do
  blur "$beetle" demo/style-$style.jpg --style $style --scale $scale
  say panel "--style $style" demo/beetle.jpg demo/style-$style.jpg
done

say heading "Strength that varies, lenses and lines"
for text in "progressive-blur(2%)" "tilt-shift(1.5%)" "lens(2%)" "motion(12%, 25deg)" "zoom(amount=0.2)"; do
  blur "$flower" "demo/${text%%(*}.jpg" --filter "$text"
  say tile "$text" "demo/${text%%(*}.jpg"
done

say heading "Only there, only outside, and for good"
blur Tests/Photographs/astronaut.jpg demo/region.png --sigma 2% --region "rounded(30%,10%,30%,34%,5%)"
say tile "--region rounded(…)" demo/region.png
blur Tests/Photographs/astronaut.jpg demo/background.png --sigma 3% \
  --region "ellipse(28%,2%,34%,60%)" --invert --feather 8% --mask-use scale
say tile "--invert --feather 8% --mask-use scale" demo/background.png
"$frostglass" redact Tests/Photographs/astronaut.jpg demo/redacted.png \
  --region "ellipse(32%,6%,26%,34%)" --overwrite
say tile "frostglass redact" demo/redacted.png
blur Tests/Photographs/astronaut.jpg demo/glass.png --filter "glass(width=70%, height=22%, radius=11%)"
say tile "glass(width=70%, height=22%, radius=11%)" demo/glass.png

original "$water" demo/water.jpg
say heading "CSS filter text, left to right: --filter \"blur(20px) saturate(180%) tint(white, 0.3)\""
say tile "original" demo/water.jpg
text=
step=0
for filter in "blur(20px)" "saturate(180%)" "tint(white, 0.3)"; do
  text="$text${text:+ }$filter" step=$((step + 1))
  blur "$water" demo/css-$step.jpg --filter "$text"
  say tile "+ $filter" demo/css-$step.jpg
done

say heading "Beyond the border: the same σ with each edge mode"
for edge in clamp mirror wrap transparent; do
  blur "$flower" demo/edge-$edge.png --sigma 8% --edge $edge
  say tile "--sigma 8% --edge $edge" demo/edge-$edge.png
done

original "$grass" demo/grass.jpg
say heading "Strength of the whole effect: --filter \"blur(16px) saturate(180%) mix(…)\""
for strength in 0 0.25 0.5 0.75 1; do
  blur "$grass" demo/mix-$strength.jpg --filter "blur(16px) saturate(180%) mix($strength)"
  say tile "mix($strength)" demo/mix-$strength.jpg
done

say heading "Directions, boxes, light, color"
blur "$grass" demo/wind.jpg --filter "gaussian(x=60px, y=2px)"
say tile "gaussian(x=60px, y=2px)" demo/wind.jpg
blur "$grass" demo/box.jpg --filter "box(radius=24, iterations=1)"
say tile "box(radius=24, iterations=1)" demo/box.jpg
blur "$water" demo/linear.jpg --sigma 40 --linear
say tile "--sigma 40 --linear" demo/linear.jpg
blur "$flower" demo/hue.jpg --filter "hue-rotate(200deg) blur(10px) contrast(120%)"
say tile "hue-rotate(200deg) blur(10px) contrast(120%)" demo/hue.jpg

/usr/bin/python3 scripts/disc.py demo/disc.png
say heading "Transparency: no dark or light fringe, whatever color hides in invisible pixels"
cp Tests/Photographs/horse.png demo/horse.png
for shape in horse disc; do
  blur demo/$shape.png demo/$shape-blurred.png --sigma 12
  say tile "original" demo/$shape.png
  say tile "--sigma 12" demo/$shape-blurred.png
done

# A scene in small, with a pixel for each point: an animation, and some of its seconds as a strip.
scene() {
  local name=$1 second
  sed '/"canvas"/s/"scale": [0-9]*/"scale": 1/; s#"\.\./\.\./#"../#g' "Examples/scenes/$name.json" >"demo/$name.json"
  echo "frostglass scene demo/$name.json -o demo/$name.webp --fps 20"
  "$frostglass" scene "demo/$name.json" -o "demo/$name.webp" --fps 20 --output-quality 60 --overwrite
  "$frostglass" scene "demo/$name.json" -o "demo/$name-%d.png" --fps 1 --overwrite
  say heading "Scene: $2"
  # Seconds are counted from 0, pictures from 1.
  for second in "${@:3}"; do
    say tile "$second s" "demo/$name-$((second + 1)).png"
  done
}
scene square-cash "a bar that scrolls away, demo/square-cash.webp" 0 2 3 4 5
scene facebook "a bar that hides, and comes back after 140 points, demo/facebook.webp" 0 3 4 5 8
scene safari "bars of glass that heed velocity, demo/safari.webp" 0 1 3 4 6
scene control-center "a panel that grows, static and live, demo/control-center.webp" 1 2 3 4 5
scene music-player "a sheet with vibrancy, demo/music-player.webp" 0 1 2 3 4
scene live-bar "only the bar is computed, demo/live-bar.webp" 0 1 2 3 4
scene status-bar "a status bar that can be read, a call, a rotation, demo/status-bar.webp" 0 2 5 7

say note "Blurs by $($frostglass --version). Panes, checkerboards and captions were added afterward."
say note "$credit"
/usr/bin/python3 scripts/sheet.py demo/sheet.png <$sheet
rm $sheet

echo
echo "$credit"
echo "The sheet: $PWD/demo/sheet.png (single pictures and animations beside it)"
