internal import FrostglassCore

/// The rows of an input picture.
struct InputRows: @unchecked Sendable {
  let format: PixelFormat
  /// Rows that are kept: row `y` replaces row `y - capacity`.
  let capacity: Int
  let bytesPerRow: Int
  let bytes: UnsafeRawPointer

  /// A whole picture.
  init(_ image: Image, _ bytes: UnsafeRawPointer) {
    self.init(
      format: image.format, capacity: image.size.height, bytesPerRow: image.bytesPerRow,
      bytes: bytes)
  }

  init(format: PixelFormat, capacity: Int, bytesPerRow: Int, bytes: UnsafeRawPointer) {
    self.format = format
    self.capacity = capacity
    self.bytesPerRow = bytesPerRow
    self.bytes = bytes
  }

  /// The first byte of a row.
  func row(_ y: Int) -> UnsafeRawPointer { bytes + (y % capacity) * bytesPerRow }
}
