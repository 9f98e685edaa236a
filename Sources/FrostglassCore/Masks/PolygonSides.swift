/// Boxes around neighboring sides of a polygon of many, so that who looks for the nearest side, or for
/// those that a row crosses, need not look at all of them.
///
/// A side is left out only where no rounding could make it count: what is found is what a look at each
/// of them finds, to the bit.
struct PolygonSides: Sendable, Hashable {
  /// A box around some neighboring sides.
  struct Box: Sendable, Hashable {
    var left = Double.infinity
    var top = Double.infinity
    var right = -Double.infinity
    var bottom = -Double.infinity

    fileprivate mutating func add(_ corner: Polygon.Corner) {
      (left, right) = (min(left, corner.x), max(right, corner.x))
      (top, bottom) = (min(top, corner.y), max(bottom, corner.y))
    }

    /// The square of how far a point is from it; 0 inside.
    func square(to x: Double, _ y: Double) -> Double {
      let dx = max(left - x, x - right, 0)
      let dy = max(top - y, y - bottom, 0)
      return dx * dx + dy * dy
    }

    /// Returns true if a side in here may span a row.
    func mayBeCrossed(at y: Double) -> Bool { top <= y && y < bottom }
  }

  /// The boxes in the order of the sides, all but the last with equally many.
  let boxes: [Box]
  /// The largest coordinate, whatever its sign.
  private let extent: Double

  /// Sides per box.
  static let perBox = 16
  /// The number of sides below which all are looked at.
  private static let fewest = 64
  /// The largest coordinate; of larger ones too few digits are left after the point.
  private static let most = 1e7

  /// - Returns: `nil` where a look at each side is as well.
  init?(_ corners: [Polygon.Corner]) {
    guard corners.count >= Self.fewest,
      corners.allSatisfy({ abs($0.x) <= Self.most && abs($0.y) <= Self.most })
    else { return nil }
    boxes = stride(from: 0, to: corners.count, by: Self.perBox).map { first in
      var box = Box()
      box.add(corners[first == 0 ? corners.count - 1 : first - 1])
      for corner in corners[first..<min(first + Self.perBox, corners.count)] { box.add(corner) }
      return box
    }
    extent = corners.reduce(0) { max($0, abs($1.x), abs($1.y)) }
  }

  /// Returns the indices of the sides in a box, given the number of all sides.
  func places(of box: Int, of count: Int) -> Range<Int> {
    box * Self.perBox..<min((box + 1) * Self.perBox, count)
  }

  /// Returns a bound on the error of a distance from a point, and of its consequences within some hundred pixels: a
  /// thousand roundings of the largest number that it comes from.
  func slack(at x: Double, _ y: Double) -> Double { 4e-12 * (extent + abs(x) + abs(y)) }

  /// Distance from the border, negative inside.
  func distance(
    to x: Double, _ y: Double, _ corners: UnsafeBufferPointer<Polygon.Corner>
  ) -> Double {
    let slack = slack(at: x, y)
    let list = SideList(corners: corners)
    // A side is as near as its end, or nearer.
    var nearest = Double.infinity
    for place in stride(from: 0, to: corners.count, by: Self.perBox) {
      nearest = min(nearest, corners[place].square(to: x, y))
    }
    let within = nearest.squareRoot() + slack
    nearest = .infinity
    var isInside = false
    for (index, box) in boxes.enumerated() {
      let places = places(of: index, of: corners.count)
      if box.square(to: x, y) <= within * within {
        for place in places { nearest = min(nearest, list[place].offset(to: x, y).square) }
      }
      // Sides to the left are not crossed.
      guard box.mayBeCrossed(at: y), x <= box.right + slack else { continue }
      if x < box.left - slack {
        // Of what lies to the right, those that lead over the row are an odd number if all together do.
        let (first, last) = (list[places.lowerBound].start, list[places.upperBound - 1].end)
        if Polygon.Side(start: first, end: last).spans(y) { isInside.toggle() }
      } else {
        for place in places where list[place].spans(y) && list[place].isRight(of: x, y) {
          isInside.toggle()
        }
      }
    }
    let distance = nearest.squareRoot()
    return isInside ? -distance : distance
  }
}

/// The sides of a polygon; each ends in the corner of its number.
struct SideList {
  let corners: UnsafeBufferPointer<Polygon.Corner>

  subscript(place: Int) -> Polygon.Side {
    Polygon.Side(
      start: corners[place == 0 ? corners.count - 1 : place - 1], end: corners[place])
  }
}

extension Polygon.Corner {
  /// The square of how far a point is.
  func square(to x: Double, _ y: Double) -> Double {
    let (dx, dy) = (x - self.x, y - self.y)
    return dx * dx + dy * dy
  }
}

extension Polygon {
  /// A side, from one corner to the next.
  struct Side {
    let start: Corner
    let end: Corner

    /// Returns the distance from a point to the nearest point of the side: its part to the right, and its square.
    @inline(__always)
    func offset(to x: Double, _ y: Double) -> (x: Double, square: Double) {
      let (ex, ey) = (end.x - start.x, end.y - start.y)
      let (px, py) = (x - start.x, y - start.y)
      let length = ex * ex + ey * ey
      let along = length > 0 ? min(max((px * ex + py * ey) / length, 0), 1) : 0
      let (dx, dy) = (px - ex * along, py - ey * along)
      return (dx, dx * dx + dy * dy)
    }

    /// Returns true if it crosses a row.
    @inline(__always)
    func spans(_ y: Double) -> Bool { (start.y > y) != (end.y > y) }

    /// Returns true if it crosses the point's row to the right of the point; it must cross that row.
    @inline(__always)
    func isRight(of x: Double, _ y: Double) -> Bool { x - start.x < crossing(y) }

    /// Returns the distance to the right of its start at which it crosses a row; it must cross that row.
    @inline(__always)
    func crossing(_ y: Double) -> Double {
      (end.x - start.x) * (y - start.y) / (end.y - start.y)
    }
  }
}
