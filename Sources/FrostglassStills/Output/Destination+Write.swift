// The compiler finds `struct stat` in whichever C module includes it first, here CVips.
internal import CVips
internal import Glibc

extension Destination {
  /// Writes everything, or leaves the destination as it was.
  ///
  /// What is written in place cannot be taken back.
  func write(_ bytes: EncodedBytes) throws(EncodeError) {
    try check()
    switch kind {
    case .descriptor(let descriptor): try demand(bytes.write(to: descriptor))
    case .inPlace: try writeInPlace(bytes)
    case .existing(let status): try replace(keeping: status, with: bytes)
    case .new: try replace(keeping: nil, with: bytes)
    }
  }

  private func writeInPlace(_ bytes: EncodedBytes) throws(EncodeError) {
    let descriptor = open(target, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return try demand(errno) }
    let failure = bytes.write(to: descriptor)
    let closing = close(descriptor) == 0 ? nil : errno
    try demand(failure ?? closing)
  }

  /// Writes beside the target, then takes its name.
  private func replace(
    keeping status: stat?, with bytes: EncodedBytes
  ) throws(EncodeError) {
    let temporary = folder + ".frostglass-" + String(UInt64.random(in: 0 ... .max), radix: 36)
    // Mode 0666 less the umask for a new file; one that replaces a private file is never open to
    // others.
    let mode: mode_t = status == nil ? 0o666 : 0o600
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard descriptor >= 0 else { return try demand(errno) }
    var failure = status.flatMap { keep($0, on: descriptor) }
    if failure == nil { failure = bytes.write(to: descriptor) }
    // Some file systems report a full disk only here.
    if close(descriptor) != 0, failure == nil { failure = errno }
    if failure == nil { failure = publish(temporary) }
    guard failure == nil else {
      unlink(temporary)
      return try demand(failure)
    }
  }

  /// Gives the new file the old one's mode, and its owner where that is allowed.
  private func keep(_ status: stat, on descriptor: Int32) -> Int32? {
    _ = fchown(descriptor, status.st_uid, status.st_gid)
    return fchmod(descriptor, status.st_mode & 0o7777) == 0 ? nil : errno
  }

  /// Moves the finished file to its name; a file that appeared there meanwhile is not replaced
  /// unless overwriting is allowed.
  private func publish(_ temporary: String) -> Int32? {
    if !overwrite {
      if link(temporary, target) == 0 {
        unlink(temporary)
        return nil
      }
      // File systems without hard links fall through to the rename.
      if errno == EEXIST { return errno }
    }
    return rename(temporary, target) == 0 ? nil : errno
  }

  private func demand(_ failure: Int32?) throws(EncodeError) {
    guard let failure else { return }
    throw failure == EEXIST
      ? .exists(path: path) : .unwritable(path: path, reason: systemWords(failure))
  }
}
