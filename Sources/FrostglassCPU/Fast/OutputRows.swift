internal import FrostglassCore

/// Where the rows of a result go.
struct OutputRows: @unchecked Sendable {
  /// The part of the picture the memory stands for.
  let rect: Rect
  let format: PixelFormat
  let bytesPerRow: Int
  let bytes: UnsafeMutableRawPointer

  /// The first byte of a row, given in absolute coordinates.
  func row(_ y: Int) -> UnsafeMutableRawPointer { bytes + (y - rect.y) * bytesPerRow }
}
