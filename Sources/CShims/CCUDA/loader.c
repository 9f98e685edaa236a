// libcuda.so.1, opened when device memory first comes.

#include "CCUDA.h"

#include <dlfcn.h>
#include <string.h>

const char *CCUDAOpen(const char *path, struct CCUDALibrary *library) {
  void *opened = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!opened) return path;
  // In the order of the structure's members.
  static const char *const names[] = {
    "cuInit", "cuDriverGetVersion", "cuGetErrorName", "cuPointerGetAttribute", "cuDeviceGet",
    "cuDevicePrimaryCtxRetain", "cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2", "cuModuleLoadData",
    "cuModuleGetFunction", "cuLaunchKernel", "cuMemAllocAsync", "cuMemFreeAsync",
  };
  enum { count = sizeof names / sizeof *names };
  void *functions[count];
  _Static_assert(sizeof functions == sizeof *library, "a name for each member");
  for (int index = 0; index < count; index++) {
    functions[index] = dlsym(opened, names[index]);
    if (!functions[index]) return names[index];
  }
  memcpy(library, functions, sizeof functions);
  return NULL;
}

// Of the C standard of 2023, which this compiler has in all.
#pragma clang diagnostic ignored "-Wc23-extensions"
static const char kernels[] = {
#embed "blur.ptx"
  , 0
};

const char *CCUDAKernels(void) { return kernels; }
