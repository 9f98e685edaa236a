/// Brings an input picture into the working space: linear or encoded, premultiplied.
///
/// For each pixel, with samples as fractions of full scale:
/// 1. the colors of straight-alpha input are decoded to linear light if `decodesToLinear`,
///    then multiplied by alpha; premultiplied input is divided, decoded and multiplied again;
/// 2. gray is repeated where `layout` has colors; alpha is 1 where the input has none.
package struct Load: Sendable, Hashable {
  /// Which of the plan's inputs.
  package var input: Int
  /// The alpha mode of that input.
  package var alpha: AlphaMode
  /// Apply the inverse sRGB curve.
  package var decodesToLinear: Bool

  package init(input: Int, alpha: AlphaMode, decodesToLinear: Bool) {
    self.input = input
    self.alpha = alpha
    self.decodesToLinear = decodesToLinear
  }
}

extension Load: PassKind {
  package var sourceCount: Int { 0 }
  package var summary: String { "input \(input)\(decodesToLinear ? ", to linear light" : "")" }
}
