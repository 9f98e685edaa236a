/// How image files are read.
public struct DecodeOptions: Sendable, Hashable {
  /// The most pixels an image may have, width times height; larger ones are refused from their
  /// header alone. Of an animation that is read whole, those of all frames count. 500 million unless
  /// told; 0 refuses everything.
  public var maxPixels: Int
  /// What happens to the colors; `.srgb` unless told.
  public var profile: ProfileChoice
  /// Which frame of an animation to read, counted from 1; `nil` for the first, or for all where all
  /// can be used. Of what is no animation there is one.
  public var frame: Int?

  public init(
    maxPixels: Int = 500_000_000, profile: ProfileChoice = .srgb, frame: Int? = nil
  ) {
    self.maxPixels = maxPixels
    self.profile = profile
    self.frame = frame
  }
}
