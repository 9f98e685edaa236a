public import FrostglassCore

/// What is known of an image file before its pixels are decoded.
public struct StillHeader: Sendable, Hashable {
  /// The upright size that decoding gives, after the orientation is applied, and a resize.
  public let size: Size
  /// The upright size in the file.
  public let fileSize: Size
  /// The pixel format that decoding gives.
  public let pixelFormat: PixelFormat
  /// Frames in the file: more than 1 for an animated GIF, WebP or PNG only.
  public let frames: Int
  /// What the file holds beside them that cannot be read: frames of a PNG whose animation
  /// makes no sense, pages of a TIFF and pictures of a HEIC or AVIF after the first.
  public let unreadFrames: Int
  /// The format the file has, whatever its name.
  public let format: StillFormat
  /// What to know of how its samples are read, as predicates of the file: that it `has a color profile that
  /// is damaged or incomplete; its colors are taken as sRGB`, say.
  public internal(set) var remarks: [String]

  /// Takes over what is known of a file whose header has been read.
  ///
  /// - Parameters:
  ///   - open: the file, of which nothing is decoded for this.
  ///   - resize: that it is decoded with.
  init(_ open: OpenStill, _ resize: Resize?) {
    fileSize = open.size
    size = resize?.size(of: open.size) ?? open.size
    pixelFormat = open.shape.decoded
    frames = open.frames
    unreadFrames = open.unreadFrames
    format = open.format
    remarks = open.remarks
  }
}
