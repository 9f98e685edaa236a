// libseccomp. Its actions are macros that do not import into Swift.
#ifndef FROSTGLASS_CSECCOMP_SHIM_H
#define FROSTGLASS_CSECCOMP_SHIM_H

#include <linux/seccomp.h>
#include <seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

// Whether the kernel can filter calls and end processes for them.
static inline int fgk_seccomp_is_offered(void) {
  uint32_t action = SECCOMP_RET_KILL_PROCESS;
  return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

static inline uint32_t fgk_seccomp_allow(void) { return SCMP_ACT_ALLOW; }
static inline uint32_t fgk_seccomp_kill(void) { return SCMP_ACT_KILL_PROCESS; }
// The call is left to the process's handler of SIGSYS.
static inline uint32_t fgk_seccomp_trap(void) { return SCMP_ACT_TRAP; }
// The call fails with this error number.
static inline uint32_t fgk_seccomp_fail(uint16_t error) { return SCMP_ACT_ERRNO(error); }

#endif
