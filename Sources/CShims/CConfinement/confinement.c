#define _GNU_SOURCE
#include "CConfinement.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <malloc.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// ---- Landlock, which the C library has no functions for, and older headers not all numbers.
// https://docs.kernel.org/userspace-api/landlock.html

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

struct rules {
  uint64_t files, network, scopes;
};

int fgk_landlock_version(void) {
  const long version = syscall(SYS_landlock_create_ruleset, NULL, 0, 1 /* ask for the version */);
  return version < 0 ? 0 : (int)version;
}

int fgk_landlock_nothing(int version, int connects) {
  // 13 rights to begin with; then REFER, TRUNCATE and IOCTL_DEV came.
  const int rights = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13;
  const struct rules rules = {
      .files = (UINT64_C(1) << rights) - 1,
      .network = version < 4 ? 0 : connects ? 1 : 3, // binding and connecting TCP
      .scopes = version >= 6 ? 3 : 0,  // abstract UNIX sockets and signals
  };
  // Kernels refuse a structure with numbers that they do not know.
  const size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
  const long rules_fd = syscall(SYS_landlock_create_ruleset, &rules, size, 0);
  return rules_fd < 0 ? -errno : (int)rules_fd;
}

int fgk_landlock_allow_reading(int rules, const char *path) {
  struct {
    uint64_t rights;
    int32_t place;
  } __attribute__((packed)) rule = {
      (1 << 2) | (1 << 3), // files and folders
      open(path, O_PATH | O_CLOEXEC),
  };
  if (rule.place < 0) return errno;
  struct stat status;
  int error = fstat(rule.place, &status) ? errno : 0;
  if (!error && !S_ISDIR(status.st_mode)) rule.rights = 1 << 2;
  if (!error)
    error = syscall(SYS_landlock_add_rule, rules, 1 /* below a path */, &rule, 0) ? errno : 0;
  close(rule.place);
  return error;
}

// ---- What belongs to a thread, and so has to be given up by each of them.

static int give_up_in_thread(int rules) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return errno;
  if (rules >= 0 && syscall(SYS_landlock_restrict_self, rules, 0)) return errno;
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  const struct __user_cap_data_struct none[2] = {{0}, {0}};
  return syscall(SYS_capset, &header, none) ? errno : 0;
}

static int given_rules;
static atomic_int first_error;
static atomic_int answers;

static void give_up_on_signal(int signal) {
  (void)signal;
  const int before = errno;
  const int error = give_up_in_thread(given_rules);
  int none = 0;
  if (error) atomic_compare_exchange_strong(&first_error, &none, error);
  atomic_fetch_add(&answers, 1);
  errno = before;
}

// Waits until the thread has answered or is gone; fails where it does neither for a second.
static int await_answer(pid_t process, pid_t thread, int before) {
  for (int i = 0; i < 10000; i++) {
    if (atomic_load(&answers) != before) return 0;
    if (syscall(SYS_tgkill, process, thread, 0)) return 0;
    const struct timespec pause = {0, 100000};
    nanosleep(&pause, NULL);
  }
  return ETIMEDOUT;
}

enum { most_threads = 1024 };

// Has all threads but this one give up, those that were not asked yet. Returns an error number, or
// that of asked threads negated.
static int ask_others(pid_t *asked, int count) {
  DIR *threads = opendir("/proc/self/task");
  if (!threads) return errno;
  const pid_t process = getpid(), self = (pid_t)syscall(SYS_gettid);
  int error = 0;
  for (struct dirent *entry; !error && (entry = readdir(threads));) {
    const pid_t thread = atoi(entry->d_name);
    int known = thread <= 0 || thread == self;
    for (int i = 0; i < count && !known; i++) known = asked[i] == thread;
    if (known) continue;
    if (count == most_threads) {
      error = EAGAIN;
      break;
    }
    asked[count++] = thread;
    const int before = atomic_load(&answers);
    if (syscall(SYS_tgkill, process, thread, SIGSYS) == 0)
      error = await_answer(process, thread, before);
  }
  closedir(threads);
  return error ? error : -count;
}

int fgk_give_up(int rules) {
  given_rules = rules;
  atomic_store(&first_error, 0);
  // SIGSYS, as libpsx does: hardly anybody blocks it, libdispatch's threads, which block most,
  // included.
  struct sigaction action = {.sa_handler = give_up_on_signal, .sa_flags = SA_RESTART}, before;
  if (sigaction(SIGSYS, &action, &before)) return errno;
  pid_t asked[most_threads];
  int count = 0, error = 0;
  // Threads that a thread starts after it gave up have given up, too. Others are found the next time.
  for (int last = -1; count != last && !error;) {
    last = count;
    const int result = ask_others(asked, count);
    if (result > 0) error = result;
    else count = -result;
  }
  sigaction(SIGSYS, &before, NULL);
  if (!error) error = atomic_load(&first_error);
  // Last, as this thread still had to read the list of the others.
  return error ? error : give_up_in_thread(rules);
}

int fgk_adopt_orphans(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) ? errno : 0; }

int fgk_die_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) ? errno : 0; }

int fgk_add_close_from(void *actions, int first) {
  return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

void fgk_learn_processor_nodes(void) {
  void *numa = dlopen("libnuma.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (!numa) return;
  int (*available)(void) = (int (*)(void))dlsym(numa, "numa_available");
  int (*last_node)(void) = (int (*)(void))dlsym(numa, "numa_max_node");
  void *(*allocate)(void) = (void *(*)(void))dlsym(numa, "numa_allocate_cpumask");
  void (*release)(void *) = (void (*)(void *))dlsym(numa, "numa_bitmask_free");
  int (*ask)(int, void *) = (int (*)(int, void *))dlsym(numa, "numa_node_to_cpus");
  if (available && last_node && allocate && release && ask && available() >= 0) {
    void *processors = allocate();
    for (int node = 0; node <= last_node(); node++) ask(node, processors);
    release(processors);
  }
  dlclose(numa);
}

int fgk_shared_memory(size_t bytes) {
  const int memory = memfd_create("frostglass", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (memory < 0) return -errno;
  if (ftruncate(memory, (off_t)bytes) == 0 &&
      fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
    return memory;
  const int error = errno;
  close(memory);
  return -error;
}

int fgk_take_shared_memory(int memory, size_t from, size_t bytes) {
  return fallocate(memory, FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)bytes) ? errno : 0;
}

void fgk_empty_shared_memory(int memory, size_t from, size_t bytes) {
  fallocate(memory, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)bytes);
}

void fgk_give_memory_back(size_t touched) {
  static long before;
  struct rusage usage;
  if (getrusage(RUSAGE_SELF, &usage)) return;
  if ((size_t)(usage.ru_minflt - before) < touched / (size_t)sysconf(_SC_PAGESIZE)) return;
  before = usage.ru_minflt;
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

#if defined(__x86_64__)
#define FG_ARGUMENT(context, register) ((context)->uc_mcontext.gregs[register])
#define FG_DESCRIPTOR(context) FG_ARGUMENT(context, REG_RDI)
#define FG_PATH(context) FG_ARGUMENT(context, REG_RSI)
#define FG_TARGET(context) FG_ARGUMENT(context, REG_RDX)
#define FG_FLAGS(context) FG_ARGUMENT(context, REG_R10)
#define FG_RESULT(context) FG_ARGUMENT(context, REG_RAX)
#elif defined(__aarch64__)
#define FG_ARGUMENT(context, register) ((context)->uc_mcontext.regs[register])
#define FG_DESCRIPTOR(context) FG_ARGUMENT(context, 0)
#define FG_PATH(context) FG_ARGUMENT(context, 1)
#define FG_TARGET(context) FG_ARGUMENT(context, 2)
#define FG_FLAGS(context) FG_ARGUMENT(context, 3)
#define FG_RESULT(context) FG_ARGUMENT(context, 0)
#endif

// A filter sees a path's address and not what is there. So the kernel never gets to see the path: the call that is made
// instead has none.
static void answer_stat(int signal, siginfo_t *info, void *state) {
  (void)signal;
  ucontext_t *context = state;
  const int error = errno;
  long result = -EPERM;
  if (info->si_syscall == SYS_newfstatat && FG_FLAGS(context) == AT_EMPTY_PATH) {
    const char *path = (const char *)FG_PATH(context);
    if (path && !*path) {
      result = syscall(SYS_fstat, (int)FG_DESCRIPTOR(context), (void *)FG_TARGET(context));
      if (result < 0) result = -errno;
    }
  }
  FG_RESULT(context) = result;
  errno = error;
}

int fgk_answer_trapped_stat(void) {
  struct sigaction action = {.sa_sigaction = answer_stat, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART};
  sigemptyset(&action.sa_mask);
  return sigaction(SIGSYS, &action, NULL) ? errno : 0;
}
