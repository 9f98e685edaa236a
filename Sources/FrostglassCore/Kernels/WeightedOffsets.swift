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
