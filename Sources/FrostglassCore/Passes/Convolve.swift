/// A symmetric filter along one axis: `out[i] = t0 in[i] + Σ tk (in[i - k] + in[i + k])`.
///
/// The sum is formed from the outermost pair inward in every backend.
package struct Convolve: Sendable, Hashable {
  package var axis: Axis
  /// `taps[0]` is the center, `taps[k]` serves the samples at distance k on both sides.
  package var taps: [Float]

  package init(axis: Axis, taps: [Float]) {
    self.axis = axis
    self.taps = taps
  }

  /// Samples read to each side.
  package var radius: Int { taps.count - 1 }

  package func sourceRect(for target: Rect) -> Rect {
    switch axis {
    case .x: Rect(columns: target.columns.expanded(by: radius), rows: target.rows)
    case .y: Rect(columns: target.columns, rows: target.rows.expanded(by: radius))
    }
  }
}

extension Convolve: PassKind {
  package var multiplyAdds: Int { 2 * radius + 1 }
  package var tapCount: Int { 2 * radius + 1 }
  package var summary: String { "\(axis), radius \(radius), center \(taps[0])" }
  package func readsBeyondEdges(of source: Int) -> (x: Bool, y: Bool) { (axis == .x, axis == .y) }
}

/// A direction in the picture.
package enum Axis: Sendable, Hashable, CaseIterable {
  /// Along rows, left to right.
  case x
  /// Along columns, top to bottom.
  case y
}
