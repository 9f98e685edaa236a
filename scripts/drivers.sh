#!/usr/bin/env bash
# Holds the GPU backend against the reference on drivers that need no GPU:
#
#   scripts/drivers.sh [zink|validation|softpipe|least…]     without any, all of them
#
# Says of each how it ended and how long it took. Exits with 1 where a picture was wrong, a test
# failed, Vulkan was misused, or a driver took longer than it may.
#
# zink does OpenGL by Vulkan, here lavapipe. It builds uniforms into programs, and Mesa 22.3 takes those
# of another dispatch for them: ZINK_INLINE_UNIFORMS=0 keeps it from that. It has crashed with several
# contexts at once, so tests run one after another.
# validation: Khronos' layers look at what zink asks of Vulkan, in the compute stages. In the fragment
# stage the layers crash (1.3.239, while a thread of zink's has them copy a pipeline). Where zink puts
# copies before what was asked for earlier, they miss a change of layout; so it is not to.
# least: llvmpipe without the extensions that programs and transfers use where there are any, as the least that
# OpenGL ES 3.1 promises: every filter, format and edge in the plain stages, and as on a GPU.
# softpipe is slow: passes of small pictures, and none of those that are long, and storage buffers.
set -uo pipefail
cd "$(dirname "$0")/.."

scripts/deps.sh build run mesa drivers || exit
drivers=("$@")
[ $# -gt 0 ] || drivers=(zink validation softpipe least)
scripts/test.sh --filter '^$' >/dev/null || exit
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_RUNTIME_DIR=$work
zink=(LIBGL_ALWAYS_SOFTWARE=1 MESA_LOADER_DRIVER_OVERRIDE=zink ZINK_INLINE_UNIFORMS=0)

# tests SECONDS FILTER SKIP NAME=VALUE…: one at a time.
tests() {
  local seconds=$1 filter=$2 skip=$3
  shift 3
  env "$@" timeout -k 5 "$seconds" swift test -c release --disable-xctest --disable-testable-imports \
    --skip-build --experimental-maximum-parallelization-width 1 --filter "$filter" --skip "$skip"
}

# Every filter in every compute stage and as on a GPU, under the layers.
validate() {
  printf 'khronos_validation.%s\n' 'debug_action = VK_DBG_LAYER_ACTION_LOG_MSG' \
    'report_flags = error,warn,perf' "log_filename = $work/layers" >"$work/vk_layer_settings.txt"
  local stage
  for stage in compute blocked 'compute --as-gpu'; do
    # shellcheck disable=SC2086 # several words
    env "${zink[@]}" ZINK_DEBUG=noreorder VK_LAYER_SETTINGS_PATH="$work" \
      VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation timeout -k 5 200 \
      .build/release/frostglass-gpu-bench --check --stage $stage || return
    # Each process begins the layers' file anew.
    [ -e "$work/layers" ] || { echo "the layers wrote nothing"; return 1; }
    grep -E '^(VUID|UNASSIGNED)' "$work/layers" >>"$work/said"
  done
  [ ! -s "$work/said" ] || { cut -c1-400 "$work/said" | sort | uniq -c | sort -rn; return 1; }
}

# Every filter in the plain stages and as on a GPU, without extensions.
least() {
  local stage struck='-GL_EXT_gpu_shader5 -GL_EXT_buffer_storage -GL_EXT_copy_image'
  for stage in fragment compute 'compute --as-gpu'; do
    # shellcheck disable=SC2086 # several words
    MESA_EXTENSION_OVERRIDE=$struck GALLIUM_DRIVER=llvmpipe timeout -k 5 200 \
      .build/release/frostglass-gpu-bench --check --stage $stage || return
  done
}

status=0
for driver in "${drivers[@]}"; do
  log=.build/drivers-$driver.log
  start=$SECONDS
  case $driver in
    zink)
      tests 300 'FrostglassGLTests\.((Part|Pass|Kernel|Edge|Window)Parity|Storage)Tests' '^$' "${zink[@]}" ;;
    validation) validate ;;
    least) least ;;
    softpipe)
      tests 300 'FrostglassGLTests\.(PassParity|Storage)Tests' runsLongPassesInBands GALLIUM_DRIVER=softpipe ;;
    *)
      echo "drivers: there is no '$driver'; zink, validation, softpipe and least are" >&2
      exit 64
      ;;
  esac >"$log" 2>&1
  code=$?
  case $code in
    0) said=passed ;;
    124 | 137) said='took too long' ;;
    *) said="failed ($code)" ;;
  esac
  echo "$driver: $said, $((SECONDS - start)) s ($log)"
  grep -E '^. Test run with|^\| ' "$log"
  [ "$code" -eq 0 ] || {
    status=1
    grep -E '^✘|^ +[0-9]+ (VUID|UNASSIGNED)|rror' "$log" | head -20
  }
done
exit "$status"
