internal import FrostglassCore

/// Pixels on their way from a texture to memory.
struct ReadBack {
  /// The part of the result that they are.
  var part: Rect
  /// Where they arrive: four samples per pixel, without gaps.
  var buffer: GLBuffer
  /// Bytes of one sample; at least as many as the result's.
  var sampleBytes: Int

  var bytes: Int { part.area * 4 * sampleBytes }
}
