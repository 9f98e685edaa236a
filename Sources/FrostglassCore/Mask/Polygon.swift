/// A closed polygon, in pixels; where it crosses itself, what an odd number of turns encloses.
public struct Polygon: Sendable, Hashable {
  /// A corner.
  public struct Corner: Sendable, Hashable {
    public var x: Double
    public var y: Double

    public init(x: Double, y: Double) {
      self.x = x
      self.y = y
    }
  }

  /// At least three.
  public let corners: [Corner]
  let left: Double
  let top: Double
  let right: Double
  let bottom: Double

  package init(_ corners: [Corner]) {
    self.corners = corners
    left = corners.map(\.x).min() ?? 0
    top = corners.map(\.y).min() ?? 0
    right = corners.map(\.x).max() ?? 0
    bottom = corners.map(\.y).max() ?? 0
  }

  /// Distance from the border, negative inside.
  func distance(_ x: Double, _ y: Double) -> Double {
    var nearest = Double.infinity
    var isInside = false
    var a = corners[corners.count - 1]
    for b in corners {
      let (ex, ey) = (b.x - a.x, b.y - a.y)
      let (px, py) = (x - a.x, y - a.y)
      let length = ex * ex + ey * ey
      let along = length > 0 ? min(max((px * ex + py * ey) / length, 0), 1) : 0
      let (dx, dy) = (px - ex * along, py - ey * along)
      nearest = min(nearest, dx * dx + dy * dy)
      // A line to the right crosses this side.
      if (a.y > y) != (b.y > y), px < ex * (y - a.y) / ey { isInside.toggle() }
      a = b
    }
    let distance = nearest.squareRoot()
    return isInside ? -distance : distance
  }
}
