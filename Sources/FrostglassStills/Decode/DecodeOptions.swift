/// How image files are read.
public struct DecodeOptions: Sendable, Hashable {
  /// The most pixels an image may have, width times height; larger ones are refused from their
  /// header alone. Of an animation that is read whole, those of all frames count. 500 million unless
  /// told; 0 refuses everything.
  public var maxPixels: Int
  /// The most bytes that a picture may take while something is done with it, as its header, the plan
  /// and the formats let expect; what would take more is refused before it is decoded. `nil` is half
  /// of the machine's memory.
  ///
  /// Counted are what decoder and encoder keep, pictures and rows of pictures on the way, and the
  /// encoded file where that is put together in memory; not what a process takes without a picture.
  public var maxMemory: Int?
  /// What happens to the colors; `.srgb` unless told.
  public var profile: ProfileChoice
  /// Which frame of an animation to read, counted from 1; `nil` for the first, or for all where all
  /// can be used. Of what is no animation there is one.
  public var frame: Int?

  public init(
    maxPixels: Int = 500_000_000, maxMemory: Int? = nil, profile: ProfileChoice = .srgb,
    frame: Int? = nil
  ) {
    self.maxPixels = maxPixels
    self.maxMemory = maxMemory
    self.profile = profile
    self.frame = frame
  }
}
