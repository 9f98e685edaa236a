// The compiler finds `struct stat` in whichever C module includes it first, here CVips.
internal import CVips
internal import FrostglassCore
internal import Glibc

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
