// The compiler finds `struct stat` in whichever C module includes it first, here CVips.
internal import CVips
internal import Glibc

extension Destination {
  var temporaries: TemporaryFiles { .ofProcess }

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

  /// Makes the new file without touching the target, then gives it the target's name.
  private func replace(
    keeping status: stat?, with bytes: EncodedBytes
  ) throws(EncodeError) {
    // Mode 0666 less the umask for a new file; one that replaces a private file is never open to
    // others.
    let mode: mode_t = status == nil ? 0o666 : 0o600
    if try writeUnnamed(mode, keeping: status, bytes) { return }
    let (temporary, descriptor) = temporaries.make(in: folder) {
      open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    }
    guard descriptor >= 0 else { return try demand(-descriptor) }
    var failure = fill(descriptor, keeping: status, with: bytes)
    // Some file systems report a full disk only here.
    if close(descriptor) != 0, failure == nil { failure = errno }
    try demand(failure ?? publish(temporary), removing: temporary)
  }

  func fill(
    _ descriptor: Int32, keeping status: stat?, with bytes: EncodedBytes
  ) -> Int32? {
    status.flatMap { keep($0, on: descriptor) } ?? bytes.write(to: descriptor)
  }

  /// Gives the new file the old one's mode, and its owner where that is allowed.
  private func keep(_ status: stat, on descriptor: Int32) -> Int32? {
    _ = fchown(descriptor, status.st_uid, status.st_gid)
    return fchmod(descriptor, status.st_mode & 0o7777) == 0 ? nil : errno
  }

  /// Moves the finished file to its name; a file that appeared there meanwhile is not replaced
  /// unless overwriting is allowed.
  ///
  /// - Returns: `nil`, or the error number.
  func publish(_ temporary: String) -> Int32? {
    if !overwrite {
      if link(temporary, target) == 0 {
        _ = temporaries.finish(temporary) { unlink(temporary) }
        return nil
      }
      // File systems without hard links fall through to the rename.
      if errno == EEXIST { return errno }
    }
    return temporaries.finish(temporary) { rename(temporary, target) }
  }

  /// Throws what a call reported, if anything.
  func demand(_ failure: Int32?) throws(EncodeError) {
    guard let failure else { return }
    throw failure == EEXIST
      ? .exists(path: path) : .unwritable(path: path, reason: systemWords(failure))
  }

  /// Throws what a call reported, if anything, and then leaves no temporary file.
  func demand(_ failure: Int32?, removing temporary: String) throws(EncodeError) {
    guard failure != nil else { return }
    _ = temporaries.finish(temporary) { unlink(temporary) }
    try demand(failure)
  }
}
