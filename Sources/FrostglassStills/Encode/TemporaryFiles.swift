// The compiler finds `struct stat` in whichever C module includes it first, here CVips.
internal import CVips
internal import FrostglassCore
internal import Glibc

/// The identity of a file, independent of the path that leads to it.
package struct FileIdentity: Sendable, Hashable {
  private let device: UInt64
  private let number: UInt64

  /// Follows links; `nil` where there is nothing.
  package init?(_ path: String) { self.init(path) { _ in true } }

  /// Follows links; `nil` unless there is a regular file.
  package init?(file path: String) { self.init(path) { $0 & S_IFMT == S_IFREG } }

  // No `struct stat` in a signature: importers would take CVips for its place, which they do not import.
  private init?(_ path: String, _ takes: (_ mode: mode_t) -> Bool) {
    var status = stat()
    guard stat(path.systemPath, &status) == 0, takes(status.st_mode) else { return nil }
    self.init(device: UInt64(status.st_dev), number: UInt64(status.st_ino))
  }

  fileprivate init(device: UInt64, number: UInt64) {
    (self.device, self.number) = (device, number)
  }
}

/// A state of a file: which file a path leads to, its size, and the moments when it was last changed.
package struct FileVersion: Sendable, Hashable {
  private let path: String
  private let file: FileIdentity
  private let size: Int64
  /// Of the contents, and of the file, which nobody can set: seconds and nanoseconds.
  private let changes: [Int]

  /// The state of a regular file at present; `nil` where there is none.
  package init?(_ path: String) { self.init(path, descriptor: nil) }

  /// The state of an open file, whatever its path leads to by now; `nil` unless it is a regular file.
  package init?(of descriptor: Int32, _ path: String) {
    self.init(path, descriptor: descriptor)
  }

  private init?(_ path: String, descriptor: Int32?) {
    var status = stat()
    let code = descriptor.map { fstat($0, &status) } ?? stat(path.systemPath, &status)
    guard code == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    file = FileIdentity(device: UInt64(status.st_dev), number: UInt64(status.st_ino))
    (self.path, size) = (path, Int64(status.st_size))
    changes = [
      status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
    ]
  }

  /// The words for a file that is not what it was when it was searched.
  package static let changed =
    "it was replaced or changed while it was searched and covered, and nothing is written; give a file that nobody "
    + "writes to"

  /// True if the path leads to the same file, and nobody wrote to it since.
  package var isCurrent: Bool { FileVersion(path) == self }
}

/// The identity of a destination: paths that lead to the same file are equal.
package struct FilePlace: Sendable, Hashable {
  private enum Place: Hashable {
    /// A descriptor of this process.
    case descriptor(Int32)
    /// A destination that is written in place, such as a pipe.
    case existing(FileIdentity)
    /// Names below a folder that is there.
    case below(FileIdentity?, [[UInt8]])
  }

  private let place: Place

  /// Follows links as writing does.
  package init(_ path: String) {
    if let descriptor = Self.descriptor(path) {
      place = .descriptor(descriptor)
      return
    }
    if let thing = FileIdentity(path), FileIdentity(file: path) == nil, !Folder.isThere(path) {
      place = .existing(thing)
      return
    }
    var folder = Self.resolved(path)
    var names: [[UInt8]] = []
    // Names are compared by their bytes: equal strings may be different names.
    repeat {
      let slash = UInt8(ascii: "/")
      let name = folder.systemBytes.reversed().drop { $0 == slash }.prefix { $0 != slash }
      if !name.isEmpty, !name.elementsEqual([UInt8(ascii: ".")]) { names.append(name.reversed()) }
      let isAbsolute = folder.hasPrefix("/")
      folder = Folder.parent(of: folder)
      if folder.isEmpty { folder = isAbsolute ? "/" : "." }
    } while !Folder.isThere(folder) && folder != "/" && folder != "."
    place = .below(FileIdentity(folder), names)
  }

  /// Returns true if a path ends with the same name, so that it may lead here. Only such paths need a closer look.
  package func isNamed(like path: String) -> Bool {
    guard case .below(_, let names) = place, let name = names.first else { return true }
    return Self.resolved(path).systemBytes.reversed().starts(with: name.reversed())
  }

  /// The descriptor a path stands for. These are written directly: opening them anew would start at
  /// the beginning of a file that a shell appends to.
  static func descriptor(_ path: String) -> Int32? {
    switch path {
    case "/dev/stdout": return STDOUT_FILENO
    case "/dev/stderr": return STDERR_FILENO
    default:
      for prefix in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(prefix) {
        return Int32(path.dropFirst(prefix.count))
      }
      return nil
    }
  }

  /// Follows symbolic links of the last component, also where nothing is at their end.
  static func resolved(_ path: String) -> String {
    var current = path
    // The kernel follows 40 links and no more.
    for _ in 0..<40 {
      guard let link = contents(ofLink: current) else { break }
      if link.hasPrefix("/") {
        current = link
      } else {
        let slash = current.lastIndex(of: "/").map { current.index(after: $0) }
        current = current[..<(slash ?? current.startIndex)] + link
      }
    }
    return current
  }

  private static func contents(ofLink path: String) -> String? {
    var text = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path.systemPath, &text, text.count)
    guard count > 0 else { return nil }
    return String(systemPath: text.prefix(count).map(UInt8.init(bitPattern:)))
  }

  /// True if it is or will be a regular file, and not a pipe, device or open descriptor.
  package var holdsFile: Bool { if case .below = place { true } else { false } }

  /// The place of standard output.
  package static let standardOutput = FilePlace("/dev/stdout")
}

// The compiler finds `struct stat` in whichever C module includes it first, here CVips.
internal import CVips
internal import FrostglassCore
internal import Glibc

/// Temporary files next to their destinations, which exist while an image is written.
///
/// An interrupted process takes them with it by `removeAll`. There is one list per process, as an
/// interruption ends the whole of it.
package final class TemporaryFiles: Sendable {
  private struct State {
    /// Each with the descriptor that locks it, below 0 where there is none.
    var paths: [String: Int32] = [:]
    /// Folders that were looked through for what killed processes have left.
    var swept: Set<String> = []
    /// Threads that are in the middle of `together`.
    var busy = 0
    var isEnding = false
    var isClosed = false
  }

  /// The prefix of their names.
  static let prefix = ".frostglass-"

  /// The temporary files of this process.
  package static let ofProcess = TemporaryFiles()

  private let state = Monitor(State())

  /// Seconds since 1970, by which what is abandoned is told from what is not.
  private let now: @Sendable () -> Int

  package init(now: @escaping @Sendable () -> Int = { time(nil) }) {
    self.now = now
  }

  /// Makes a file under a new name in a folder, and removes what killed processes have left there.
  ///
  /// - Parameters:
  ///   - folder: ending with a slash; empty for the current one.
  ///   - create: a system call; below 0 with `errno` where it fails.
  /// - Returns: the file's path, and what `create` returned or, below 0, its error number negated.
  package func make(
    in folder: String, _ create: (_ path: String) -> Int32
  ) -> (path: String, result: Int32) {
    if state.withLock({ $0.swept.insert(folder).inserted }) {
      AbandonedFiles(at: now()).remove(in: folder)
    }
    let path = folder + Self.prefix + String(UInt64.random(in: 0 ... .max), radix: 36)
    let result = whileOpen { paths in
      let result = create(path)
      guard result >= 0 else { return -errno }
      paths[path] = AbandonedFiles.lock(path)
      return result
    }
    return (path, result)
  }

  /// Makes a file that loses its name at once, where a file system has none without.
  ///
  /// - Parameter folder: empty for the current one.
  /// - Returns: a descriptor to read and write it by; below 0 where the folder takes no files.
  package func makeRemoved(in folder: String) -> Int32 {
    let (path, descriptor) = make(
      in: folder.isEmpty || folder.hasSuffix("/") ? folder : folder + "/"
    ) { open($0.systemPath, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
    guard descriptor >= 0, finish(path, { unlink(path.systemPath) }) != nil else {
      return descriptor
    }
    // Where what is open cannot be removed, such a file would stay.
    close(descriptor)
    _ = finish(path) { unlink(path.systemPath) }
    return -1
  }

  /// Gives a finished file its name, or removes it.
  ///
  /// - Parameter rename: a system call; other than 0 with `errno` where it fails.
  /// - Returns: `nil`, or the error number.
  package func finish(_ path: String, _ rename: () -> Int32) -> Int32? {
    whileOpen { paths in
      guard rename() == 0 else { return errno }
      if let lock = paths.removeValue(forKey: path), lock >= 0 { close(lock) }
      return nil
    }
  }

  /// Gives a file that has no temporary name its own.
  ///
  /// - Parameter link: a system call; other than 0 with `errno` where it fails.
  /// - Returns: `nil`, or the error number.
  package func name(_ link: () -> Int32) -> Int32? {
    whileOpen { _ in link() == 0 ? nil : errno }
  }

  /// Does what an interruption is to find undone or done, such as giving two files their names.
  ///
  /// - Parameter body: waits for nobody, as the process ends no sooner unless it is asked to twice.
  package func together<Failure: Error>(
    _ body: () throws(Failure) -> Void
  ) throws(Failure) {
    let begins = state.withLock { state in
      guard !state.isEnding else { return false }
      state.busy += 1
      return true
    }
    guard begins else { Self.waitForTheEnd() }
    defer { state.change { $0.busy -= 1 } }
    try body()
  }

  /// Removes all temporary files, for a process that is about to end.
  ///
  /// No other file appears afterwards: threads that want to make or name one wait for the end.
  ///
  /// - Parameter atOnce: true to skip waiting for operations in progress.
  package func removeAll(atOnce: Bool = false) {
    state.withLock { $0.isEnding = true }
    state.wait(until: { $0.busy == 0 || atOnce }) { state in
      for path in state.paths.keys { unlink(path.systemPath) }
      state.paths = [:]
      state.isClosed = true
    }
  }

  /// A thread that went on with an error would report a failure where there was an interruption.
  private func whileOpen<Value>(_ body: (inout [String: Int32]) -> Value) -> Value {
    let value = state.withLock { $0.isClosed ? nil : body(&$0.paths) }
    guard let value else { Self.waitForTheEnd() }
    return value
  }

  private static func waitForTheEnd() -> Never {
    while true { pause() }
  }
}

/// Temporary files of processes that were killed, which had no time to remove them.
///
/// A file is locked until it has its own name. The kernel releases the lock however the process ends. A file is
/// abandoned if nobody holds its lock, and it was neither written nor named for a while.
private struct AbandonedFiles {
  /// Seconds without a change: enough for a process between making a file and locking it, and for
  /// machines that share a folder and do not know each other's locks.
  private static let leastAge = 600

  private let now: Int

  /// - Parameter now: seconds since 1970.
  init(at now: Int) { self.now = now }

  /// Locks a file until a descriptor is closed, which is returned; below 0 where it cannot be opened.
  ///
  /// File systems without locks keep what is left on them.
  static func lock(_ path: String) -> Int32 {
    let descriptor = open(path.systemPath, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return descriptor }
    _ = flock(descriptor, LOCK_EX | LOCK_NB)
    return descriptor
  }

  /// Removes those in a folder that surely nobody writes any more.
  ///
  /// - Parameter folder: ending with a slash; empty for the current one.
  func remove(in folder: String) {
    for name in (try? namesOfFiles(in: folder)) ?? [] where isOurs(name) { remove(folder + name) }
  }

  /// Returns true if a name is one that `TemporaryFiles` gives.
  private func isOurs(_ name: String) -> Bool {
    guard name.hasPrefix(TemporaryFiles.prefix) else { return false }
    let number = name.dropFirst(TemporaryFiles.prefix.count)
    return UInt64(number, radix: 36).map { String($0, radix: 36) == number } ?? false
  }

  private func remove(_ path: String) {
    var status = stat()
    guard lstat(path.systemPath, &status) == 0, isOldFile(status) else { return }
    let descriptor = open(path.systemPath, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return }
    // It may have changed, or become another, before it was locked.
    var locked = stat()
    guard fstat(descriptor, &locked) == 0, isOldFile(locked), locked.st_ino == status.st_ino,
      locked.st_dev == status.st_dev
    else { return }
    unlink(path.systemPath)
  }

  /// Returns true if it is this user's file, and was neither written nor renamed recently. A file set aside to be
  /// replaced may be old while its name is new.
  private func isOldFile(_ status: stat) -> Bool {
    status.st_mode & S_IFMT == S_IFREG && status.st_uid == geteuid()
      && now - max(status.st_mtim.tv_sec, status.st_ctim.tv_sec) >= Self.leastAge
  }
}

/// Opens a new file without a name, which is gone with its descriptor unless it is linked to one.
///
/// - Parameters:
///   - folder: the file's folder; empty for the current one.
///   - access: `O_WRONLY` or `O_RDWR`.
/// - Returns: the descriptor; below 0 where the file system has no such files.
func openUnnamed(in folder: String, _ access: Int32, _ mode: mode_t) -> Int32 {
  // `O_TMPFILE`, which the C headers keep to themselves; the same number on every architecture that
  // Swift has on Linux.
  let unnamed: Int32 = 0o20_000_000 | O_DIRECTORY
  return open((folder.isEmpty ? "." : folder).systemPath, unnamed | access | O_CLOEXEC, mode)
}

/// Folders that files are written to.
package enum Folder {
  /// Returns true if a path leads to a folder. The empty path is the current folder.
  package static func isThere(_ path: String) -> Bool {
    var status = stat()
    return stat((path.isEmpty ? "." : path).systemPath, &status) == 0
      && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Makes a folder and those above it, where they are not there yet.
  ///
  /// - Returns: `nil`, or which one could not be made and why, in the system's words.
  package static func make(_ path: String) -> (path: String, reason: String)? {
    guard !isThere(path) else { return nil }
    if let failure = make(parent(of: path)) { return failure }
    guard mkdir(path.systemPath, 0o777) != 0 else { return nil }
    let code = errno
    // Another thread may have been faster.
    guard !isThere(path) else { return nil }
    return (path, code == EEXIST ? "it is there and not a directory" : systemWords(code))
  }

  /// Sees to it that the names in a folder are on the disk, where the file system can.
  static func sync(_ path: String) {
    let descriptor = open((path.isEmpty ? "." : path).systemPath, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    _ = fsync(descriptor)
    close(descriptor)
  }

  /// The path up to its last component, without slashes at the end; empty for none.
  package static func parent(of path: String) -> String {
    let name = path.reversed().drop { $0 == "/" }
    let above = name.drop { $0 != "/" }
    return String(above.drop { $0 == "/" }.reversed())
  }
}
