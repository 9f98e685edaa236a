import Glibc

/// Attacks by code that has taken over a decoder.
enum Attack {
  private typealias Function = @convention(c) (Int, Int, Int, Int, Int, Int) -> Int

  /// Calls a function of the C library, also one that Swift does not import.
  private static func call(_ name: String, _ arguments: Int...) -> Int {
    let function = unsafeBitCast(dlsym(nil, name), to: Function.self)
    let words = arguments + Array(repeating: 0, count: 6 - arguments.count)
    // Most return 32 bits.
    return Int(
      Int32(
        truncatingIfNeeded: function(words[0], words[1], words[2], words[3], words[4], words[5])))
  }

  /// A file that everybody can read.
  static let file = "/etc/passwd"

  /// A file that is made where that is possible.
  static let made = "/tmp/frostglass-worker-\(getpid())"

  /// Calls that should fail with a negative number.
  private static let tries: [(name: String, attempt: @Sendable () -> Int)] = [
    ("open", { Int(open(file, O_RDONLY)) }),
    ("openat", { Int(openat(AT_FDCWD, file, O_RDONLY | O_CLOEXEC)) }),
    ("open by path only", { Int(open(file, 0x20_0000)) }),
    (
      "reading what is opened without waiting",
      {
        var byte: UInt8 = 0
        return read(open(file, O_RDONLY | O_NONBLOCK), &byte, 1) == 1 ? 0 : -1
      }
    ),
    ("creat", { Int(creat(made, 0o600)) }),
    ("chmod", { Int(chmod(made, 0o600)) }),
    ("opendir", { opendir("/") == nil ? -1 : 0 }),
    ("open memory", { Int(open("/proc/self/mem", O_RDWR)) }),
    (
      "stat",
      {
        var status = stat()
        return Int(stat(file, &status))
      }
    ),
    (
      "stat as of what is open",
      {
        var status = stat()
        return Int(fstatat(AT_FDCWD, file, &status, 0x1000))
      }
    ),
    ("access", { Int(access(file, R_OK)) }),
    ("mkdir", { Int(mkdir(made, 0o700)) }),
    ("unlink", { Int(unlink(made)) }),
    // To nothing: what follows must not reach anything of the machine where there are no walls.
    ("symlink", { Int(symlink("/nowhere/at/all", made)) }),
    ("chdir", { Int(chdir("/")) }),
    ("fork", { fork() }),
    ("kill of the parent", { Int(kill(getppid(), 0)) }),
    ("signal of all", { Int(kill(-1, 0)) }),
    (
      "more memory",
      {
        var limit = rlimit(rlim_cur: 8 << 30, rlim_max: 8 << 30)
        return Int(setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit))
      }
    ),
    (
      "code in memory",
      {
        let place = mmap(
          nil, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        return place == MAP_FAILED ? -1 : 0
      }
    ),
    (
      "memory made code",
      {
        let place = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        return place.map { Int(mprotect($0, 4096, PROT_READ | PROT_EXEC)) } ?? -1
      }
    ),
    ("outliving the parent", { call("prctl", 1, 0) }),
    ("passing a descriptor", { Int(dup2(3, 40)) }),
    ("cutting an order's memory short", { changeSize(ofMemory: 4, to: 0) }),
    ("letting an answer's memory grow", { changeSize(ofMemory: 5, to: 1 << 40) }),
    ("sealing memory against its maker", { call("fcntl", 4, 1033, 8) }),
    ("memory of its own to share", { call("memfd_create", 0, 0) }),
    ("setuid", { Int(setuid(0)) }),
    ("library", { dlopen("/usr/lib/x86_64-linux-gnu/libjpeg-fresh.so", RTLD_NOW) == nil ? -1 : 0 }),
  ]

  /// Returns the outcomes, such as `fork: refused` or `fork: done`.
  static func report() -> [String] {
    tries.map { name, attempt in
      errno = 0
      return attempt() < 0 ? "\(name): refused" : "\(name): done"
    }
  }

  /// Without a sandbox, these may be descriptors of the program's parent. Only memory, which has no name, is changed.
  private static func changeSize(ofMemory descriptor: Int32, to size: Int) -> Int {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_nlink == 0 else { return -1 }
    return Int(ftruncate(descriptor, size))
  }

  private static func fork() -> Int {
    let child = call("fork")
    if child == 0 { _exit(0) }
    return child
  }

  /// Makes a call that ends the process before it returns.
  static func deadly(_ name: String) -> Int {
    switch name {
    case "socket": Int(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
    case "unix socket": Int(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
    case "execve": run("/bin/true")
    case "ptrace": call("ptrace", 16, Int(getppid()))
    case "vfork": call("vfork")
    case "io_uring": call("syscall", 425, 8)
    case "process_vm_readv": call("process_vm_readv", Int(getppid()))
    // As the C library does where fstat(2) is no call of its own.
    case "fstat":
      {
        var status = stat()
        return Int(fstatat(3, "", &status, 0x1000))
      }()
    case "unshare": call("unshare", 0x1000_0000)
    default: -1
    }
  }

  private static func run(_ program: String) -> Int {
    var words: [UnsafeMutablePointer<CChar>?] = [strdup(program), nil]
    return Int(execv(program, &words))
  }
}
