internal import Glibc
internal import Synchronization

/// The system's words for an error number, such as `No space left on device`.
package func systemWords(_ code: Int32) -> String {
  guard let words = strerror(code) else { return "error \(code)" }
  return String(cString: words)
}

/// Actions before a process ends of its own accord.
package enum ProcessEnd {
  private static let duties = Mutex<[@Sendable () -> Void]>([])

  /// Has something done before the process ends, in the thread that ends it.
  package static func expect(_ duty: @escaping @Sendable () -> Void) {
    duties.withLock { $0.append(duty) }
  }

  /// Does what is to be done, and ends the process.
  ///
  /// Not left to exit handlers: those of a driver may come before and free what a thread still uses.
  package static func exit(_ status: Int32) -> Never {
    for duty in duties.withLock({ $0 }) { duty() }
    Glibc.exit(status)
  }
}

/// Writes all bytes to a descriptor; `nil`, or the error number of the call that failed.
package func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
  var rest = bytes[...]
  while !rest.isEmpty {
    let written = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
    if written > 0 {
      rest = rest.dropFirst(written)
    } else if written == 0 {
      return EIO
    } else if errno == EAGAIN {
      var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      _ = Glibc.poll(&poll, 1, -1)
    } else if errno != EINTR {
      return errno
    }
  }
  return nil
}

/// Why the bytes of a file cannot be had.
package enum FileReadFailure: Error, Sendable, Hashable {
  /// The error number of the call that failed.
  case system(Int32)
  case tooLarge

  /// A description for the end of a message.
  package var words: String {
    switch self {
    case .system(let code): systemWords(code)
    case .tooLarge: "it is too large"
    }
  }
}

/// The bytes of a file.
///
/// - Parameters:
///   - path: as `String.systemPath` has it.
///   - most: bytes; a larger file is not what was meant.
package func bytesOfFile(
  _ path: String, most: Int = .max
) throws(FileReadFailure) -> [UInt8] {
  let descriptor = open(path.systemPath, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw .system(errno) }
  defer { close(descriptor) }
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 65536)
  while true {
    let count = read(descriptor, &buffer, buffer.count)
    if count == 0 { return bytes }
    guard count > 0 else {
      guard errno == EINTR else { throw .system(errno) }
      continue
    }
    guard count <= most - bytes.count else { throw .tooLarge }
    bytes += buffer[..<count]
  }
}

/// The names of what is in a folder, in the order of their bytes.
///
/// - Parameter folder: as `String.systemPath` has it; empty for the current one.
/// - Throws: `FileReadFailure.system`, where not all of them can be had.
package func namesOfFiles(in folder: String) throws(FileReadFailure) -> [String] {
  guard let directory = opendir((folder.isEmpty ? "." : folder).systemPath) else {
    throw .system(errno)
  }
  defer { closedir(directory) }
  // A name's bytes are computed once, not for every comparison.
  var names: [(bytes: [UInt8], name: String)] = []
  // Only errno distinguishes the end from an error.
  errno = 0
  while let entry = readdir(directory) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(systemPath: $0) }
    }
    if name != ".", name != ".." { names.append((name.systemBytes, name)) }
    errno = 0
  }
  guard errno == 0 else { throw .system(errno) }
  return names.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }.map { $0.name }
}

// A file's name is bytes, of which the system minds only 0 and the slash; a string is Unicode. A byte
// that is no UTF-8 stands in a path as the character U+10FF00 plus the byte, at the end of the last
// plane for private use. A name that has such a character itself has each of its bytes written so.
// Thus every name has one string of its own, and that string gives the name's bytes back.

extension String {
  /// A path from the bytes that the system has for it.
  ///
  /// - Parameter bytes: without a 0 at their end.
  package init(systemPath bytes: [UInt8]) {
    if StrayByte.cannotBe(in: bytes), let text = String(validating: bytes, as: UTF8.self) {
      self = text
      return
    }
    self = ""
    var rest = bytes[...]
    while let first = rest.first {
      if let character = Self.firstCharacter(of: rest), StrayByte(character) == nil {
        unicodeScalars.append(character)
        rest = rest.dropFirst(UTF8.width(character))
      } else {
        unicodeScalars.append(StrayByte(byte: first).character)
        rest = rest.dropFirst()
      }
    }
  }

  /// A path from a C string.
  package init(systemPath text: UnsafePointer<CChar>) {
    var bytes: [UInt8] = []
    while text[bytes.count] != 0 { bytes.append(UInt8(bitPattern: text[bytes.count])) }
    self.init(systemPath: bytes)
  }

  /// The bytes that the system has for a path, or for a text with paths in it: UTF-8, but for those
  /// that were none.
  package var systemBytes: [UInt8] {
    if StrayByte.cannotBe(in: utf8) { return Array(utf8) }
    var bytes: [UInt8] = []
    for character in unicodeScalars {
      if let stray = StrayByte(character) {
        bytes.append(stray.byte)
      } else {
        bytes += Character(character).utf8
      }
    }
    return bytes
  }

  /// The path as a JSON text: a byte that is no UTF-8 is half a character, `\udc80` to `\udcff`, as in
  /// Python's names of files (PEP 383).
  package var jsonPath: String {
    var quoted = ""
    for character in JSONText.string(self).unicodeScalars {
      if let stray = StrayByte(character) {
        quoted += "\\udc" + String(stray.byte, radix: 16)
      } else {
        quoted.unicodeScalars.append(character)
      }
    }
    return quoted
  }

  /// The same bytes with a 0 at the end, as C functions take a path.
  package var systemPath: [CChar] { systemBytes.map { CChar(bitPattern: $0) } + [0] }

  /// `nil` where there is no UTF-8.
  private static func firstCharacter(of bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
    // A character has 1 to 4 bytes.
    for length in 1...4 {
      if let text = String(validating: bytes.prefix(length), as: UTF8.self) {
        return text.unicodeScalars.first
      }
    }
    return nil
  }
}

extension Unicode.Scalar {
  /// Makes the character that stands in a path for a byte that is not UTF-8; `nil` for other values than surrogates of
  /// such bytes.
  ///
  /// - Parameter half: the surrogate that stands for the byte in a JSON text, 0xDC80 to 0xDCFF.
  init?(strayByteOfJSON half: UInt32) {
    guard (0xDC80...0xDCFF).contains(half) else { return nil }
    self = StrayByte(byte: UInt8(half & 0xFF)).character
  }
}

/// A byte that is no UTF-8, as a character.
private struct StrayByte {
  let byte: UInt8

  /// Bytes below 128 are always UTF-8.
  private static let characters: ClosedRange<UInt32> = 0x10FF80...0x10FFFF

  init(byte: UInt8) { self.byte = byte }

  /// Returns true if no character in some UTF-8 stands for a byte: those of the last planes begin with 0xF4.
  static func cannotBe(in text: some Sequence<UInt8>) -> Bool { !text.contains(0xF4) }

  /// `nil` for a character that stands for none.
  init?(_ character: Unicode.Scalar) {
    guard Self.characters.contains(character.value) else { return nil }
    byte = UInt8(truncatingIfNeeded: character.value)
  }

  var character: Unicode.Scalar {
    Unicode.Scalar(0x10FF00 + UInt32(byte)) ?? "\u{FFFD}"
  }
}

/// The memory that this process may take: the machine's, or the limit of its control groups.
package struct MachineMemory {
  /// The folder of `/proc` and `/sys`; tests give their own.
  private let root: String
  private let physical: Int

  /// This machine.
  package init() {
    self.init(root: "", physical: sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE)))
  }

  package init(root: String, physical: Int) {
    self.root = root
    self.physical = physical
  }

  /// The default limit of a job, in bytes: half, as other programs need some too, and no more than the process has
  /// addresses for.
  package static let half = min(MachineMemory().limit / 2, ProcessNeeds.room ?? .max)

  /// Bytes.
  package var limit: Int {
    let groups = text(ofFile: "\(root)/proc/self/cgroup") ?? ""
    let limits = groups.split(separator: "\n").flatMap { groupLimits($0) }
    return min(physical, limits.min() ?? physical)
  }

  /// The limits of a group and of those around it.
  ///
  /// A line is `0::/path` in version 2 and `4:memory:/path` in version 1. In a container the path
  /// can be one of the host that does not exist here; the container's own group is then at the top.
  private func groupLimits(_ line: Substring) -> [Int] {
    let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    guard fields.count == 3 else { return [] }
    let (top, file): (String, String)
    if fields[1].isEmpty {
      (top, file) = ("/sys/fs/cgroup", "memory.max")
    } else if fields[1].split(separator: ",").contains("memory") {
      (top, file) = ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
    } else {
      return []
    }
    let names = fields[2].split(separator: "/")
    return (0...names.count).compactMap { depth in
      let group = names.prefix(depth).map { "/\($0)" }.joined()
      // "max" is no number, and no limit.
      return text(ofFile: "\(root)\(top)\(group)/\(file)").flatMap { text in
        Int(text.prefix { $0.isNumber })
      }
    }
  }
}

/// A short file of the system's.
func text(ofFile path: String) -> String? {
  (try? bytesOfFile(path, most: 65536)).map { String(decoding: $0, as: UTF8.self) }
}

/// An amount of memory, as people write and read it.
package struct ByteCount: Sendable, Hashable, CustomStringConvertible {
  package var bytes: Int

  package init(_ bytes: Int) { self.bytes = bytes }

  /// Reads a number with or without one of the units K, M, G and T, which are powers of 1024; `2G`,
  /// `512M`, `1.5g`, `2GB` and `2GiB` are accepted.
  ///
  /// - Returns: `nil` for everything else, for less than a byte and for more than an `Int` holds.
  package init?(text: String) {
    let digits = text.prefix { $0.isASCII && $0.isNumber || $0 == "." }
    let unit = text.dropFirst(digits.count).lowercased()
    let power = ["", "k", "m", "g", "t"].firstIndex { (letter: String) -> Bool in
      let names: [String] = letter.isEmpty ? ["", "b"] : [letter, letter + "b", letter + "ib"]
      return names.contains(unit)
    }
    guard let number = Double(digits), let power else { return nil }
    let bytes = (0..<power).reduce(number) { value, _ in value * 1024 }
    guard bytes >= 1, bytes < 0x1p62 else { return nil }
    self.bytes = Int(bytes)
  }

  /// With the largest unit that leaves 1 or more, rounded to one decimal place: `1.5 GiB`.
  package var description: String {
    var value = Double(bytes)
    var units = ["B", "KiB", "MiB", "GiB", "TiB"][...]
    while value >= 1024, units.count > 1 {
      value /= 1024
      units = units.dropFirst()
    }
    let tenths = (value * 10).rounded() / 10
    let number = tenths == tenths.rounded() ? "\(Int(tenths))" : "\(tenths)"
    return "\(number) \(units.first ?? "")"
  }
}

/// The processor's cores.
package enum ProcessorCores {
  /// The number of cores online: 1 or more.
  package static var count: Int { max(Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), 1) }
}

/// The resources that a process needs to do any work at all: threads, descriptors and addresses.
///
/// A later shortage is not reported: Swift's tasks wait forever for a thread, and libraries end the process. So a
/// program asks for all of them when it starts, and gives them back.
package enum ProcessNeeds {
  /// Threads of a run: those that compute, and those that read, write, wait and hear signals.
  package static var threads: Int { 2 * ProcessorCores.count + 8 }
  /// Descriptors in addition to those that are open: files, folders, pipes between processes.
  private static let descriptors = 12
  /// Addresses for code that is loaded later, and for a small image.
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
