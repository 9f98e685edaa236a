// The compiler finds `struct stat` in whichever C module includes it first, here CVips.
internal import CVips
internal import Glibc

/// A path to write to, with what is there now.
struct Destination {
  /// What a path leads to.
  enum Kind {
    /// A descriptor of this process, by a path such as `/dev/stdout`.
    case descriptor(Int32)
    /// A pipe, a terminal or another thing without contents of its own.
    case inPlace
    /// A file to replace, with the mode and owner to keep.
    case existing(stat)
    /// Nothing yet.
    case new
  }

  /// The path as it was given, for messages.
  let path: String
  /// The path behind all symbolic links.
  let target: String
  let kind: Kind
  let overwrite: Bool

  init(_ path: String, overwrite: Bool) throws(EncodeError) {
    self.path = path
    self.overwrite = overwrite
    if let descriptor = Self.descriptor(path) {
      (target, kind) = (path, .descriptor(descriptor))
      return
    }
    var status = stat()
    if stat(path, &status) == 0 {
      switch status.st_mode & S_IFMT {
      case S_IFDIR: throw .unwritable(path: path, reason: systemWords(EISDIR))
      case S_IFREG: (target, kind) = (Self.resolved(path), .existing(status))
      default: (target, kind) = (path, .inPlace)
      }
    } else if errno == ENOENT {
      (target, kind) = (Self.resolved(path), .new)
    } else {
      throw .unwritable(path: path, reason: systemWords(errno))
    }
  }

  /// The folder in which a file is made, ending with a slash; empty for the current one.
  var folder: String {
    guard let slash = target.lastIndex(of: "/") else { return "" }
    return String(target[...slash])
  }

  /// Whether a file of its own is or will be there.
  var holdsFile: Bool {
    switch kind {
    case .existing, .new: true
    case .descriptor, .inPlace: false
    }
  }

  /// Finds what can be found without writing.
  func check() throws(EncodeError) {
    switch kind {
    case .descriptor: return
    case .inPlace: try demandAccess(path, W_OK)
    case .existing:
      guard overwrite else { throw .exists(path: path) }
      try demandAccess(target, W_OK)
      try demandAccess(folder.isEmpty ? "." : folder, W_OK | X_OK)
    case .new:
      guard !target.isEmpty, !target.hasSuffix("/") else {
        throw .unwritable(path: path, reason: "this names no file")
      }
      try demandAccess(folder.isEmpty ? "." : folder, W_OK | X_OK)
    }
  }

  private func demandAccess(_ place: String, _ mode: Int32) throws(EncodeError) {
    guard access(place, mode) != 0 else { return }
    let words = systemWords(errno)
    throw .unwritable(path: path, reason: place == path ? words : "\(place): \(words)")
  }

  /// The descriptor a path stands for. These are written directly: opening them anew would start at
  /// the beginning of a file that a shell appends to.
  private static func descriptor(_ path: String) -> Int32? {
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
  private static func resolved(_ path: String) -> String {
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
    let count = readlink(path, &text, text.count)
    guard count > 0 else { return nil }
    return String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
