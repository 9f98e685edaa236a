internal import Glibc

/// Whether there is memory for what is about to be made. Swift's arrays end the process where there is none.
package enum MemoryRoom {
  /// Smaller amounts are not asked for: a machine that lacks these is at its end anyway.
  private static let least = 64 << 20

  /// Refuses a picture that the system has no memory for, as it knows beforehand: what it promises and cannot keep
  /// is another matter.
  package static func check(_ picture: Plan.Input) throws(BackendError) {
    let (bytes, isTooMuch) = picture.bytesPerRow.multipliedReportingOverflow(
      by: picture.size.height)
    try check(isTooMuch ? .max : bytes, "a picture of \(picture.size) pixels, \(picture.format)")
  }

  /// The same for any amount.
  ///
  /// - Parameter what: it is for.
  package static func check(
    _ bytes: Int, _ what: @autoclosure () -> String
  ) throws(BackendError) {
    guard bytes >= least else { return }
    // As much as an array has before its elements, and more.
    let (whole, isTooMuch) = bytes.addingReportingOverflow(4096)
    // As `malloc` takes so much, of which a compiler may think that it never fails.
    if !isTooMuch,
      let room = mmap(
        nil, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), room != MAP_FAILED
    {
      munmap(room, whole)
      return
    }
    throw .unfit(
      "there is no memory for \(what()): it takes \(ByteCount(bytes)); make a smaller one, or ask for it in rows"
    )
  }
}
