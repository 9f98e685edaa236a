// The compiler finds `struct stat` in whichever C module includes it first, here CVips.
internal import CVips
internal import Glibc

/// `O_TMPFILE`, which the C headers keep to themselves; the same number on every architecture that
/// Swift has on Linux.
let openUnnamed: Int32 = 0o20_000_000 | O_DIRECTORY

extension Destination {
  /// Writes a file that has no name until it is whole, so that not even a killed process leaves a
  /// part of it.
  ///
  /// - Returns: whether it was written; not where the file system has no such files, or gives them
  ///   no name.
  func writeUnnamed(
    _ mode: mode_t, keeping status: stat?, _ bytes: EncodedBytes
  ) throws(EncodeError) -> Bool {
    let descriptor = open(folder.isEmpty ? "." : folder, openUnnamed | O_WRONLY | O_CLOEXEC, mode)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    try demand(fill(descriptor, keeping: status, with: bytes))
    let file = "/proc/self/fd/\(descriptor)"
    if linkat(AT_FDCWD, file, AT_FDCWD, target, AT_SYMLINK_FOLLOW) == 0 { return true }
    guard errno == EEXIST else { return false }
    guard overwrite else { throw .exists(path: path) }
    // A link replaces nothing, a rename does.
    let (temporary, linked) = temporaries.make(in: folder) {
      linkat(AT_FDCWD, file, AT_FDCWD, $0, AT_SYMLINK_FOLLOW)
    }
    try demand(linked == 0 ? nil : -linked)
    try demand(publish(temporary), removing: temporary)
    return true
  }
}
