/// Coverage that rises from 0 at one point to 1 at another, and is constant across: a gradient.
package struct Ramp: Sendable, Hashable {
  /// Where coverage is 0, in pixels.
  package var start: Polygon.Corner
  /// Where coverage is 1.
  package var end: Polygon.Corner
  package var easing: MaskShape.Easing

  package init(
    from start: Polygon.Corner, to end: Polygon.Corner, easing: MaskShape.Easing = .linear
  ) {
    self.start = start
    self.end = end
    self.easing = easing
  }

  /// Coverage at a point.
  private func value(_ x: Double, _ y: Double) -> Double {
    let (dx, dy) = (end.x - start.x, end.y - start.y)
    let length = dx * dx + dy * dy
    // Start and end in one place: there is no direction, and all is covered.
    guard length > 0 else { return 1 }
    let t = ((x - start.x) * dx + (y - start.y) * dy) / length
    return easing.apply(min(max(t, 0), 1))
  }

  func add(to target: UnsafeMutableBufferPointer<Float>, _ y: Int, _ columns: Range<Int>) {
    let row = Double(y) + 0.5
    if end.x == start.x {
      let value = Float(value(0, row))
      for index in target.indices { target[index] = max(target[index], value) }
      return
    }
    for (index, x) in columns.enumerated() {
      target[index] = max(target[index], Float(value(Double(x) + 0.5, row)))
    }
  }

  /// The coverage of a part's pixels, which is least in one corner and most in another.
  func range(in part: Rect) -> ClosedRange<Double> {
    let columns = [part.columns.lowerBound, part.columns.upperBound - 1]
    let rows = [part.rows.lowerBound, part.rows.upperBound - 1]
    let corners = rows.flatMap { y in
      columns.map { x in value(Double(x) + 0.5, Double(y) + 0.5) }
    }
    return (corners.min() ?? 0)...(corners.max() ?? 1)
  }

  /// Where coverage exceeds `value`: exact for upright and level ramps, else the whole picture.
  func part(above value: Double, of picture: Rect) -> Rect? {
    part(of: picture) { $0 > value }
  }

  func part(below value: Double, of picture: Rect) -> Rect? {
    part(of: picture) { $0 < value }
  }

  private func part(of picture: Rect, where holds: (Float64) -> Bool) -> Rect? {
    if end.x == start.x {
      let rows = picture.rows.filter { holds(Double(Float(value(0, Double($0) + 0.5)))) }
      guard let first = rows.first, let last = rows.last else { return nil }
      return Rect(columns: picture.columns, rows: first..<last + 1)
    }
    if end.y == start.y {
      let columns = picture.columns.filter { holds(Double(Float(value(Double($0) + 0.5, 0)))) }
      guard let first = columns.first, let last = columns.last else { return nil }
      return Rect(columns: first..<last + 1, rows: picture.rows)
    }
    return picture
  }
}
