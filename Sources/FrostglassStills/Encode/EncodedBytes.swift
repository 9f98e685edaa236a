internal import CVips

/// An encoded file in memory that libvips allocated, freed with this object.
final class EncodedBytes {
  private let start: UnsafeMutableRawPointer
  private let count: Int

  init(owning start: UnsafeMutableRawPointer, count: Int) {
    self.start = start
    self.count = count
  }

  deinit { g_free(start) }

  /// A copy as an array.
  var array: [UInt8] { [UInt8](UnsafeRawBufferPointer(start: start, count: count)) }

  /// Writes everything to an open descriptor; `nil`, or the error number of the failed call.
  func write(to descriptor: Int32) -> Int32? {
    writeAll(UnsafeRawBufferPointer(start: start, count: count), to: descriptor)
  }
}
