internal import FrostglassCore

/// Where the rows of a result go.
struct OutputRows: @unchecked Sendable {
  /// The part of the picture that is made.
  let rect: Rect
  let format: PixelFormat
  /// Rows that are kept: row `y` replaces row `y - capacity`.
  let capacity: Int
  let bytesPerRow: Int
  let bytes: UnsafeMutableRawPointer

  /// The first byte of a row, given in absolute coordinates.
  func row(_ y: Int) -> UnsafeMutableRawPointer {
    bytes + (y - rect.y) % capacity * bytesPerRow
  }
}
