/// What a backend's textures take.
public struct TexturePoolStatistics: Sendable, Hashable {
  /// Bytes in use by the plan that runs now and by pictures that are kept on the device.
  public var lentBytes = 0
  /// Bytes of all textures, those kept for the next plan included.
  public var heldBytes = 0
  /// Bytes of the buffers that pictures go through on their way to and from textures.
  public var bufferBytes = 0
  /// The most bytes ever held.
  public var peakBytes = 0
  /// Number of textures.
  public var textures = 0
}
