// Where threads are woken: see `fgk_sleeper`.
#define _GNU_SOURCE
#include "CKernels.h"

#if defined(__linux__)
#include <sched.h>
#include <unistd.h>

_Static_assert(
  sizeof(cpu_set_t) == sizeof((struct fgk_sleeper){0}.allowed), "processors are counted otherwise");

void fgk_sleep_begins(struct fgk_sleeper *sleeper) { sleeper->thread = gettid(); }

void fgk_wake_elsewhere(struct fgk_sleeper *sleeper) {
  if (sleeper->thread == 0 || sleeper->is_kept) return;
  const int here = sched_getcpu();
  cpu_set_t *const allowed = (cpu_set_t *)sleeper->allowed;
  // A set has no room for more than 1024 processors; of so many, others are idle.
  if (here < 0 || sched_getaffinity(sleeper->thread, sizeof *allowed, allowed)) return;
  cpu_set_t others = *allowed;
  CPU_CLR(here, &others);
  sleeper->is_kept = CPU_COUNT(&others) > 0 && !CPU_EQUAL(&others, allowed)
    && sched_setaffinity(sleeper->thread, sizeof others, &others) == 0;
}

void fgk_sleep_ends(struct fgk_sleeper *sleeper) {
  sleeper->thread = 0;
  if (!sleeper->is_kept) return;
  sleeper->is_kept = 0;
  (void)sched_setaffinity(0, sizeof sleeper->allowed, (const cpu_set_t *)sleeper->allowed);
}

#else

void fgk_sleep_begins(struct fgk_sleeper *sleeper) { (void)sleeper; }
void fgk_wake_elsewhere(struct fgk_sleeper *sleeper) { (void)sleeper; }
void fgk_sleep_ends(struct fgk_sleeper *sleeper) { (void)sleeper; }

#endif
