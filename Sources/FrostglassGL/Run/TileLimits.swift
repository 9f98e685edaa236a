/// What one run of a plan may take.
struct TileLimits: Hashable {
  /// Longest side of a texture.
  var longestSide: Int
  /// Bytes of textures at once.
  var bytes: Int
}
