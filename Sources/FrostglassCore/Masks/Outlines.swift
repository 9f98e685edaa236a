internal import Glibc

/// A rectangle whose corners may be round, in pixels.
package struct RoundedRectangle: Sendable, Hashable {
  package var left: Double
  package var top: Double
  package var right: Double
  package var bottom: Double
  /// Radius of the corners; at most half of either side counts.
  package var radius: Double
  /// True if the corners begin to bend earlier and softer, as those of iOS; false if they are quarters of circles.
  package var isContinuous: Bool

  package init(
    left: Double, top: Double, right: Double, bottom: Double, radius: Double = 0,
    isContinuous: Bool = false
  ) {
    self.left = left
    self.top = top
    self.right = right
    self.bottom = bottom
    self.radius = radius
    self.isContinuous = isContinuous
  }

  /// The reach of a continuous corner along the sides, in radii, as iOS draws it.
  private static let reach = 1.528665
  /// Exponent of the superellipse with that reach that meets the diagonal where the circle does:
  /// `(1 − 2^(−1/n)) √2 · reach = √2 − 1`.
  private static let exponent = 3.2576

  /// The largest change of the distance over one pixel. Near a continuous corner it is up to 1.5; some more is added
  /// for the place deep inside where corners meet sides.
  var slope: Double { isContinuous ? 2 : 1 }

  /// Distance from the border, negative inside; for continuous corners to first order.
  func distance(_ x: Double, _ y: Double) -> Double {
    let halfWidth = (right - left) / 2
    let halfHeight = (bottom - top) / 2
    let corner = corner
    let dx = abs(x - (left + right) / 2) - (halfWidth - corner)
    let dy = abs(y - (top + bottom) / 2) - (halfHeight - corner)
    guard dx > 0, dy > 0 else { return max(dx, dy) - corner }
    guard isContinuous, corner > 0 else { return (dx * dx + dy * dy).squareRoot() - corner }
    let n = RoundedRectangle.exponent
    let (px, py) = (pow(dx / corner, n), pow(dy / corner, n))
    let norm = pow(px + py, 1 / n)
    // How fast the norm grows away from the border: what makes a distance of it.
    let slopeX = px / dx * corner
    let slopeY = py / dy * corner
    let slope = (slopeX * slopeX + slopeY * slopeY).squareRoot() * norm / (px + py)
    return (norm - 1) * corner / max(slope, 0.5)
  }

  /// Columns of a row in which the distance is one and the same, as above and below the middle: that of the
  /// row from the upper or lower side. `nil` for none.
  func level(_ y: Double) -> ClosedRange<Double>? {
    let (halfWidth, halfHeight) = ((right - left) / 2, (bottom - top) / 2)
    let dy = abs(y - (top + bottom) / 2) - (halfHeight - corner)
    // Exclude what rounding could affect.
    let reach = halfWidth - corner + min(dy, 0) - 1e-6
    let center = (left + right) / 2
    return reach >= 0 && reach.isFinite && center.isFinite ? center - reach...center + reach : nil
  }

  /// The reach of the corners along the sides.
  private var corner: Double {
    let most = max(min((right - left) / 2, (bottom - top) / 2), 0)
    return min(isContinuous ? radius * RoundedRectangle.reach : radius, most)
  }

  /// Returns the half width of the part of a row whose distance from the border is at most `distance`, which is
  /// negative inside; `nil` where there is none. Not for continuous corners.
  func halfWidth(within distance: Double, _ dy: Double) -> Double? {
    let (halfWidth, halfHeight) = ((right - left) / 2, (bottom - top) / 2)
    let corner = corner
    let (most, down) = (distance + corner, dy - (halfHeight - corner))
    guard down < most else { return nil }
    let across = down > 0 ? (most * most - down * down).squareRoot() : most
    let width = halfWidth - corner + across
    return width >= 0 ? width : nil
  }
}

extension RoundedRectangle: CustomStringConvertible {
  package var description: String {
    "\(decimal(right - left, places: 1))×\(decimal(bottom - top, places: 1))"
  }
}

/// An ellipse with upright axes, in pixels.
package struct Ellipse: Sendable, Hashable {
  /// The center.
  package var x: Double
  package var y: Double
  package var radiusX: Double
  package var radiusY: Double

  package init(x: Double, y: Double, radiusX: Double, radiusY: Double) {
    self.x = x
    self.y = y
    self.radiusX = radiusX
    self.radiusY = radiusY
  }

  /// Distance from the border, negative inside.
  ///
  /// The nearest point of the border has the coordinates `a² x / (t + a²)` and `b² y / (t + b²)`
  /// with the largest `t` for which it is on the border. That is the zero of a falling, convex
  /// function, which Newton's method reaches from the left without ever passing it.
  package func distance(_ x: Double, _ y: Double) -> Double {
    let (dx, dy) = (abs(x - self.x), abs(y - self.y))
    if radiusX == radiusY { return (dx * dx + dy * dy).squareRoot() - radiusX }
    return radiusX > radiusY
      ? Ellipse.distance(dx, dy, radiusX, radiusY) : Ellipse.distance(dy, dx, radiusY, radiusX)
  }

  /// Returns the half width of the part of a row whose distance from the border is at most `distance`, which is
  /// negative inside; `nil` where there is none.
  ///
  /// Take a point's distance from the center as a multiple of the border's in its direction. Over a pixel this multiple
  /// changes by at least 1 / the larger radius, and by at most 1 / the smaller one.
  ///
  /// - Parameter surely: true for points that certainly are, false for points that may be.
  func halfWidth(within distance: Double, surely: Bool, _ dy: Double) -> Double? {
    if radiusX == radiusY {
      // Also of circles whose radius is negative, whose outline is farther away than their center.
      let radius = radiusX + distance
      return dy <= radius ? (radius * radius - dy * dy).squareRoot() : nil
    }
    let (least, most) = (min(radiusX, radiusY), max(radiusX, radiusY))
    let multiple = 1 + distance / (surely == (distance < 0) ? least : most)
    let down = dy / radiusY
    guard multiple >= 0, down <= multiple else { return nil }
    return radiusX * (multiple * multiple - down * down).squareRoot()
  }

  /// - Parameters: a point of the first quadrant, and radii with `a > b`.
  private static func distance(_ x: Double, _ y: Double, _ a: Double, _ b: Double) -> Double {
    let isInside = (x / a) * (x / a) + (y / b) * (y / b) <= 1
    let (nearX, nearY) = nearest(x, y, a, b)
    let distance = ((x - nearX) * (x - nearX) + (y - nearY) * (y - nearY)).squareRoot()
    return isInside ? -distance : distance
  }

  /// The distances of four points, each by the operations that it takes alone.
  func distances(_ x: SIMD4<Double>, _ y: Double) -> SIMD4<Double> {
    var dx = x - self.x
    dx.replace(with: -dx, where: dx .< 0)
    let dy = SIMD4(repeating: abs(y - self.y))
    let isWide = radiusX > radiusY
    let (across, down) = isWide ? (dx, dy) : (dy, dx)
    // On an axis no search is needed.
    guard all(down .> 0) else {
      var distances = SIMD4<Double>.zero
      for place in 0..<4 { distances[place] = distance(x[place], y) }
      return distances
    }
    return isWide
      ? Ellipse.distances(across, down, radiusX, radiusY)
      : Ellipse.distances(across, down, radiusY, radiusX)
  }

  private static func distances(
    _ x: SIMD4<Double>, _ y: SIMD4<Double>, _ a: Double, _ b: Double
  ) -> SIMD4<Double> {
    let (aa, bb) = (a * a, b * b)
    var t = b * y - bb
    var goesOn = SIMDMask<SIMD4<Int64>>(repeating: true)
    for _ in 0..<40 {
      let (u, v) = (a * x / (t + aa), b * y / (t + bb))
      let excess = u * u + v * v - 1
      let next = t + excess / (2 * (u * u / (t + aa) + v * v / (t + bb)))
      goesOn = goesOn .& (excess .> 1e-14) .& (next .> t)
      guard any(goesOn) else { break }
      t.replace(with: next, where: goesOn)
    }
    let (nearX, nearY) = (aa * x / (t + aa), bb * y / (t + bb))
    let distance = ((x - nearX) * (x - nearX) + (y - nearY) * (y - nearY)).squareRoot()
    let isInside = ((x / a) * (x / a) + (y / b) * (y / b)) .<= 1
    return distance.replacing(with: -distance, where: isInside)
  }

  private static func nearest(
    _ x: Double, _ y: Double, _ a: Double, _ b: Double
  ) -> (x: Double, y: Double) {
    let (aa, bb) = (a * a, b * b)
    guard y > 0 else {
      // On the long axis the nearest point is its end, or, farther in, one of two next to it.
      guard a * x < aa - bb else { return (a, 0) }
      let share = a * x / (aa - bb)
      return (share * a, b * max(1 - share * share, 0).squareRoot())
    }
    var t = b * y - bb
    for _ in 0..<40 {
      let (u, v) = (a * x / (t + aa), b * y / (t + bb))
      let excess = u * u + v * v - 1
      let next = t + excess / (2 * (u * u / (t + aa) + v * v / (t + bb)))
      guard excess > 1e-14, next > t else { break }
      t = next
    }
    return (aa * x / (t + aa), bb * y / (t + bb))
  }
}

/// A closed polygon, in pixels; where it crosses itself, what an odd number of turns encloses.
package struct Polygon: Sendable, Hashable {
  /// A corner.
  package struct Corner: Sendable, Hashable {
    package var x: Double
    package var y: Double

    package init(x: Double, y: Double) {
      self.x = x
      self.y = y
    }
  }

  /// At least three.
  package let corners: [Corner]
  let left: Double
  let top: Double
  let right: Double
  let bottom: Double
  /// An index for finding the nearest of many sides; `nil` where there are few.
  let sides: PolygonSides?

  package init(_ corners: [Corner]) {
    self.corners = corners
    left = corners.map(\.x).min() ?? 0
    top = corners.map(\.y).min() ?? 0
    right = corners.map(\.x).max() ?? 0
    bottom = corners.map(\.y).max() ?? 0
    sides = PolygonSides(corners)
  }

  /// Distance from the border, negative inside.
  package func distance(_ x: Double, _ y: Double) -> Double {
    if let sides { return corners.withUnsafeBufferPointer { sides.distance(to: x, y, $0) } }
    var nearest = Double.infinity
    var isInside = false
    var start = corners[corners.count - 1]
    for end in corners {
      let side = Side(start: start, end: end)
      nearest = min(nearest, side.offset(to: x, y).square)
      if side.spans(y), side.isRight(of: x, y) { isInside.toggle() }
      start = end
    }
    let distance = nearest.squareRoot()
    return isInside ? -distance : distance
  }
}
