/// How image files are read.
public struct DecodeOptions: Sendable, Hashable {
  /// The most pixels an image may have, width times height; larger ones are refused from their
  /// header alone. 500 million unless told; 0 refuses everything.
  public var maxPixels: Int
  /// What happens to the colors; `.srgb` unless told.
  public var profile: ProfileChoice

  public init(maxPixels: Int = 500_000_000, profile: ProfileChoice = .srgb) {
    self.maxPixels = maxPixels
    self.profile = profile
  }
}
