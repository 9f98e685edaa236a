#!/usr/bin/env bash
# Blurs photographs in every way the command knows, plays the example scenes and makes a short film, into
# demo/, and lays them out on demo/sheet.png. Installs and builds what is missing first. Can be run again at any time.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/deps.sh build run mesa demo
swift build -c release --product frostglass
frostglass=.build/release/frostglass

mate=/usr/share/backgrounds/mate/nature
# Photographs that are sharp all over: a blur shows only where there is something to blur.
if scripts/deps.sh wallpapers && [ -r $mate/Dune.jpg ] && [ -r $mate/RainDrops.jpg ]; then
  grass=$mate/Dune.jpg drops=$mate/RainDrops.jpg
  scale=2.5
  credit="Photographs: Dune © 2007 Marco Cogoni, 2008 Hylke Bons, RainDrops © 2008 blackcombwhistler07; changed; GPL 2 or later (Debian package mate-backgrounds). Horse: Andreas Preuss, coffee: Rachel Michetti, Chelsea: Stéfan van der Walt: CC0. Astronaut and Hubble: NASA, rocket: SpaceX: public domain."
else
  echo "demo: no large photographs to be had; taking the small ones of Tests/Fixtures/Photographs" >&2
  grass=Tests/Fixtures/Photographs/rocket.jpg drops=Tests/Fixtures/Photographs/coffee.jpg
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

original "$grass" demo/grass.jpg
say heading "Gaussian blur"
say tile "original, {size}" demo/grass.jpg
for sigma in 5 20 60; do
  blur "$grass" demo/gaussian-$sigma.jpg --sigma $sigma
  say tile "--sigma $sigma" demo/gaussian-$sigma.jpg
done

say heading "Styles: glass over a photograph"
for style in light extra-light dark ios-blur; do
  blur "$grass" demo/style-$style.jpg --style $style --scale $scale
  say panel "--style $style" demo/grass.jpg demo/style-$style.jpg
done

say heading "Materials of iOS"
for style in ultra-thin-light thin-light chrome-light ultra-thin-dark thick-dark; do
  blur "$grass" demo/style-$style.jpg --style $style --scale $scale
  say panel "--style $style" demo/grass.jpg demo/style-$style.jpg
done

say heading "Strength that varies, lenses and lines"
for text in "progressive-blur(4%)" "tilt-shift(2.5%)" "lens(2%)" "motion(12%, 25deg)" "zoom(amount=0.2)"; do
  blur "$grass" "demo/${text%%(*}.jpg" --filter "$text"
  say tile "$text" "demo/${text%%(*}.jpg"
done

say heading "Vibrancy: content that takes its color from what lies behind"
vibrant() {
  cat >"demo/vibrancy-$1.json" <<END
{"canvas": {"width": 480, "height": 300, "scale": 2},
 "layers": [
   {"image": "grass.jpg"},
   {"material": "thin-$1(14pt)", "frame": [30, 40, 420, 220], "cornerRadius": 36,
    "border": {"width": 0.5, "color": "rgba(255, 255, 255, 0.3)"},
    "shadow": {"blur": 30, "y": 8}},
   {"symbol": "sun", "weight": "medium", "vibrancy": "vibrancy(label, $1)",
    "frame": [336, 64, 84, 84]},
   {"text": "Vibrant", "font": "Inter Bold", "size": 68, "vibrancy": "vibrancy(label, $1)",
    "left": 58, "width": 300, "top": 62, "height": 84},
   {"text": "secondary label", "font": "Inter Semi-Bold", "size": 26,
    "vibrancy": "vibrancy(secondary-label, $1)", "left": 60, "width": 300, "top": 150, "height": 36},
   {"text": "tertiary label", "font": "Inter Semi-Bold", "size": 26,
    "vibrancy": "vibrancy(tertiary-label, $1)", "left": 60, "width": 300, "top": 194, "height": 36}
 ]}
END
  "$frostglass" scene "demo/vibrancy-$1.json" -o "demo/vibrancy-$1.png" --overwrite
  say tile "vibrancy(label, $1) on thin-$1" "demo/vibrancy-$1.png"
}
vibrant light
vibrant dark
blur "$drops" demo/drops-glass.jpg --filter "glass(width=70%, height=46%, radius=12%)"
say tile "glass(width=70%, height=46%, radius=12%)" demo/drops-glass.jpg

say heading "Only there, only outside, and for good"
blur Tests/Fixtures/Photographs/astronaut.jpg demo/region.png --sigma 2% --region "rounded(30%,10%,30%,34%,5%)"
say tile "--region rounded(…)" demo/region.png
blur Tests/Fixtures/Photographs/astronaut.jpg demo/background.png --sigma 3% \
  --region "ellipse(28%,2%,34%,60%)" --invert --feather 8% --mask-use scale
say tile "--invert --feather 8% --mask-use scale" demo/background.png
"$frostglass" redact Tests/Fixtures/Photographs/astronaut.jpg demo/redacted.png \
  --region "ellipse(32%,6%,26%,34%)" --overwrite
say tile "frostglass redact" demo/redacted.png
blur Tests/Fixtures/Photographs/astronaut.jpg demo/glass.png --filter "glass(width=70%, height=22%, radius=11%)"
say tile "glass(width=70%, height=22%, radius=11%)" demo/glass.png

original "$drops" demo/drops.jpg
say heading "CSS filter text, left to right: --filter \"blur(20px) saturate(180%) tint(white, 0.3)\""
say tile "original" demo/drops.jpg
text=
step=0
for filter in "blur(20px)" "saturate(180%)" "tint(white, 0.3)"; do
  text="$text${text:+ }$filter" step=$((step + 1))
  blur "$drops" demo/css-$step.jpg --filter "$text"
  say tile "+ $filter" demo/css-$step.jpg
done

say heading "Beyond the border: the same σ with each edge mode"
for edge in clamp mirror wrap transparent; do
  blur Tests/Fixtures/Photographs/astronaut.jpg demo/edge-$edge.png --sigma 8% --edge $edge
  say tile "--sigma 8% --edge $edge" demo/edge-$edge.png
done

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
blur "$drops" demo/linear.jpg --sigma 40 --linear
say tile "--sigma 40 --linear" demo/linear.jpg
blur "$grass" demo/hue.jpg --filter "hue-rotate(200deg) blur(10px) contrast(120%)"
say tile "hue-rotate(200deg) blur(10px) contrast(120%)" demo/hue.jpg

/usr/bin/python3 scripts/disc.py demo/disc.png
say heading "Transparency: no dark or light fringe, whatever color hides in invisible pixels"
cp Tests/Fixtures/Photographs/horse.png demo/horse.png
for shape in horse disc; do
  blur demo/$shape.png demo/$shape-blurred.png --sigma 12
  say tile "original" demo/$shape.png
  say tile "--sigma 12" demo/$shape-blurred.png
done

# A shadow is below what is cut out, on whatever that is laid on.
blur demo/horse.png demo/horse-shadow.png --filter "drop-shadow(10px 12px 8px rgba(20, 20, 60, 0.7))"
say tile "drop-shadow(10px 12px 8px …)" demo/horse-shadow.png

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
scene music-player "a sheet with vibrancy, labels that run, demo/music-player.webp" 0 1 2 3 4
scene live-bar "only the bar is computed, demo/live-bar.webp" 0 1 2 3 4
scene status-bar "a status bar that can be read, a call, a rotation, demo/status-bar.webp" 0 2 3 5

# A short film of photographs, what moves in it redacted, and the film upright. Films are read and written by a
# program of its own, which takes libav.
film() {
  cat >demo/film.json <<END
{"canvas": {"width": 1280, "height": 720, "background": "black"}, "duration": 6,
 "layers": [
   {"image": "../Tests/Fixtures/Photographs/rocket.jpg", "frame": [-54, -80, 1388, 926],
    "keyframes": [{"at": 4.48}, {"at": 6, "frame": [0, -27, 1280, 854]}]},
   {"image": "../Tests/Fixtures/Photographs/coffee.jpg", "frame": [-80, -120, 1440, 960],
    "keyframes": [{"at": 3}, {"at": 4.48, "frame": [0, -80, 1280, 854]},
                  {"at": 4.5, "frame": [0, -80, 1280, 854], "alpha": 0}]},
   {"image": "../Tests/Fixtures/Photographs/astronaut.jpg", "frame": [0, -346, 1466, 1466],
    "keyframes": [{"at": 0}, {"at": 2.96, "frame": [-186, 0, 1466, 1466]},
                  {"at": 2.98, "frame": [-186, 0, 1466, 1466], "alpha": 0}]}
 ]}
END
  # Where a tracker would have found the face: it goes straight from the first frame to the last of its shot.
  cat >demo/film.csv <<END
frame,x,y,width,height,id,label,outside
0,453,-300,400,573,1,face,
74,267,46,400,573,1,face,
75,,,,,1,face,1
END
  "$frostglass" scene demo/film.json -o demo/film.y4m --fps 25 --overwrite
  "$frostglass" video demo/film.y4m demo/film.mp4 --filter none --overwrite
  rm demo/film.y4m
  echo "frostglass redact demo/film.mp4 demo/film-redacted.mp4 --tracks demo/film.csv --tracks-frames 150 --audit demo/film-audit.json"
  "$frostglass" redact demo/film.mp4 demo/film-redacted.mp4 --tracks demo/film.csv --tracks-frames 150 \
    --audit demo/film-audit.json --overwrite
  echo "frostglass fill demo/film.mp4 demo/film-vertical.mp4 --size 720x1280"
  "$frostglass" fill demo/film.mp4 demo/film-vertical.mp4 --size 720x1280 --overwrite
  local name second
  for name in film film-redacted film-vertical; do
    for second in 0 1 2 2.8 3.5 5; do
      "$frostglass" video demo/$name.mp4 demo/$name-$second.png --filter none --time $second --overwrite
    done
  done
  say heading "Films: a face that is followed, frostglass redact film.mp4 film-redacted.mp4 --tracks film.csv"
  say tile "film.mp4, 1 s" demo/film-1.png
  for second in 0 1 2.8 3.5; do say tile "redacted, $second s" demo/film-redacted-$second.png; done
  say heading "Upright: frostglass fill film.mp4 film-vertical.mp4 --size 720x1280"
  for second in 0 1 2 3.5 5; do say tile "$second s" demo/film-vertical-$second.png; done
}
if scripts/deps.sh video && swift build -c release --product frostglass-video &&
  .build/release/frostglass-video --version >/dev/null; then
  film
else
  echo "demo: there is no libav to be had, so no films; everything else follows" >&2
fi

say note "Blurs by $($frostglass --version). Panes, checkerboards and captions were added afterward."
say note "$credit"
/usr/bin/python3 scripts/sheet.py demo/sheet.png <$sheet
rm $sheet

echo
echo "$credit"
echo "The sheet: $PWD/demo/sheet.png (single pictures and animations beside it)"
