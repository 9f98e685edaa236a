internal import Frostglass
internal import Glibc

/// Makes the directories that pictures are written to.
enum OutputFolder {
  /// Makes a directory and those above it, where they are not there yet.
  ///
  /// - Throws: `Failure` with exit code 73.
  static func make(_ path: String) throws(Failure) {
    guard !PictureWalk.isDirectory(path), !path.isEmpty else { return }
    try make(parent(of: path))
    guard mkdir(path, 0o777) != 0 else { return }
    let code = errno
    // Another thread may have been faster.
    guard !PictureWalk.isDirectory(path) else { return }
    let reason =
      code == EEXIST ? "it is there and not a directory" : String(cString: strerror(code))
    throw Failure(
      message: "\(path): this directory cannot be made (\(reason)); give another --out-dir",
      exitCode: ExitCode.cannotCreate)
  }

  /// The path up to its last component, without slashes at the end; empty for none.
  static func parent(of path: String) -> String {
    let name = path.reversed().drop { $0 == "/" }
    let above = name.drop { $0 != "/" }
    return String(above.drop { $0 == "/" }.reversed())
  }
}
