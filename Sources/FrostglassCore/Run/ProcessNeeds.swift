internal import Glibc

/// The resources that a process needs to do any work at all: threads, descriptors and addresses.
///
/// A later shortage is not reported: Swift's tasks wait forever for a thread, and libraries end the process. So a
/// program asks for all of them when it starts, and gives them back.
package enum ProcessNeeds {
  /// Threads of a run: those that compute, and those that read, write, wait and hear signals.
  package static var threads: Int { 2 * ProcessorCores.count + 8 }
  /// Descriptors in addition to those that are open: files, folders, pipes between processes.
  private static let descriptors = 12
  /// Addresses for code that is loaded later, and for a small picture.
  private static let least = 64 << 20

  /// Tries to take everything; for the beginning of a process, before it has threads.
  ///
  /// - Returns: the resource that is missing, and the limit to raise; `nil` where nothing is missing.
  package static func shortage() -> String? {
    let hasLimit = limit(RLIMIT_AS) != nil
    // Each thread's own heap reserves 64 MiB of addresses, which then are all gone.
    if hasLimit { shareHeap() }
    return descriptorShortage() ?? (hasLimit ? addressShortage() : nil) ?? threadShortage()
  }

  /// Has all threads use one heap, where the C library is glibc; Swift does not see its function.
  private static func shareHeap() {
    typealias Setter = @convention(c) (Int32, Int32) -> Int32
    guard let symbol = dlsym(nil, "mallopt") else { return }
    // M_ARENA_MAX.
    _ = unsafeBitCast(symbol, to: Setter.self)(-8, 1)
  }

  /// Bytes that a thread reserves for its stack.
  private static var stack: Int {
    var (attributes, size) = (pthread_attr_t(), 0)
    pthread_attr_init(&attributes)
    pthread_attr_getstacksize(&attributes, &size)
    pthread_attr_destroy(&attributes)
    return size + (1 << 16)
  }

  /// A limit of the process in bytes; `nil` where there is none.
  private static func limit(_ resource: __rlimit_resource) -> Int? {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0,
      limit.rlim_cur < rlim_t(Int.max)
    else { return nil }
    return Int(limit.rlim_cur)
  }

  private static func addressShortage() -> String? {
    let need = threads * stack + least
    let taken = mmap(
      nil, need, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
    if taken != MAP_FAILED {
      munmap(taken, need)
      return nil
    }
    let allowed = limit(RLIMIT_AS).map { ", of the \(ByteCount($0)) that the process may have" }
    return
      "no room for \(ByteCount(need)) of addresses, which \(threads) threads and a small image take"
      + "\(allowed ?? ""); allow more (ulimit -v)"
  }

  private static func descriptorShortage() -> String? {
    var open: [Int32] = []
    defer { for descriptor in open { close(descriptor) } }
    while open.count < descriptors {
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else {
        let allowed = limit(RLIMIT_NOFILE).map { ", with \($0) allowed" } ?? ""
        return "\(open.count) more files can be open\(allowed), and \(descriptors) are needed; "
          + "allow more (ulimit -n)"
      }
      open += ends
    }
    return nil
  }

  private static func threadShortage() -> String? {
    let gate = Monitor(false)
    var made = 0
    defer {
      gate.change { $0 = true }
    }
    while made < threads {
      guard BackgroundThread.start({ gate.wait(until: { $0 }) { _ in } }) else {
        return
          "\(made) threads can be started, and \(threads) are needed; allow more (ulimit -u, or the "
          + "container's limit of processes)"
      }
      made += 1
    }
    return nil
  }

  /// Bytes that a job may still take of the addresses that the process may have; `nil` without a limit.
  static var room: Int? {
    guard let limit = limit(RLIMIT_AS), let status = text(ofFile: "/proc/self/status") else {
      return nil
    }
    func number(_ name: String) -> Int {
      let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
      return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }
    let missing = max(threads - number("Threads:"), 0)
    return max(limit - (number("VmSize:") << 10) - missing * stack - least / 2, 0)
  }
}

/// A check for memory before it is allocated. Swift's arrays end the process where there is none.
package enum MemoryRoom {
  /// Smaller amounts are not asked for: a machine that lacks these is at its end anyway.
  private static let least = 64 << 20

  /// Checks that the system has memory for an image, as far as it knows beforehand; it may promise memory that it
  /// cannot give later.
  package static func check(_ picture: Plan.Input) throws(BackendError) {
    let (bytes, isTooMuch) = picture.bytesPerRow.multipliedReportingOverflow(
      by: picture.size.height)
    try check(isTooMuch ? .max : bytes, "an image of \(picture.size) pixels, \(picture.format)")
  }

  /// Checks that the system has memory for any amount.
  ///
  /// - Parameter what: the purpose of the memory, for the message.
  package static func check(
    _ bytes: Int, _ what: @autoclosure () -> String
  ) throws(BackendError) {
    guard bytes >= least else { return }
    // As much as an array has before its elements, and more.
    let (whole, isTooMuch) = bytes.addingReportingOverflow(4096)
    // Not `malloc`, whose failure a compiler may assume away.
    if !isTooMuch,
      let room = mmap(
        nil, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), room != MAP_FAILED
    {
      munmap(room, whole)
      return
    }
    throw .unfit(
      "there is no memory for \(what()): it takes \(ByteCount(bytes)); make a smaller one, or ask for it in rows"
    )
  }
}

/// A program that is installed with this one, and that this one starts.
package enum SiblingProgram {
  /// Returns the program's path: next to this program, where packages put it, or in `PATH`; `nil` where it is not
  /// found.
  package static func path(_ name: String) -> String? {
    let places = getenv("PATH").map {
      String(systemPath: $0).split(separator: ":").map(String.init)
    }
    return ([folder, "\(folder)/../libexec/frostglass"] + (places ?? []))
      .map { "\($0)/\(name)" }.first { access($0.systemPath, X_OK) == 0 }
  }

  /// The folder of this program.
  package static var folder: String {
    var own = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &own, own.count)
    let program = String(systemPath: own.prefix(max(count, 0)).map { UInt8(bitPattern: $0) })
    return program.lastIndex(of: "/").map { String(program[..<$0]) } ?? "."
  }
}
