public import FrostglassCore

/// What is known of an image file before its pixels are decoded.
public struct StillHeader: Sendable, Hashable {
  /// The upright size, after the orientation is applied.
  public let size: Size
  /// The pixel format that decoding gives.
  public let pixelFormat: PixelFormat
  /// The format the file has, whatever its name.
  public let format: StillFormat
}
