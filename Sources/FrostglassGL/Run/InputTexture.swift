internal import FrostglassCore
internal import FrostglassShaders

/// A texture that passes read an input picture from.
struct InputTexture {
  var texture: GLTexture
  var kind: SampleKind
  /// What the texture holds, in the picture's grid: the part that was asked for, or more.
  var domain: Rect
  /// Samples per pixel of the picture; the texture may have more.
  var channels: Int
  /// Whether the texture goes back to the pool once nothing reads it any more.
  var isLent: Bool
}
