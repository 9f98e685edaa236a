// A CUDA driver without a device: device memory is the process's own, streams are numbers, and kernels are the
// project's text as C++. It is compiled by tests as libcuda.so.1.
//
// STUB_CUDA names a fault: init, old, no-device, ptx, launch, memory, host-memory, forked, far (the second address
// asked for is on another device); or own-context, for memory that has one. STUB_CUDA_LOG names a file that gets a line for each call.

#include "host.h"

#include "../../../Sources/CShims/CCUDA/blur.cu"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace {
typedef void (*Kernel)(const char *, char *, const CCUDAPass);

struct Named {
  const char *name;
  Kernel kernel;
};

#define NAMED(name) {#name, name}
const Named kernels[] = {
  NAMED(shrink_gray_slot), NAMED(shrink_rgb_slot), NAMED(shrink_rgba_slot), NAMED(shrink_straight_slot),
  NAMED(shrink_slot1_slot), NAMED(shrink_slot4_slot), NAMED(convolve_gray_slot), NAMED(convolve_rgb_slot),
  NAMED(convolve_rgba_slot), NAMED(convolve_straight_slot), NAMED(convolve_slot1_slot),
  NAMED(convolve_slot4_slot), NAMED(convolve_slot1_gray), NAMED(convolve_slot4_rgb), NAMED(convolve_slot4_rgba),
  NAMED(convolve_slot4_straight), NAMED(convolve_gray_gray), NAMED(convolve_rgb_rgb), NAMED(convolve_rgba_rgba),
  NAMED(convolve_straight_straight), NAMED(grow_slot1_slot), NAMED(grow_slot4_slot), NAMED(grow_slot1_gray),
  NAMED(grow_slot4_rgb), NAMED(grow_slot4_rgba), NAMED(grow_slot4_straight), NAMED(grow_wide_slot1_slot),
  NAMED(grow_wide_slot4_slot), NAMED(grow_wide_slot1_gray), NAMED(grow_wide_slot4_rgb),
  NAMED(grow_wide_slot4_rgba), NAMED(grow_wide_slot4_straight),
};

std::mutex mutex;
int asked;
thread_local int pushed;
bool isReady;

bool fails(const char *fault) {
  const char *named = std::getenv("STUB_CUDA");
  return named && !std::strcmp(named, fault);
}

void log(const char *call, unsigned long long number = 0, const char *text = "") {
  const char *path = std::getenv("STUB_CUDA_LOG");
  if (!path) return;
  std::lock_guard<std::mutex> lock(mutex);
  if (FILE *file = std::fopen(path, "a")) {
    std::fprintf(file, "%s %llu %s\n", call, number, text);
    std::fclose(file);
  }
}
}

extern "C" {
int cuInit(unsigned) {
  log("init");
  if (fails("init")) return 999;
  if (fails("no-device")) return 100;
  isReady = true;
  return 0;
}

int cuDriverGetVersion(int *version) {
  *version = fails("old") ? 11010 : 12040;
  return 0;
}

int cuGetErrorName(int result, const char **name) {
  *name = result == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : result == 719 ? "CUDA_ERROR_LAUNCH_FAILED"
    : result == 999 ? "CUDA_ERROR_UNKNOWN" : result == 222 ? "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"
    : result == 1 ? "CUDA_ERROR_INVALID_VALUE" : nullptr;
  return *name ? 0 : 1;
}

int cuPointerGetAttribute(void *value, int attribute, unsigned long long) {
  if (!isReady || fails("forked")) return 3;
  if (fails("host-memory")) return 1;
  switch (attribute) {
    case 1: *(void **)value = fails("own-context") ? (void *)0x2000 : nullptr; return 0;
    case 2: *(unsigned *)value = 2; return 0;
    case 9: *(int *)value = fails("far") ? asked++ % 2 : 0; return 0;
    default: return 1;
  }
}

int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return 0;
}

int cuDevicePrimaryCtxRetain(void **context, int device) {
  log("retain", (unsigned long long)device);
  *context = (void *)(uintptr_t)(0x1000 + device);
  return 0;
}

int cuCtxPushCurrent_v2(void *) { return ++pushed, 0; }

int cuCtxPopCurrent_v2(void **context) {
  log("pop", (unsigned long long)--pushed);
  *context = nullptr;
  return 0;
}

int cuModuleLoadData(void **module, const void *image) {
  if (!pushed) return 201;
  if (fails("ptx")) return 222;
  // It has to be the text that a driver would compile.
  const char *text = (const char *)image;
  if (!std::strstr(text, ".version ") || !std::strstr(text, ".target sm_70")) return 218;
  for (const Named &known : kernels) {
    char entry[96];
    std::snprintf(entry, sizeof entry, ".entry %s(", known.name);
    if (!std::strstr(text, entry)) return 218;
  }
  log("load");
  *module = (void *)image;
  return 0;
}

int cuModuleGetFunction(void **function, void *, const char *name) {
  for (const Named &known : kernels)
    if (!std::strcmp(known.name, name)) {
      *function = (void *)known.kernel;
      return 0;
    }
  return 500;
}

int cuLaunchKernel(
    void *function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY,
    unsigned blockZ, unsigned sharedBytes, void *stream, void **parameters, void **extra) {
  if (!pushed) return 201;
  if (fails("launch")) return 719;
  if (gridZ != 1 || blockZ != 1 || sharedBytes || extra || blockX * blockY > 256 || gridY > 65535) return 1;
  for (const Named &known : kernels)
    if ((void *)known.kernel == function) log("launch", (unsigned long long)(uintptr_t)stream, known.name);
  const char *source = *(const char **)parameters[0];
  char *target = *(char **)parameters[1];
  const CCUDAPass &pass = *(const CCUDAPass *)parameters[2];
  blockDim = {blockX, blockY, 1};
  for (unsigned y = 0; y < gridY; ++y)
    for (unsigned x = 0; x < gridX; ++x)
      for (unsigned down = 0; down < blockY; ++down)
        for (unsigned across = 0; across < blockX; ++across) {
          blockIdx = {x, y, 0};
          threadIdx = {across, down, 0};
          ((Kernel)function)(source, target, pass);
        }
  return 0;
}

int cuMemAllocAsync(unsigned long long *address, size_t bytes, void *stream) {
  if (!pushed) return 201;
  if (fails("memory")) return 2;
  void *made = std::malloc(bytes);
  if (!made) return 2;
  std::memset(made, 0xA5, bytes);
  *address = (unsigned long long)(uintptr_t)made;
  log("allocate", (unsigned long long)(uintptr_t)stream);
  return 0;
}

int cuMemFreeAsync(unsigned long long address, void *stream) {
  if (!pushed) return 201;
  log("free", (unsigned long long)(uintptr_t)stream);
  std::free((void *)(uintptr_t)address);
  return 0;
}
}
