/// A filter of any shape: a weighted sum of samples at whole offsets along both axes.
///
/// With `n` phases along each axis, the target sample (x, y) belongs to period (qx, qy) =
/// (floor(x / n), floor(y / n)) and to phase (x − n qx, y − n qy), and is
/// `Σ_k weight_k * source[qx * stride + dx_k, qy * stride + dy_k]` over the taps of its phase, summed
/// in their order. A stride of 2 shrinks, two phases grow, both with taps that need not be separable.
package struct Stencil: Sendable, Hashable {
  /// A source sample and what it counts.
  package struct Tap: Sendable, Hashable {
    package var dx: Int
    package var dy: Int
    package var weight: Float

    package init(dx: Int, dy: Int, weight: Float) {
      self.dx = dx
      self.dy = dy
      self.weight = weight
    }
  }

  /// Source samples per period, along both axes.
  package var stride: Int
  /// Target samples per period, along both axes: 1, or 2 to grow.
  package var phases: Int
  /// The taps of each phase, row by row: those of phase (px, py) are at `px + phases * py`.
  package var taps: [[Tap]]

  /// The same taps for every sample, one to one or, with a stride, shrinking.
  ///
  /// - Parameter taps: in any order; they are kept row by row.
  package init(_ taps: [Tap], stride: Int = 1) {
    self.init(stride: stride, phases: 1, taps: [taps])
  }

  package init(stride: Int, phases: Int, taps: [[Tap]]) {
    precondition(1...2 ~= phases && taps.count == phases * phases)
    precondition(taps.allSatisfy { !$0.isEmpty })
    self.stride = stride
    self.phases = phases
    self.taps = taps.map { $0.sorted { ($0.dy, $0.dx) < ($1.dy, $1.dx) } }
  }

  /// Taps of the longest phase.
  package var longestPhase: Int { taps.map(\.count).max() ?? 0 }

  /// The offsets that occur along x, over all phases.
  var columns: ClosedRange<Int> { Self.span(taps.joined().map(\.dx)) }
  /// The offsets that occur along y, over all phases.
  var rows: ClosedRange<Int> { Self.span(taps.joined().map(\.dy)) }

  private static func span(_ offsets: [Int]) -> ClosedRange<Int> {
    (offsets.min() ?? 0)...(offsets.max() ?? 0)
  }

  package func sourceRect(for target: Rect) -> Rect {
    Rect(columns: read(target.columns, columns), rows: read(target.rows, rows))
  }

  private func read(_ target: Range<Int>, _ offsets: ClosedRange<Int>) -> Range<Int> {
    let first = floorDivide(target.lowerBound, phases) * stride + offsets.lowerBound
    let last = floorDivide(target.upperBound - 1, phases) * stride + offsets.upperBound
    return first..<last + 1
  }

  /// What an error in the source can at most be multiplied by: the largest sum of magnitudes.
  var gain: Double {
    taps.map { $0.reduce(0) { $0 + Double(abs($1.weight)) } }.max() ?? 1
  }
}

extension Stencil: PassKind {
  package var multiplyAdds: Int { longestPhase }
  package var tapCount: Int { longestPhase }
  package var period: (x: Int, y: Int) { (phases, phases) }
  package var summary: String {
    (stride > 1 ? "÷\(stride), " : phases > 1 ? "×\(phases), " : "")
      + "\(longestPhase) taps on \(columns.count)×\(rows.count)"
  }
  package func readsBeyondEdges(of source: Int) -> (x: Bool, y: Bool) { (true, true) }
}
