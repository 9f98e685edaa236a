#!/usr/bin/env bash
# Runs the tests that hold pictures of a GPU against the reference with Mesa's other software drivers:
# zink, which draws through Vulkan (lavapipe), and softpipe. Builds the tests where they are not.
#
#   scripts/drivers.sh [DRIVER…]      zink, softpipe; both without
#
# zink gets ZINK_INLINE_UNIFORMS=0: docs/gpu.md says why. softpipe is slow, and has the small ones.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/deps.sh build run drivers
[ $# -gt 0 ] || set -- zink softpipe
runtime=$(mktemp -d)
trap 'rm -rf "$runtime"' EXIT
scripts/test.sh --filter '^$' >/dev/null
for driver; do
  case $driver in
    zink)
      settings=(MESA_LOADER_DRIVER_OVERRIDE=zink ZINK_INLINE_UNIFORMS=0)
      suites='Part|Pass|Kernel|Edge|Format|Window|Recording|StageIdentity'
      ;;
    softpipe)
      settings=(GALLIUM_DRIVER=softpipe)
      suites='Edge|Format|Recording'
      ;;
    *)
      echo "drivers.sh: zink or softpipe, not $driver" >&2
      exit 64
      ;;
  esac
  echo "$driver"
  env LIBGL_ALWAYS_SOFTWARE=1 XDG_RUNTIME_DIR="$runtime" "${settings[@]}" \
    scripts/test.sh --skip-build --filter "FrostglassGLTests\.($suites)(Parity)?Tests"
done
