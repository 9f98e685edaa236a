// The part of NVIDIA's driver API that runs kernels, opened by name: nothing of CUDA is needed to build or start.
#pragma once

#include <stddef.h>

#include "CCUDAPass.h"

#pragma GCC visibility push(hidden)

/// A driver's result; 0 is success.
typedef int CCUDAResult;

enum {
  CCUDAOutOfMemory = 2,
  CCUDANotInitialized = 3,
  CCUDANoDevice = 100,
  CCUDANoBinary = 209,
  CCUDABadPTX = 218,
  CCUDAUnsupportedPTX = 222
};

/// Attributes of a pointer.
enum { CCUDAPointerContext = 1, CCUDAPointerMemoryType = 2, CCUDAPointerDevice = 9 };

/// The memory type of a device.
enum { CCUDADeviceMemory = 2 };

/// The driver's functions. Contexts, modules, functions and streams are addresses.
struct CCUDALibrary {
  CCUDAResult (*_Null_unspecified init)(unsigned flags);
  CCUDAResult (*_Null_unspecified driverVersion)(int *_Nonnull version);
  CCUDAResult (*_Null_unspecified errorName)(CCUDAResult result, const char *_Nullable *_Nonnull name);
  CCUDAResult (*_Null_unspecified pointerAttribute)(void *_Nonnull value, int attribute, unsigned long long address);
  CCUDAResult (*_Null_unspecified deviceGet)(int *_Nonnull device, int ordinal);
  CCUDAResult (*_Null_unspecified primaryContext)(void *_Nullable *_Nonnull context, int device);
  CCUDAResult (*_Null_unspecified pushContext)(void *_Nullable context);
  CCUDAResult (*_Null_unspecified popContext)(void *_Nullable *_Nonnull context);
  CCUDAResult (*_Null_unspecified loadModule)(void *_Nullable *_Nonnull module, const void *_Nonnull image);
  CCUDAResult (*_Null_unspecified moduleFunction)(
      void *_Nullable *_Nonnull function, void *_Nullable module, const char *_Nonnull name);
  CCUDAResult (*_Null_unspecified launch)(
      void *_Nullable function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY,
      unsigned blockZ, unsigned sharedBytes, void *_Nullable stream, void *_Nullable *_Nullable parameters,
      void *_Nullable *_Nullable extra);
  CCUDAResult (*_Null_unspecified allocate)(unsigned long long *_Nonnull address, size_t bytes, void *_Nullable stream);
  CCUDAResult (*_Null_unspecified free)(unsigned long long address, void *_Nullable stream);
};

/// Opens a library and finds its functions. It stays open.
///
/// Returns `NULL` on success; otherwise the name of the function that it lacks, or the path if it cannot be opened.
const char *_Nullable CCUDAOpen(const char *_Nonnull path, struct CCUDALibrary *_Nonnull library);

/// The kernels as PTX text, with a zero at its end.
const char *_Nonnull CCUDAKernels(void);
#pragma GCC visibility pop
