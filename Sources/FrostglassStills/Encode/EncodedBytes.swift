internal import CVips

/// An encoded file before it has a name: in memory that libvips allocated, or in a spool file.
final class EncodedBytes {
  private enum Place {
    case memory(UnsafeRawBufferPointer, owner: UnsafeMutablePointer<VipsArea>)
    case file(SpoolFile)
  }

  private let place: Place

  /// Takes over one reference to the owner.
  init(_ bytes: UnsafeRawBufferPointer, owner: UnsafeMutablePointer<VipsArea>) {
    place = .memory(bytes, owner: owner)
  }

  init(in file: SpoolFile) { place = .file(file) }

  deinit { if case .memory(_, let owner) = place { vips_area_unref(owner) } }

  /// A copy as an array, of bytes in memory.
  var array: [UInt8] {
    switch place {
    case .memory(let bytes, _): [UInt8](bytes)
    case .file: preconditionFailure("what is too large for memory is written, not read")
    }
  }

  /// Writes everything to an open descriptor; `nil`, or the error number of the failed call.
  func write(to descriptor: Int32) -> Int32? {
    switch place {
    case .memory(let bytes, _): writeAll(bytes, to: descriptor)
    case .file(let file): file.write(to: descriptor)
    }
  }
}
