// What a processor's clock is worth: see `fg_add_in_turn`.
#include "CKernels.h"

uint64_t fg_add_in_turn(uint64_t count) {
  uint64_t sum = 0;
  for (; count >= 8; count -= 8) {
#pragma clang loop unroll(full)
    for (int k = 0; k < 8; k++) {
      sum += 1;
      // Or compilers would multiply.
      __asm__ volatile("" : "+r"(sum));
    }
  }
  return sum + count;
}
