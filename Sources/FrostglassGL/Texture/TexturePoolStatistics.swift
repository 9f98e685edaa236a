internal import FrostglassCore

/// What a backend's textures and buffers take on the GPU.
public struct TexturePoolStatistics: Sendable, Hashable, CustomStringConvertible {
  /// Bytes in use by the plan that runs now and by pictures that are kept on the device.
  public var lentBytes = 0
  /// Bytes of all textures, those kept for the next plan included.
  public var heldBytes = 0
  /// Bytes of the buffers that pictures go through on their way to and from textures.
  public var bufferBytes = 0
  /// The most bytes ever held, textures and buffers together.
  public var peakBytes = 0
  /// The most bytes that may be held.
  public var ceilingBytes = 0
  /// Number of textures.
  public var textures = 0
  /// How many textures were ever made.
  public var made = 0
  /// How often one that was kept served again.
  public var reused = 0

  public init() {}

  /// The high-water mark, the limit and the counts, for people.
  public var description: String {
    "at most \(ByteCount(peakBytes)) of \(ByteCount(ceilingBytes)), \(textures) textures kept, "
      + "\(made) made, \(reused) used again"
  }
}
