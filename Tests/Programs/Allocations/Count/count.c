// Counts what a process allocates: these take the place of the C library's functions in a program that
// links them, and call what it has behind those.
#include "CAllocationCount.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static _Atomic uint64_t count;

uint64_t fgk_allocations(void) { return atomic_load(&count); }

// A sanitizer has functions of its own in that place.
#if !defined(__has_feature)
#define __has_feature(feature) 0
#endif
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)

static void counted(void) { atomic_fetch_add_explicit(&count, 1, memory_order_relaxed); }

void *malloc(size_t size) {
  counted();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  counted();
  return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
  counted();
  return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
  counted();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  counted();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  counted();
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}

#endif
