internal import CVips

/// A file before it has a name: in memory, which may be libvips' own, or in a spool file.
final class EncodedBytes {
  private enum Place {
    case memory(UnsafeRawBufferPointer, owner: UnsafeMutablePointer<VipsArea>)
    case array([UInt8])
    case file(SpoolFile)
  }

  private let place: Place

  /// Takes over one reference to the owner.
  init(_ bytes: UnsafeRawBufferPointer, owner: UnsafeMutablePointer<VipsArea>) {
    place = .memory(bytes, owner: owner)
  }

  init(_ bytes: [UInt8]) { place = .array(bytes) }

  init(in file: SpoolFile) { place = .file(file) }

  deinit { if case .memory(_, let owner) = place { vips_area_unref(owner) } }

  /// A copy as an array, of bytes in memory.
  var array: [UInt8] {
    switch place {
    case .memory(let bytes, _): [UInt8](bytes)
    case .array(let bytes): bytes
    case .file: preconditionFailure("what is too large for memory is written, not read")
    }
  }

  /// Writes everything to an open descriptor; `nil`, or the error number of the failed call.
  func write(to descriptor: Int32) -> Int32? {
    switch place {
    case .memory(let bytes, _): writeAll(bytes, to: descriptor)
    case .array(let bytes): bytes.withUnsafeBytes { writeAll($0, to: descriptor) }
    case .file(let file): file.write(to: descriptor)
    }
  }
}
