/// What one run of a plan may take.
struct TileLimits: Hashable {
  /// Longest side of a texture.
  var longestSide: Int
  /// Bytes of textures at once.
  var bytes: Int

  /// Within these limits and others.
  func limited(to other: TileLimits) -> TileLimits {
    TileLimits(
      longestSide: min(longestSide, other.longestSide), bytes: min(bytes, other.bytes))
  }
}
