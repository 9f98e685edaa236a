/// Coverage that rises from 0 at one point to 1 at another, and is constant across: a gradient.
package struct Ramp: Sendable, Hashable {
  /// The point where coverage is 0, in pixels.
  package var start: Polygon.Corner
  /// The point where coverage is 1.
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
    let (left, right) = (Double(part.x) + 0.5, Double(part.columns.upperBound) - 0.5)
    let (top, bottom) = (Double(part.y) + 0.5, Double(part.rows.upperBound) - 0.5)
    let corners = SIMD4(
      value(left, top), value(right, top), value(left, bottom), value(right, bottom))
    return corners.min()...corners.max()
  }

  /// Returns a rectangle around the pixels whose coverage exceeds `value`: exact for upright and level ramps, else the
  /// whole image.
  func part(above value: Double, of picture: Rect) -> Rect? {
    part(of: picture, isAbove: true, value)
  }

  func part(below value: Double, of picture: Rect) -> Rect? {
    part(of: picture, isAbove: false, value)
  }

  private func part(of picture: Rect, isAbove: Bool, _ limit: Double) -> Rect? {
    func holds(_ value: Double, _ doubt: Double) -> Bool {
      isAbove
        ? Double(Float(value * (1 + doubt))) > limit : Double(Float(value * (1 - doubt))) < limit
    }
    if end.x == start.x {
      let rows = stretch(of: picture.rows, isAtEnd: isAbove == (end.y >= start.y)) {
        holds(value(0, Double($0) + 0.5), $1)
      }
      return rows.map { Rect(columns: picture.columns, rows: $0) }
    }
    if end.y == start.y {
      let columns = stretch(of: picture.columns, isAtEnd: isAbove == (end.x > start.x)) {
        holds(value(Double($0) + 0.5, 0), $1)
      }
      return columns.map { Rect(columns: $0, rows: picture.rows) }
    }
    return picture
  }

  /// The first or the last of some rows or columns: up to the last, or from the first, where something
  /// holds.
  ///
  /// Coverage rises or falls all the way, so that halving finds the border: pictures have up to 2²⁴ rows.
  /// As easing may fall by a last place where it should rise, the search is for where something could
  /// hold, and the few places there are looked at.
  ///
  /// - Parameter holds: gets a place, and by what share its coverage may be wrong.
  private func stretch(
    of places: Range<Int>, isAtEnd: Bool, where holds: (Int, Double) -> Bool
  ) -> Range<Int>? {
    var (low, high) = (places.lowerBound, places.upperBound)
    while low < high {
      let middle = low + (high - low) / 2
      if holds(middle, 1e-12) == isAtEnd { high = middle } else { low = middle + 1 }
    }
    if isAtEnd {
      while low < places.upperBound, !holds(low, 0) { low += 1 }
      return low < places.upperBound ? low..<places.upperBound : nil
    }
    while low > places.lowerBound, !holds(low - 1, 0) { low -= 1 }
    return low > places.lowerBound ? places.lowerBound..<low : nil
  }
}
