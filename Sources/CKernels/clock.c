// What a processor's clock is worth: see `fg_wait_in_turn`.
#include "CKernels.h"

uint64_t fg_wait_in_turn(uint64_t count) {
  uint64_t bits = 0, other = count | 1;
  for (uint64_t k = 0; k + 8 <= count; k += 8) {
#pragma clang loop unroll(full)
    for (int n = 0; n < 8; n++) {
      bits ^= other;
      // Neither is known to compilers, which would otherwise do all of it at once.
      __asm__ volatile("" : "+r"(bits), "+r"(other));
    }
  }
  return bits;
}
