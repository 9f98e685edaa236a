#ifndef C_ALLOCATION_COUNT_H
#define C_ALLOCATION_COUNT_H

#include <stdint.h>

/// How often this process has asked for memory so far, on all threads.
uint64_t fgk_allocations(void);

#endif
