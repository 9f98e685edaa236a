/// Adds noise that depends on nothing but where a pixel is.
///
/// At each point of a lattice is a whole number of mean 0, made from the point's coordinates by
/// arithmetic in 32-bit whole numbers; `growth` makes pixels of lattice points. So a pixel has the
/// same noise whatever part of the image is computed, by whatever machine.
package struct Grain: Sendable, Hashable {
  /// The distribution of the numbers, and the rule where they would leave the range 0…alpha.
  package enum Form: Sendable, Hashable {
    /// The sum of four bytes less its mean, −510…510: nearly a Gaussian of standard deviation
    /// √21845. Limited alike in both directions to what a color leaves room for, so that means stay.
    case bell
    /// One of the 64 odd numbers −63…63, all as often. What leaves the range is limited to it.
    case even
  }

  package var form: Form
  /// Another seed gives other noise.
  package var seed: UInt32
  /// Makes noise of the numbers; fractions of full scale.
  package var amplitude: Float
  /// Red, green and blue get noise of their own instead of one for all.
  package var isColored: Bool
  /// From the lattice to pixels, along both axes; at most three taps.
  package var growth: Polyphase
  /// The image holds light, and the noise is to be added to its sRGB-encoded values.
  package var encodes: Bool

  package init(
    form: Form, seed: UInt32, amplitude: Float, isColored: Bool = false,
    growth: Polyphase = .identity, encodes: Bool = false
  ) {
    self.form = form
    self.seed = seed
    self.amplitude = amplitude
    self.isColored = isColored
    self.growth = growth
    self.encodes = encodes
  }

  /// The largest of the numbers.
  package var largest: Int { form == .bell ? 510 : 63 }

  /// The numbers for red, green and blue at a lattice point.
  @inline(__always)
  package func numbers(x: Int, y: Int) -> SIMD3<Int32> {
    let bits = Grain.bits(x: x, y: y, seed: seed)
    switch form {
    case .bell:
      let sum = (bits & 255) &+ (bits &>> 8 & 255) &+ (bits &>> 16 & 255) &+ (bits &>> 24)
      return SIMD3<Int32>(truncatingIfNeeded: sum) &- 510
    case .even:
      return SIMD3<Int32>(truncatingIfNeeded: (bits &>> 26) &* 2) &- 63
    }
  }

  /// Three times 32 bits without pattern.
  ///
  /// Formula: PCG3D of Jarzynski and Olano, Hash Functions for GPU Rendering, JCGT 9 (3), 2020.
  @inline(__always)
  private static func bits(x: Int, y: Int, seed: UInt32) -> SIMD3<UInt32> {
    var v = SIMD3(UInt32(truncatingIfNeeded: x), UInt32(truncatingIfNeeded: y), seed)
    v = v &* 1_664_525 &+ 1_013_904_223
    stir(&v)
    v ^= v &>> 16
    stir(&v)
    return v
  }

  @inline(__always)
  private static func stir(_ v: inout SIMD3<UInt32>) {
    v.x &+= v.y &* v.z
    v.y &+= v.z &* v.x
    v.z &+= v.x &* v.y
  }
}

extension Grain: PassKind {
  package var multiplyAdds: Int { 4 + growth.longestPhase * growth.longestPhase }
  package var summary: String {
    "\(form), seed \(seed), amplitude \(amplitude)" + (isColored ? ", colored" : "")
      + (growth.isIdentity ? "" : ", \(growth.ratio)")
  }
}
