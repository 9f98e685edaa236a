#!/usr/bin/env bash
# Starts the service on a free port of loopback, asks it what its users ask, and ends it: a blur, a redaction
# with its audit, an error in words, readiness. Pictures are left in demo/service.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/deps.sh service
swift build -c release --product frostglass
out=demo/service
mkdir -p "$out"
: >"$out/said" # Emptied here: what runs in the background may open it after it is read.

.build/release/frostglass serve --listen 127.0.0.1:0 --log none 2>"$out/said" &
service=$!
trap 'kill "$service" 2>/dev/null || true; wait "$service" || true' EXIT
for _ in {1..600}; do
  url=$(sed -n 's/^listening on //p' "$out/said")
  [ -n "$url" ] && break
  kill -0 "$service" || { cat "$out/said" >&2; exit 1; }
  sleep 0.1
done
cat "$out/said"

ask() {
  echo "+ curl $*" >&2
  curl -sS --fail-with-body "$@"
}
photo=Tests/Fixtures/Photographs/rocket.jpg
ask --data-binary "@$photo" "$url/v1/blur?sigma=12" -o "$out/blurred.jpg"
ask --data-binary "@$photo" "$url/v1/blur?style=light&format=webp" -o "$out/frosted.webp"
ask --data-binary "@$photo" "$url/v1/redact?region=38%25,10%25,20%25,60%25" -o "$out/redacted.jpg"
ask --data-binary "@$photo" "$url/v1/plan?sigma=12"
echo
ask --data-binary "words" "$url/v1/blur?sigma=12" || echo
ask --retry 20 --retry-delay 1 "$url/health/ready"
echo
ls -l "$out"
