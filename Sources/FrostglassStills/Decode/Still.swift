public import FrostglassCore

/// One decoded picture with what its file said beside the pixels.
public struct Still: Sendable {
  /// Upright pixels, with straight alpha or none, as encoded for a display.
  public var image: Image
  /// The format the file had, whatever its name.
  public var format: StillFormat
  /// What saving keeps unless stripped.
  public var metadata: StillMetadata

  public init(image: Image, format: StillFormat, metadata: StillMetadata = StillMetadata()) {
    self.image = image
    self.format = format
    self.metadata = metadata
  }
}
