public import FrostglassCore

/// What is known of an image file before its pixels are decoded.
public struct StillHeader: Sendable, Hashable {
  /// The upright size, after the orientation is applied.
  public let size: Size
  /// The pixel format that decoding gives.
  public let pixelFormat: PixelFormat
  /// Frames in the file: more than 1 for an animated GIF or WebP only.
  public let frames: Int
  /// The format the file has, whatever its name.
  public let format: StillFormat

  init(_ open: OpenStill) {
    size = open.size
    pixelFormat = open.shape.decoded
    frames = open.frames
    format = open.format
  }
}
