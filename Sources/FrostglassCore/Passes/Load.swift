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
  /// How many low bits of 16-bit words a gray sample has, of which all are full scale; words above
  /// are limited. `nil` is all of them.
  package var bits: Int?

  package init(input: Int, alpha: AlphaMode, decodesToLinear: Bool, bits: Int? = nil) {
    self.input = input
    self.alpha = alpha
    self.decodesToLinear = decodesToLinear
    self.bits = bits
  }
}

extension Load: PassKind {
  package var sourceCount: Int { 0 }
  package var summary: String {
    "input \(input)\(decodesToLinear ? ", to linear light" : "")"
      + (bits.map { ", \($0) bits" } ?? "")
  }
}
