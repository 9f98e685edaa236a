/// Brings the working picture into the form the caller asked for.
///
/// For each pixel: composed on `background` if there is one, divided by alpha if the output is
/// straight (a pixel of alpha 0 becomes all zeros), encoded with the sRGB curve if
/// `encodesFromLinear`. Integers are limited to 0…1 and rounded: `floor(v * fullScale + 0.5)`.
/// Gray is repeated where the output has colors; alpha is 1 where the picture has none.
package struct Store: Sendable, Hashable {
  /// Index into the plan's results.
  package var result: Int
  /// Output channels and storage.
  package var format: PixelFormat
  /// Alpha mode of the output.
  package var alpha: AlphaMode
  /// Apply the sRGB curve.
  package var encodesFromLinear: Bool
  /// Red, green and blue in the working space to compose on; `nil` keeps alpha.
  package var background: SIMD3<Float>?

  package init(
    result: Int = 0, format: PixelFormat, alpha: AlphaMode, encodesFromLinear: Bool,
    background: SIMD3<Float>?
  ) {
    self.result = result
    self.format = format
    self.alpha = alpha
    self.encodesFromLinear = encodesFromLinear
    self.background = background
  }
}

extension Store: PassKind {
  package var summary: String {
    "\(format) \(alpha)\(encodesFromLinear ? ", from linear light" : "")"
      + (background.map { ", on \($0.x) \($0.y) \($0.z)" } ?? "")
  }
}
