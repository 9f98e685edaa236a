/// What a backend's textures take.
public struct TexturePoolStatistics: Sendable, Hashable {
  /// Bytes in use by the plan that runs now; 0 between plans.
  public var lentBytes = 0
  /// Bytes of all textures, those kept for the next plan included.
  public var heldBytes = 0
  /// The most bytes ever held.
  public var peakBytes = 0
  /// Number of textures.
  public var textures = 0
}
