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
    if let descriptor = Destination.descriptor(path) {
      place = .descriptor(descriptor)
      return
    }
    if let thing = FileIdentity(path), FileIdentity(file: path) == nil, !Folder.isThere(path) {
      place = .existing(thing)
      return
    }
    var folder = Destination.resolved(path)
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
    return Destination.resolved(path).systemBytes.reversed().starts(with: name.reversed())
  }

  /// Whether a file of its own is or will be there, and no pipe, device or open descriptor.
  package var holdsFile: Bool { if case .below = place { true } else { false } }

  /// Where standard output goes.
  package static let standardOutput = FilePlace("/dev/stdout")
}

/// Opens a new file without a name, which is gone with its descriptor unless it is linked to one.
///
/// - Parameters:
///   - folder: where the file is; empty for the current one.
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
  /// Whether a path leads to a folder; the empty path is the current one.
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

  /// The path up to its last component, without slashes at the end; empty for none.
  package static func parent(of path: String) -> String {
    let name = path.reversed().drop { $0 == "/" }
    let above = name.drop { $0 != "/" }
    return String(above.drop { $0 == "/" }.reversed())
  }
}
