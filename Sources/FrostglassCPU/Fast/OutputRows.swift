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

  /// The first byte of a row, given in absolute coordinates; it must be one of the result.
  func row(_ y: Int) -> UnsafeMutableRawPointer {
    precondition(rect.rows.contains(y), "a row is written that the result does not have")
    return bytes + (y - rect.y) % capacity * bytesPerRow
  }
}

extension OutputRows {
  /// A whole result.
  init(_ result: Plan.Result, bytesPerRow: Int, bytes: UnsafeMutableRawPointer) {
    self.init(
      rect: result.rect, format: result.format, capacity: result.rect.height,
      bytesPerRow: bytesPerRow, bytes: bytes)
  }

  /// A whole result with rows in memory of their own.
  init(_ result: Plan.Result, in memory: RowMemory) {
    let room = memory.take(
      rows: result.rect.height, stride: result.rect.width * result.format.bytesPerPixel)
    self.init(result, bytesPerRow: room.stride, bytes: room.first)
  }

  /// Copies all rows to another place for the same result.
  func copy(to other: OutputRows) {
    for y in rect.rows {
      other.row(y).copyMemory(from: row(y), byteCount: rect.width * format.bytesPerPixel)
    }
  }
}
