#include "CKernels.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// Floats are rounded the same way everywhere.
#pragma STDC FP_CONTRACT OFF

#define FG_NAME(x) portable_##x
#define FG_TARGET
#define FG_LANES 8
#define FG_SSE 0
#if defined(__aarch64__)
#define FG_LABEL "NEON"
#else
#define FG_LABEL "portable"
#endif
#include "row_kernels.inc"

#if defined(__x86_64__)

#define FG_NAME(x) sse2_##x
#define FG_TARGET
#define FG_LANES 8
#define FG_SSE 1
#define FG_LABEL "SSE2"
#include "row_kernels.inc"

#define FG_NAME(x) avx2_##x
#define FG_TARGET __attribute__((target("avx2,fma")))
#define FG_LANES 16
#define FG_SSE 1
#define FG_LABEL "AVX2"
#include "row_kernels.inc"

// Vectors of 512 bits where that was measured to pay: in the Gaussian, medians, and views through maps.
// Everything else is AVX2's with twice as many registers. Processors with AVX-512 of before 2019 cannot add
// products to sums (VNNI), and take AVX2.
#define FG_NAME(x) avx512_##x
#define FG_TARGET \
  __attribute__((target("avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")))
#define FG_LANES 16
#define FG_SSE 1
#define FG_DOUBLE 1
#define FG_LABEL "AVX-512"
#include "row_kernels.inc"

const struct fgk_row_kernels *fgk_baseline_kernels(void) { return &sse2_kernels; }

const struct fgk_row_kernels *fgk_narrow_kernels(void) {
  const int has_all = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return has_all ? &avx2_kernels : &sse2_kernels;
}

const struct fgk_row_kernels *fgk_best_kernels(void) {
  const int has_all = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
    && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
    && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
    && __builtin_cpu_supports("avx512vnni");
  return has_all ? &avx512_kernels : fgk_narrow_kernels();
}

#else

// Elsewhere, as on AArch64 with NEON, the compiler's vectors are the processor's.
const struct fgk_row_kernels *fgk_baseline_kernels(void) { return &portable_kernels; }

const struct fgk_row_kernels *fgk_narrow_kernels(void) { return &portable_kernels; }

const struct fgk_row_kernels *fgk_best_kernels(void) { return &portable_kernels; }

#endif

const struct fgk_row_kernels *fgk_portable_kernels(void) { return &portable_kernels; }
