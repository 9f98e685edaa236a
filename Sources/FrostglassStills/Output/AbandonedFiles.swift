// The compiler finds `struct stat` in whichever C module includes it first, here CVips.
internal import CVips
internal import FrostglassCore
internal import Glibc

/// Temporary files of processes that were killed, which had no time to remove them.
///
/// A file is locked until it has its own name; the kernel gives the lock back however the process ends.
/// Where nobody holds the lock, and nothing was written for a while, nobody will go on.
enum AbandonedFiles {
  /// Seconds without a change: enough for a process between making a file and locking it, and for
  /// machines that share a folder and do not know each other's locks.
  private static let leastAge = 600

  /// Locks a file until a descriptor is closed, which is returned; below 0 where that cannot be.
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
  static func remove(in folder: String) {
    for name in (try? namesOfFiles(in: folder)) ?? [] where isOurs(name) { remove(folder + name) }
  }

  /// Whether a name is one that `TemporaryFiles` gives.
  private static func isOurs(_ name: String) -> Bool {
    guard name.hasPrefix(TemporaryFiles.prefix) else { return false }
    let number = name.dropFirst(TemporaryFiles.prefix.count)
    return UInt64(number, radix: 36).map { String($0, radix: 36) == number } ?? false
  }

  private static func remove(_ path: String) {
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

  /// Whether it is this user's file and was not written for a while.
  private static func isOldFile(_ status: stat) -> Bool {
    status.st_mode & S_IFMT == S_IFREG && status.st_uid == geteuid()
      && time(nil) - status.st_mtim.tv_sec >= leastAge
  }
}
