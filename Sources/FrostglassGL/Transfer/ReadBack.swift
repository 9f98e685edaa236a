internal import FrostglassCore

/// Pixels on their way from a texture to memory.
struct ReadBack {
  /// How they arrive in the buffer, without gaps.
  enum Form {
    /// As the result holds them.
    case rows
    /// Four samples per pixel of so many bytes, at least as many as the result's.
    case samples(bytes: Int)
  }

  /// The part of the result that they are.
  var part: Rect
  var buffer: GLBuffer
  var form: Form
}
