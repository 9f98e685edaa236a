/// Lets bright pixels count more in the means to come: multiplies each pixel by a weight.
///
/// The weight is `1 + highlights * Y⁴` with `Y` the brightness of the premultiplied color limited to
/// 0…1, and is divided by `1 + highlights` to stay in 0…1. Alpha is multiplied too: after blurs it
/// holds how much weight came together, and a `Blend` that normalizes divides by it.
package struct HighlightWeight: Sendable, Hashable {
  /// The additional weight of white over black; 0 or more.
  package var highlights: Float
  /// Red, green and blue in the brightness.
  package var luma: SIMD3<Float>

  package init(highlights: Float, luma: SIMD3<Float>) {
    self.highlights = highlights
    self.luma = luma
  }

  /// The largest factor by which an error in the source is multiplied.
  ///
  /// With h for `highlights`, `c (1 + h Y⁴) / (1 + h)` changes by at most `(1 + h) / (1 + h)` through
  /// c and `4 h / (1 + h)` through Y.
  var gain: Double { 1 + 4 * Double(highlights) / (1 + Double(highlights)) }
}

extension HighlightWeight: PassKind {
  package var multiplyAdds: Int { 6 }
  package var summary: String { "by brightness, highlights \(highlights)" }
}
