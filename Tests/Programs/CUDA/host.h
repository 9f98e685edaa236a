// CUDA's words for C++, so that a processor runs the kernels' own text, thread by thread.
#pragma once

#define __device__
#define __global__
#define __forceinline__ inline
#define __restrict__
#define __launch_bounds__(threads)
#define __grid_constant__

struct uint2 {
  unsigned x, y;
};
static inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }

struct Place {
  unsigned x, y, z;
};
static thread_local Place blockIdx, blockDim, threadIdx;
