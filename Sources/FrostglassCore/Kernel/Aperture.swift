internal import Glibc

/// The opening of a lens, which is the shape of its blur: a disc, or a polygon of its blades.
struct Aperture: Sendable, Hashable {
  /// Corners of a regular polygon; `nil` is a disc.
  var blades: Int?
  /// The direction of the first corner, in radians, clockwise from the x axis.
  var rotation = 0.0

  /// The variance along each axis of the shape with radius 1, corners at the radius.
  ///
  /// A regular polygon's is `(2 + cos(2π/n)) / 12`, along every axis; a disc's is the limit, 1/4.
  var variance: Double {
    blades.map { (2 + cos(2 * .pi / Double($0))) / 12 } ?? 0.25
  }

  /// How much of each pixel the shape covers, as the taps that make this shape of a point.
  ///
  /// Exact along x; along y, the mean of 64 lines per pixel.
  func taps(radius: Double) -> [Stencil.Tap] {
    let lines = 64
    let last = Int((radius + 0.5).rounded(.down))
    var offsets = WeightedOffsets()
    for dy in -last...last {
      var covered = [Double](repeating: 0, count: 2 * last + 1)
      for line in 0..<lines {
        let y = Double(dy) - 0.5 + (Double(line) + 0.5) / Double(lines)
        guard let span = span(at: y, radius) else { continue }
        for dx in -last...last {
          let left = max(span.lowerBound, Double(dx) - 0.5)
          let right = min(span.upperBound, Double(dx) + 0.5)
          covered[dx + last] += max(right - left, 0)
        }
      }
      for dx in -last...last { offsets.add(covered[dx + last], dx: -dx, dy: -dy) }
    }
    return offsets.taps
  }

  /// What the shape covers of a horizontal line; `nil` when it does not meet it.
  private func span(at y: Double, _ radius: Double) -> ClosedRange<Double>? {
    guard let blades else {
      let square = radius * radius - y * y
      return square > 0 ? -square.squareRoot()...square.squareRoot() : nil
    }
    // A side lies where the product with its normal is the distance to the center.
    let distance = radius * cos(.pi / Double(blades))
    var (left, right) = (-radius, radius)
    for blade in 0..<blades {
      let angle = rotation + (2 * Double(blade) + 1) * .pi / Double(blades)
      let normal = (x: cos(angle), y: sin(angle))
      let rest = distance - normal.y * y
      if normal.x > 1e-9 {
        right = min(right, rest / normal.x)
      } else if normal.x < -1e-9 {
        left = max(left, rest / normal.x)
      } else if rest < 0 {
        return nil
      }
    }
    return left < right ? left...right : nil
  }
}
