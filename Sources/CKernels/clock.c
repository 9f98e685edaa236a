// What a processor gives of itself: see `fgk_wait_in_turn`.
#include "CKernels.h"

// An operand that compilers know nothing of, in a register where its name is known: else they would do all at once.
#if defined(__x86_64__)
#define UNKNOWN "+x"
#elif defined(__aarch64__)
#define UNKNOWN "+w"
#else
#define UNKNOWN "+m"
#endif

uint64_t fgk_wait_in_turn(uint64_t count) {
  uint64_t bits = 0, other = count | 1;
  for (uint64_t k = 0; k + 8 <= count; k += 8) {
#pragma clang loop unroll(full)
    for (int n = 0; n < 8; n++) {
      bits ^= other;
      __asm__ volatile("" : "+r"(bits), "+r"(other));
    }
  }
  return bits;
}

uint64_t fgk_add_vectors(uint64_t count) {
  typedef uint16_t vector __attribute__((vector_size(16)));
  vector sums[8], one = (vector){0} + 1;
  for (int n = 0; n < 8; n++) sums[n] = (vector){0};
  for (uint64_t k = 0; k + 8 <= count; k += 8) {
#pragma clang loop unroll(full)
    for (int n = 0; n < 8; n++) {
      sums[n] += one;
      __asm__ volatile("" : UNKNOWN(sums[n]));
    }
  }
  return sums[0][0];
}
