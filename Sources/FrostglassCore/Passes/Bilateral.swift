/// The mean of a window in which samples count less the farther away and the more different they
/// are.
///
/// `out(p) = Σ s(q) r(|in(q) − in(p)|) in(q) / Σ s(q) r(|in(q) − in(p)|)`, q in the window around p.
/// The difference of two pixels is `√(Δr² + Δg² + Δb² + Δa²)` of their premultiplied values, gray
/// being three equal colors. As the result is a mean of premultiplied pixels, nothing is dark where
/// alpha falls off. Each row of the window is summed on its own, from its first sample on; then the
/// rows are. On the CPU products are added to sums in one rounding.
package struct Bilateral: Sendable, Hashable {
  /// Weights along rows: `x[0]` is the center's, `x[k]` that of the samples at `k spacing` pixels
  /// on both sides. The weight of a sample is the product of its weights along x and y.
  package var x: [Float]
  /// Weights along columns.
  package var y: [Float]
  /// Pixels between neighboring samples of the window.
  package var spacing: Int
  /// The weight of a sample by its difference from the center.
  package var range: RangeWeight

  /// The weight of a sample whose color is d away from the center's.
  package enum RangeWeight: Sendable, Hashable {
    /// `2^(exponent d²)` by `PowerOfTwo`, a Gaussian; the exponent is negative and finite.
    case gaussian(exponent: Float)
    /// `1 − fall d`, and nothing where that is negative.
    case linear(fall: Float)
  }

  package init(x: [Float], y: [Float], spacing: Int = 1, range: RangeWeight) {
    self.x = x
    self.y = y
    self.spacing = spacing
    self.range = range
  }

  /// Samples of the window to each side of the center.
  package var radius: (x: Int, y: Int) { (x.count - 1, y.count - 1) }

  /// Samples in the window.
  package var samples: Int { (2 * radius.x + 1) * (2 * radius.y + 1) }

  package func sourceRect(for target: Rect) -> Rect {
    Rect(
      columns: target.columns.expanded(by: radius.x * spacing),
      rows: target.rows.expanded(by: radius.y * spacing))
  }
}

extension Bilateral: PassKind {
  // A sample of the window: its difference, its weight, its share of two sums.
  package var multiplyAdds: Int { 4 * samples }
  package var tapCount: Int { 2 * max(radius.x, radius.y) + 1 }
  package var summary: String {
    "\(2 * radius.x + 1)×\(2 * radius.y + 1)" + (spacing > 1 ? ", every \(spacing) px" : "")
  }
  package func readsBeyondEdges(of source: Int) -> (x: Bool, y: Bool) { (true, true) }
}

/// Powers of two by a polynomial, as CPU kernels and shaders compute them: the exponential of Gaussian
/// weights without a table, and without a function that each machine rounds its own way.
///
/// `2^e = 2^n p(m)` with `n` the whole number at or below `e` and `m = 1 + e − n`, from 1 to 2. Of all
/// polynomials of degree 4, p has the smallest relative error to `2^(m − 1)`. By Chebyshev's rule that is
/// about `2 (ln 2 / 4)⁵ / 5! = 2.6 · 10⁻⁶`; Remez' exchange finds 2.593 · 10⁻⁶, and floats add under
/// 3 · 10⁻⁷.
package enum PowerOfTwo {
  /// The coefficients of m⁰ to m⁴.
  package static var coefficients: [Float] { [c0, c1, c2, c3, c4] }

  private static let c0: Float = 0.5099642179
  private static let c1: Float = 0.3120160416
  private static let c2: Float = 0.1666133753
  private static let c3: Float = -0.002125209566
  private static let c4: Float = 0.01353416797

  /// The largest error of a power, as a fraction of it, for exponents from `least` to 0.
  package static let relativeError = 2.9e-6

  /// Smaller exponents count as this one: such weights are negligible next to the 1 of a window's
  /// center.
  package static let least: Float = -100

  /// `2^exponent`.
  ///
  /// - Parameter exponent: 0 or less; what is no number counts as `least`.
  package static func power(_ exponent: Float) -> Float {
    let limited = exponent > least ? exponent : least
    // As bits: whole exponents are a float's, and below them is the fraction.
    let place = Int32(limited * 8_388_608)
    let m = Float(bitPattern: UInt32(bitPattern: place & 0x7FFFFF | 0x3F80_0000))
    let upper = c2.addingProduct(m, c3.addingProduct(m, c4))
    let sum = c0.addingProduct(m, c1.addingProduct(m, upper))
    return Float(bitPattern: sum.bitPattern &+ UInt32(bitPattern: place & ~0x7FFFFF))
  }
}
