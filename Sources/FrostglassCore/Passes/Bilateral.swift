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
  /// What a difference counts.
  package var range: RangeWeight

  /// What a sample counts whose color is d away from the center's.
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
