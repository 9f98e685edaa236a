/// The sample of a given rank in a square window, for each channel on its own.
///
/// The result is one of the window's samples, picked by comparisons alone: nothing is quantized, and
/// what two backends give differs by no more than their sources do. Picked from premultiplied
/// values, no color exceeds its alpha, as it does so nowhere in the window.
package struct Median: Sendable, Hashable {
  /// Samples to each side of the center.
  package var radius: Int
  /// Index into the window's samples in ascending order; half of them is the median.
  package var rank: Int

  package init(radius: Int, rank: Int) {
    self.radius = radius
    self.rank = rank
  }

  /// Samples to a side of the window.
  package var side: Int { 2 * radius + 1 }

  package func sourceRect(for target: Rect) -> Rect {
    Rect(columns: target.columns.expanded(by: radius), rows: target.rows.expanded(by: radius))
  }
}

extension Median: PassKind {
  // A GPU reads its samples about ten times.
  package var multiplyAdds: Int { 10 * side * side }
  package var tapCount: Int { side }
  package var summary: String { "\(side)×\(side), rank \(rank)" }
  package func readsBeyondEdges(of source: Int) -> (x: Bool, y: Bool) { (true, true) }
}
