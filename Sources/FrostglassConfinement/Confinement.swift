internal import CConfinement
package import Glibc

/// The walls around a process that works on strangers' files.
///
/// Once inside, it and whatever an attacker makes of it can open no file and no socket, start no
/// program and no process, look into or signal no other process, and take no more memory than it
/// was given. Files of some folders can be exempt, see `readable`. It can compute, start threads, and read from and write to what was open before; so
/// everything that is opened late, such as plugins and fonts, has to be opened before.
///
/// Each mechanism is independent. Where the kernel lacks one, `Sandbox` says so and the others remain.
package struct Confinement: Sendable {
  /// Bytes that the process may take from now on for what it writes to: heap, threads' stacks, and
  /// private memory.
  package var memory: Int
  /// Descriptors that may be open at once; what is open stays open.
  package var descriptors: Int

  /// Files, and folders below which it may read, such as those of fonts; those that do not exist do not
  /// matter. Where the kernel has no Landlock it may not, or, with a network, may read what its user may.
  package var readable: [String]

  /// True if a GPU driver that has already opened its devices runs inside. It may control devices, and make memory
  /// that it has written executable.
  package var usesGPU: Bool

  /// True if it may connect to other machines, and ask for their addresses.
  package var usesNetwork: Bool

  package init(
    memory: Int, descriptors: Int = 64, readable: [String] = [], usesGPU: Bool = false,
    usesNetwork: Bool = false
  ) {
    self.memory = memory
    self.descriptors = descriptors
    self.readable = readable
    self.usesGPU = usesGPU
    self.usesNetwork = usesNetwork
  }

  /// Goes inside, with all threads of the process, for good.
  ///
  /// - Returns: the walls that there are.
  /// - Throws: `ConfinementError`; then the process is neither inside nor outside and should end.
  package func enter() throws(ConfinementError) -> Sandbox {
    try limitResources()
    let version = fgk_landlock_version()
    var rules: Int32 = -1
    if version > 0 {
      rules = fgk_landlock_nothing(version, usesNetwork ? 1 : 0)
      guard rules >= 0 else { throw ConfinementError(wall: "Landlock", code: -rules) }
      for path in readable {
        let refusal = fgk_landlock_allow_reading(rules, path)
        guard [0, ENOENT, ENOTDIR].contains(refusal) else {
          throw ConfinementError(wall: "Landlock", code: refusal)
        }
      }
    }
    defer { if rules >= 0 { close(rules) } }
    let refusal = fgk_give_up(rules)
    guard refusal == 0 else {
      throw ConfinementError(wall: "giving up privileges", code: refusal)
    }
    let reads = (version > 0 || usesNetwork) && !readable.isEmpty
    let filter = SystemCallFilter(
      allowsReading: reads, allowsGPU: usesGPU, allowsNetwork: usesNetwork)
    return Sandbox(landlock: Int(version), seccomp: try filter.install())
  }

  /// Processes are not among these limits: they are counted per user, not per process.
  private func limitResources() throws(ConfinementError) {
    let limits = [
      (RLIMIT_DATA, memory), (RLIMIT_NOFILE, descriptors), (RLIMIT_FSIZE, 0), (RLIMIT_CORE, 0),
    ]
    for (resource, value) in limits {
      var limit = rlimit(rlim_cur: rlim_t(value), rlim_max: rlim_t(value))
      guard setrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0 else {
        throw ConfinementError(wall: "resource limits", code: errno)
      }
    }
  }
}

/// The confinement mechanisms that a kernel offers.
package struct Sandbox: Sendable, Hashable, Codable, CustomStringConvertible {
  /// The version of Landlock; 0 where the kernel has none or does not use it.
  package var landlock: Int
  /// True if system calls are filtered.
  package var seccomp: Bool

  package init(landlock: Int, seccomp: Bool) {
    self.landlock = landlock
    self.seccomp = seccomp
  }

  /// The walls, and those that are missing.
  package var description: String {
    let landlock = landlock > 0 ? "Landlock \(landlock)" : "no Landlock"
    return "\(landlock), \(seccomp ? "seccomp" : "no seccomp"), resource limits"
  }

  /// The mechanisms of this machine's kernel. Reading them does not change this process.
  package static var ofKernel: Sandbox {
    Sandbox(landlock: Int(fgk_landlock_version()), seccomp: SystemCallFilter.isOffered)
  }
}

/// A wall that the kernel has and that could not be built.
package struct ConfinementError: Error, Sendable, Hashable, CustomStringConvertible {
  package var wall: String
  /// The error number, as in `errno`.
  package var code: Int32

  package var description: String { "\(wall): \(String(cString: strerror(code)))" }
}

/// Has the kernel kill this process when the thread that started it ends.
///
/// - Parameter parent: the process that started it.
/// - Returns: true if that process still lives; otherwise nothing will kill this one.
package func dieWithParent(_ parent: Int32) -> Bool {
  fgk_die_with_parent() == 0 && getppid() == parent
}

/// Makes this process wait for those below it whose parent has ended.
package func adoptOrphans() { _ = fgk_adopt_orphans() }

/// Has a process that is to be started close a descriptor and all above it.
package func closeDescriptors(
  from first: Int32, by actions: inout posix_spawn_file_actions_t
) { fgk_add_close_from(&actions, first) }

/// Gives memory that the allocator keeps back to the system, now and then: whatever is given back costs
/// time to be touched again.
///
/// - Parameter touched: bytes of new memory that the process has touched since it last did.
package func giveMemoryBack(afterTouching touched: Int) { fgk_give_memory_back(touched) }

/// Has libraries that ask which processors belong together get their answer, once and for all; Linux tells
/// it in files.
package func learnProcessorNodes() { fgk_learn_processor_nodes() }
