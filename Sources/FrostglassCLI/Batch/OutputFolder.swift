internal import Frostglass
internal import FrostglassStills

/// Makes the directories that pictures are written to.
enum OutputFolder {
  /// Makes a directory and those above it, where they are not there yet.
  ///
  /// - Throws: `Failure` with exit code 73.
  static func make(_ path: String) throws(Failure) {
    guard let failure = Folder.make(path) else { return }
    throw Failure(
      message: "\(failure.path): this directory cannot be made (\(failure.reason)); give another "
        + "--out-dir",
      exitCode: ExitCode.cannotCreate)
  }

  /// The path up to its last component, without slashes at the end; empty for none.
  static func parent(of path: String) -> String { Folder.parent(of: path) }
}
