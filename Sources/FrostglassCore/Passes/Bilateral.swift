/// The mean of a window in which samples count less the farther away and the more different they
/// are.
///
/// `out(p) = Σ s(q) r(|in(q) − in(p)|) in(q) / Σ s(q) r(|in(q) − in(p)|)`, q in the window around p.
/// The difference of two pixels is `√(Δr² + Δg² + Δb² + Δa²)` of their premultiplied values, gray
/// being three equal colors. As the result is a mean of premultiplied pixels, nothing is dark where
/// alpha falls off. Each row of the window is summed on its own, from its first sample on; then the
/// rows are.
package struct Bilateral: Sendable, Hashable {
  /// Weights along rows: `x[0]` is the center's, `x[k]` that of the samples at `k spacing` pixels
  /// on both sides. The weight of a sample is the product of its weights along x and y.
  package var x: [Float]
  /// Weights along columns.
  package var y: [Float]
  /// Pixels between neighboring samples of the window.
  package var spacing: Int
  /// `range[k]` is the weight of a difference of `k / fineness`; between them it is linear, and
  /// farther on the last. At least two.
  package var range: [Float]
  /// Entries of `range` per unit of difference.
  package var fineness: Float

  package init(x: [Float], y: [Float], spacing: Int = 1, range: [Float], fineness: Float) {
    self.x = x
    self.y = y
    self.spacing = spacing
    self.range = range
    self.fineness = fineness
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
