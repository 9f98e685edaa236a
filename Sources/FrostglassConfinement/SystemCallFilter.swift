internal import CConfinement
internal import CSeccomp
internal import Glibc

/// The system calls that are left to a confined process.
///
/// What is not in these lists fails with EPERM, as if rights were missing, and libraries cope with
/// that. What only an attacker would try ends the process.
struct SystemCallFilter {
  /// True if files may be opened for reading and queried. Landlock decides which.
  let allowsReading: Bool
  /// True if a GPU driver runs in the process.
  let allowsGPU: Bool
  /// True if other machines may be connected to.
  let allowsNetwork: Bool

  /// Compute, wait, and use what is open. None of these names a file, a process or an address.
  private static let allowed = [
    // Memory.
    "brk", "madvise", "mremap", "munmap",
    // Threads, their waiting and their signals.
    "exit", "exit_group", "futex", "getcpu", "get_robust_list", "membarrier", "restart_syscall",
    "rseq", "rt_sigaction", "rt_sigpending", "rt_sigprocmask", "rt_sigreturn", "rt_sigsuspend",
    "rt_sigtimedwait", "sched_getaffinity", "sched_getattr", "sched_getparam",
    "sched_getscheduler", "sched_yield", "set_robust_list", "set_tid_address", "sigaltstack",
    // Time.
    "clock_getres", "clock_gettime", "clock_nanosleep", "getrusage", "gettimeofday", "nanosleep",
    "time", "times",
    // What is open.
    "close", "fstat", "lseek", "poll", "ppoll", "pselect6", "read", "readv", "select", "write",
    "writev",
    // Facts about the process and the machine.
    "getegid", "geteuid", "getgid", "getpid", "getppid", "getrandom", "gettid", "getuid",
    "sysinfo", "uname",
  ]

  /// Other programs, other processes, networks, and doors into the kernel.
  private static let deadly = [
    "execve", "execveat", "fork", "vfork",
    "kcmp", "pidfd_getfd", "pidfd_open", "pidfd_send_signal", "process_madvise",
    "process_vm_readv", "process_vm_writev", "ptrace",
    "accept", "accept4", "bind", "connect", "listen", "sendmmsg", "sendmsg",
    "bpf", "chroot", "delete_module", "finit_module", "init_module", "io_uring_enter",
    "io_uring_register", "io_uring_setup", "kexec_file_load", "kexec_load", "keyctl", "mount",
    "open_by_handle_at", "perf_event_open", "pivot_root", "reboot", "request_key", "setns",
    "umount2", "unshare", "userfaultfd",
  ]

  /// The calls that reading needs besides opening. Landlock does not hide whether a file exists or how large it is.
  private static let reading = [
    "access", "faccessat", "faccessat2", "fstatfs", "getdents64", "lstat", "newfstatat",
    "pread64", "readlink", "readlinkat", "stat", "statfs", "statx",
  ]

  /// The calls that network clients need: they may connect, but not accept connections.
  private static let connecting = [
    "connect", "getpeername", "getsockname", "getsockopt", "recvfrom", "recvmsg", "sendmmsg",
    "sendmsg", "setsockopt", "shutdown",
  ]

  /// A call that is allowed with some arguments.
  private struct Condition {
    var call: String
    var comparisons: [scmp_arg_cmp]

    init(_ call: String, _ comparisons: scmp_arg_cmp...) {
      self.call = call
      self.comparisons = comparisons
    }
  }

  /// Returns a comparison that the bits of `mask` in an argument, counted from 0, have this value.
  private static func bits(_ mask: UInt64, of argument: UInt32, are value: UInt64) -> scmp_arg_cmp {
    scmp_arg_cmp(arg: argument, op: SCMP_CMP_MASKED_EQ, datum_a: mask, datum_b: value)
  }

  /// An argument that is a number of 32 bits, as the kernel looks at no others, is this.
  private static func number(_ argument: UInt32, is value: UInt64) -> scmp_arg_cmp {
    bits(0xFFFF_FFFF, of: argument, are: value)
  }

  /// An argument that is an address is none.
  private static func noAddress(_ argument: UInt32) -> scmp_arg_cmp {
    bits(.max, of: argument, are: 0)
  }

  /// Opening for reading: no other access (O_ACCMODE), nothing made (O_CREAT) or shortened (O_TRUNC),
  /// nor without access (O_PATH).
  private static var readingConditions: [Condition] {
    let others = UInt64(O_ACCMODE | O_CREAT | O_TRUNC) | 0x20_0000
    return [
      Condition("open", bits(others, of: 1, are: UInt64(O_RDONLY))),
      Condition("openat", bits(others, of: 2, are: UInt64(O_RDONLY))),
    ]
  }

  /// The calls of GPU drivers on devices that are open.
  private static var gpuConditions: [Condition] {
    // Kinds of devices: DRM, NVIDIA's, buffers that devices share, and fences.
    "dFb>".utf8.map { Condition("ioctl", bits(0xFF00, of: 1, are: UInt64($0) << 8)) } + [
      // Mesa's llvmpipe makes programs for the CPU: memory that was written, and no longer can be.
      Condition("mprotect", bits(UInt64(PROT_WRITE | PROT_EXEC), of: 2, are: UInt64(PROT_EXEC))),
      // The same device, or fence, once more (F_DUPFD_CLOEXEC).
      Condition("fcntl", number(1, is: 1030)),
    ]
  }

  /// The calls of network clients on sockets, and the sockets that they open. A name resolver also asks how many
  /// bytes have arrived (FIONREAD), and is woken through a socket pair or a pipe.
  private static var networkConditions: [Condition] {
    [AF_INET, AF_INET6].map { Condition("socket", number(0, is: UInt64($0))) } + [
      Condition("socketpair", number(0, is: UInt64(AF_UNIX))),
      Condition("pipe2"), Condition("sendto"),
      Condition("ioctl", number(1, is: 0x541B)),
      // Descriptors do not wait, and are not inherited (F_SETFL, F_SETFD).
      Condition("fcntl", number(1, is: 4)), Condition("fcntl", number(1, is: 2)),
      Condition("fcntl", number(1, is: 1)),
    ]
  }

  /// The calls that drivers use to compare their own descriptors, and can do without.
  private static let askedByDrivers: Set = ["kcmp"]

  private static var conditions: [Condition] {
    [
      // A thread and no process, and in no namespace of its own (CLONE_THREAD, CLONE_NEW…).
      Condition("clone", bits(0x7E03_0000, of: 0, are: 0x0001_0000)),
      // Memory that code runs in is there already.
      Condition("mmap", bits(UInt64(PROT_EXEC), of: 2, are: 0)),
      Condition("mprotect", bits(UInt64(PROT_EXEC), of: 2, are: 0)),
      // A signal to one of its own threads, as `abort` sends.
      Condition("tgkill", number(0, is: UInt64(getpid()))),
      // A thread's name (PR_SET_NAME).
      Condition("prctl", number(0, is: 15)),
      // Limits are read, not set.
      Condition("prlimit64", noAddress(2)),
      // `send`, to what is connected.
      Condition("sendto", noAddress(4)),
      // Flags of what is open are read (F_GETFL).
      Condition("fcntl", number(1, is: 3)),
    ]
  }

  /// True if the kernel supports filters.
  static var isOffered: Bool { fgk_seccomp_is_offered() != 0 }

  /// Filters the calls of all threads from now on.
  ///
  /// - Returns: false where the kernel cannot.
  func install() throws(ConfinementError) -> Bool {
    guard Self.isOffered else { return false }
    guard let filter = seccomp_init(fgk_seccomp_fail(UInt16(EPERM))) else {
      throw ConfinementError(wall: "seccomp", code: ENOMEM)
    }
    defer { seccomp_release(filter) }
    try check(seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1))
    // Searched as a tree: a list of this length costs each call more.
    _ = seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2)
    var (names, conditions) = (Self.allowed, Self.conditions)
    if allowsReading {
      names += Self.reading
      conditions += Self.readingConditions
    } else {
      // The C library's `fstat` is one of these with an empty path, and a filter does not see paths.
      let code = fgk_answer_trapped_stat()
      guard code == 0 else { throw ConfinementError(wall: "seccomp", code: code) }
      try add("newfstatat", fgk_seccomp_trap(), to: filter)
    }
    if allowsGPU { conditions += Self.gpuConditions }
    if allowsNetwork {
      names += Self.connecting
      conditions += Self.networkConditions
    }
    for name in names { try add(name, fgk_seccomp_allow(), to: filter) }
    for name in Self.deadly where !names.contains(name) {
      if allowsGPU, Self.askedByDrivers.contains(name) { continue }
      try add(name, fgk_seccomp_kill(), to: filter)
    }
    // Its flags are out of a filter's sight. The C library then takes `clone`.
    try add("clone3", fgk_seccomp_fail(UInt16(ENOSYS)), to: filter)
    for condition in conditions {
      try add(condition.call, fgk_seccomp_allow(), to: filter, condition.comparisons)
    }
    // Libraries make UNIX sockets to log with, and cope where they get none.
    guard !allowsNetwork else {
      try check(seccomp_load(filter))
      return true
    }
    for name in ["socket", "socketpair"] {
      let network = scmp_arg_cmp(
        arg: 0, op: SCMP_CMP_NE, datum_a: UInt64(AF_UNIX), datum_b: 0)
      try add(name, fgk_seccomp_kill(), to: filter, [network])
    }
    try check(seccomp_load(filter))
    return true
  }

  /// Adds a rule; a call that this processor's kernel does not have needs none.
  private func add(
    _ name: String, _ action: UInt32, to filter: scmp_filter_ctx,
    _ comparisons: [scmp_arg_cmp] = []
  ) throws(ConfinementError) {
    let number = seccomp_syscall_resolve_name(name)
    guard number >= 0 else { return }
    try check(
      seccomp_rule_add_array(filter, action, number, UInt32(comparisons.count), comparisons))
  }

  private func check(_ result: Int32) throws(ConfinementError) {
    guard result == 0 else { throw ConfinementError(wall: "seccomp", code: -result) }
  }
}
