public import FrostglassCore

/// A picture that is made row by row while it is encoded.
public struct StillRows {
  public let size: Size
  public let format: PixelFormat
  /// Writes the next row, opaque or with straight alpha, in encoded transfer. Called once per row,
  /// from the top, by another thread than the one that encodes.
  public let next: (UnsafeMutableRawPointer) throws -> Void

  /// Bytes of all rows.
  var byteCount: Int { size.area * format.bytesPerPixel }

  public init(
    size: Size, format: PixelFormat, next: @escaping (UnsafeMutableRawPointer) throws -> Void
  ) {
    self.size = size
    self.format = format
    self.next = next
  }
}
