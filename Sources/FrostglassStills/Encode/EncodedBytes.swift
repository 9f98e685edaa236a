internal import CVips

/// An encoded file before it has a name: in memory that libvips allocated, or in a spool file.
final class EncodedBytes {
  private enum Place {
    case memory(UnsafeMutableRawPointer, count: Int)
    case file(SpoolFile)
  }

  private let place: Place

  init(owning start: UnsafeMutableRawPointer, count: Int) { place = .memory(start, count: count) }

  init(in file: SpoolFile) { place = .file(file) }

  deinit { if case .memory(let start, _) = place { g_free(start) } }

  /// A copy as an array.
  var array: [UInt8] {
    switch place {
    case .memory(let start, let count):
      [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    case .file(let file): file.contents
    }
  }

  /// Writes everything to an open descriptor; `nil`, or the error number of the failed call.
  func write(to descriptor: Int32) -> Int32? {
    switch place {
    case .memory(let start, let count):
      writeAll(UnsafeRawBufferPointer(start: start, count: count), to: descriptor)
    case .file(let file): file.write(to: descriptor)
    }
  }
}
