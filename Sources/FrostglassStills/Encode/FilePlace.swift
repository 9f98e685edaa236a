// The compiler finds `struct stat` in whichever C module includes it first, here CVips.
internal import CVips
internal import FrostglassCore
internal import Glibc

/// Which file a path leads to, whatever it is called.
package struct FileIdentity: Sendable, Hashable {
  private let device: UInt64
  private let number: UInt64

  /// Follows links; `nil` where there is nothing.
  package init?(_ path: String) { self.init(path) { _ in true } }

  /// The same for regular files only.
  package init?(file path: String) { self.init(path) { $0 & S_IFMT == S_IFREG } }

  // No `struct stat` in a signature: importers would take CVips for its place, which they do not import.
  private init?(_ path: String, _ takes: (_ mode: mode_t) -> Bool) {
    var status = stat()
    guard stat(path.systemPath, &status) == 0, takes(status.st_mode) else { return nil }
    device = UInt64(status.st_dev)
    number = UInt64(status.st_ino)
  }
}

/// Where a path leads to when it is written: two paths of one place are one file, whatever they are called.
package struct FilePlace: Sendable, Hashable {
  private enum Place: Hashable {
    /// A descriptor of this process.
    case descriptor(Int32)
    /// What is written in place, such as a pipe.
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

  /// Whether a path ends with the same name, so that it may lead here; other places need no further look.
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

  /// Whether a file of its own is or will be there, and no pipe, device or open descriptor.
  package var holdsFile: Bool { if case .below = place { true } else { false } }

  /// Where standard output goes.
  package static let standardOutput = FilePlace("/dev/stdout")
}
