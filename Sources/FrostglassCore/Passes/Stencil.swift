/// A filter of any shape: a weighted sum of samples at whole offsets along both axes.
///
/// With `n` phases along each axis, the target sample (x, y) belongs to period (qx, qy) =
/// (floor(x / n), floor(y / n)) and to phase (x − n qx, y − n qy), and is
/// `Σ_k weight_k * source[qx * stride + dx_k, qy * stride + dy_k]` over the taps of its phase, summed
/// in their order. A stride of 2 shrinks, two phases grow, both with taps that need not be separable.
package struct Stencil: Sendable, Hashable {
  /// A source sample and what it counts.
  package struct Tap: Sendable, Hashable {
    package let dx: Int
    package let dy: Int
    package let weight: Float
    /// The weight as a multiple of the stencil's unit; 0 where it has no unit.
    package let count: Int

    package init(dx: Int, dy: Int, weight: Float, count: Int = 0) {
      (self.dx, self.dy, self.weight, self.count) = (dx, dy, weight, count)
    }
  }

  /// A tap that counts a whole number of times.
  package struct WholeTap: Sendable, Hashable {
    package var dx: Int
    package var dy: Int
    package var count: Int

    package init(dx: Int, dy: Int, count: Int) {
      (self.dx, self.dy, self.count) = (dx, dy, count)
    }
  }

  /// A form that backends may use instead of the taps.
  package enum Form: Sendable, Hashable {
    /// Taps of any kind.
    case taps
    /// A filled shape: inside, all of its taps count the same. See `parts`.
    case shape(run: Int)
    /// Dual Kawase's way to an image of half the size.
    case dualHalving
    /// Dual Kawase's way back.
    case dualGrowing
  }

  /// Source samples per period, along both axes.
  package let stride: Int
  /// Target samples per period, along both axes: 1, or 2 to grow.
  package let phases: Int
  /// The taps of each phase, row by row: those of phase (px, py) are at `px + phases * py`.
  package let taps: [[Tap]]
  /// The divisor n for which all weights are multiples of 1/n, to a float's rounding, so that sums can be formed in
  /// whole numbers; `nil` where there is none. The counts of a phase sum to it.
  package let unit: Int?
  package var form: Form
  /// The offsets that occur along x, over all phases.
  package let columns: ClosedRange<Int>
  /// The offsets that occur along y, over all phases.
  package let rows: ClosedRange<Int>

  /// The same taps for every sample, one to one or, with a stride, shrinking.
  ///
  /// - Parameter taps: in any order; they are kept row by row.
  package init(_ taps: [Tap], stride: Int = 1) {
    self.init(stride: stride, phases: 1, taps: [taps])
  }

  package init(stride: Int, phases: Int, taps: [[Tap]]) {
    self.init(stride: stride, phases: phases, taps: taps, unit: nil, form: .taps)
  }

  /// The same taps of whole weights for every sample.
  package init(_ taps: [WholeTap], stride: Int = 1, form: Form = .taps) {
    self.init(stride: stride, phases: 1, taps: [taps], form: form)
  }

  /// Taps of whole weights, which sum to the same in each phase.
  package init(stride: Int, phases: Int, taps: [[WholeTap]], form: Form = .taps) {
    let unit = taps.first?.reduce(0) { $0 + $1.count } ?? 0
    let weighed = taps.map { taps in
      taps.map {
        Tap(
          dx: $0.dx, dy: $0.dy, weight: Float(Double($0.count) / Double(unit)), count: $0.count)
      }
    }
    self.init(stride: stride, phases: phases, taps: weighed, unit: unit, form: form)
  }

  private init(stride: Int, phases: Int, taps: [[Tap]], unit: Int?, form: Form) {
    func span(_ offsets: [Int]) -> ClosedRange<Int> { (offsets.min() ?? 0)...(offsets.max() ?? 0) }
    self.stride = stride
    self.phases = phases
    self.taps = taps.map { $0.sorted { ($0.dy, $0.dx) < ($1.dy, $1.dx) } }
    self.unit = unit
    self.form = form
    columns = span(taps.joined().map(\.dx))
    rows = span(taps.joined().map(\.dy))
  }

  /// Taps of the longest phase.
  package var longestPhase: Int { taps.map(\.count).max() ?? 0 }

  package func sourceRect(for target: Rect) -> Rect {
    Rect(columns: read(target.columns, columns), rows: read(target.rows, rows))
  }

  private func read(_ target: Range<Int>, _ offsets: ClosedRange<Int>) -> Range<Int> {
    let first = floorDivide(target.lowerBound, phases) * stride + offsets.lowerBound
    let last = floorDivide(target.upperBound - 1, phases) * stride + offsets.upperBound
    return first..<last + 1
  }

  /// The largest factor by which an error in the source is multiplied: the largest sum of magnitudes.
  var gain: Double {
    taps.map { $0.reduce(0) { $0 + Double(abs($1.weight)) } }.max() ?? 1
  }
}

extension Stencil: PassKind {
  package var multiplyAdds: Int { longestPhase }
  package var tapCount: Int { longestPhase }
  package var period: (x: Int, y: Int) { (phases, phases) }
  package var summary: String {
    let scale = stride > 1 ? "÷\(stride), " : phases > 1 ? "×\(phases), " : ""
    let taps = "\(scale)\(longestPhase) taps on \(columns.count)×\(rows.count)"
    return switch form {
    case .taps: taps
    case .shape(let run): "shape of \(taps), in parts runs of \(run)"
    case .dualHalving, .dualGrowing: "dual Kawase \(taps)"
    }
  }
  package var fault: String? {
    guard 1...2 ~= phases, taps.count == phases * phases, taps.allSatisfy({ !$0.isEmpty }) else {
      return "taps of \(taps.count) phases"
    }
    guard let unit else { return nil }
    let isWhole = taps.allSatisfy { $0.reduce(0) { $0 + $1.count } == unit }
    return isWhole ? nil : "weights that do not sum to 1"
  }
  package func readsBeyondEdges(of source: Int) -> (x: Bool, y: Bool) { (true, true) }
}

/// Taps being put together: weights at whole offsets, interpolated linearly in between.
struct WeightedOffsets {
  private struct Offset: Hashable {
    var dx: Int
    var dy: Int
  }

  private var weights: [Offset: Double] = [:]

  /// Adds a weight at a sample.
  mutating func add(_ weight: Double, dx: Int, dy: Int) {
    if weight > 0 { weights[Offset(dx: dx, dy: dy), default: 0] += weight }
  }

  /// Adds a weight at any position: to the nearest four samples, as linear interpolation reads them.
  mutating func add(_ weight: Double, x: Double, y: Double) {
    let left = x.rounded(.down)
    let top = y.rounded(.down)
    for (column, shareX) in [(left, 1 - (x - left)), (left + 1, x - left)] {
      for (row, shareY) in [(top, 1 - (y - top)), (top + 1, y - top)] {
        add(weight * shareX * shareY, dx: Int(column), dy: Int(row))
      }
    }
  }

  /// The taps, row by row, as floats whose sum is 1 to within a rounding.
  var taps: [Stencil.Tap] {
    normalized.map { Stencil.Tap(dx: $0.dx, dy: $0.dy, weight: Float($0.weight)) }
  }

  /// The taps as whole numbers: weights times `factor`, to the nearest; none is 0.
  func wholeTaps(times factor: Double) -> [Stencil.WholeTap] {
    let ordered = weights.sorted { ($0.key.dy, $0.key.dx) < ($1.key.dy, $1.key.dx) }
    return ordered.compactMap { offset, weight in
      let count = Int((weight * factor).rounded())
      return count > 0 ? Stencil.WholeTap(dx: offset.dx, dy: offset.dy, count: count) : nil
    }
  }

  /// The second moment along x around a place.
  func secondMoment(aroundX x: Double) -> Double {
    normalized.reduce(0) { $0 + (Double($1.dx) - x) * (Double($1.dx) - x) * $1.weight }
  }

  /// In a fixed order, so that sums are the same each time.
  private var normalized: [(dx: Int, dy: Int, weight: Double)] {
    let ordered = weights.sorted { ($0.key.dy, $0.key.dx) < ($1.key.dy, $1.key.dx) }
    let sum = ordered.reduce(0) { $0 + $1.value }
    return ordered.map { ($0.key.dx, $0.key.dy, $0.value / sum) }
  }
}
