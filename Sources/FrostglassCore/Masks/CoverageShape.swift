internal import Glibc

/// One shape of a mask, in pixels; pixel `i` has its center at `i + 0.5`.
package struct CoverageShape: Sendable, Hashable {
  /// The outline of the covered area.
  package enum Outline: Sendable, Hashable {
    case rectangle(RoundedRectangle)
    case ellipse(Ellipse)
    case polygon(Polygon)
    case ramp(Ramp)
    case picture(MaskImage)
  }

  package var outline: Outline
  /// The distance over which coverage falls from 1, at the grown outline, to 0 outside it, in pixels.
  package var feather: Double
  /// The distance the outline is moved outward, in pixels; negative inward.
  package var grow: Double

  package init(_ outline: Outline, feather: Double = 0, grow: Double = 0) {
    self.outline = outline
    self.feather = feather
    self.grow = grow
  }

  /// Raises a row to this shape's coverage.
  func add(to target: UnsafeMutableBufferPointer<Float>, _ y: Int, _ columns: Range<Int>) {
    switch outline {
    case .rectangle(let shape):
      // To first order, continuous corners may reach farther.
      let part = shape.isContinuous ? columns : reached(shape.left, shape.right, columns)
      add(
        to: target, y, columns, in: part, slope: shape.slope, level: shape.level(Double(y) + 0.5),
        shape.distance)
    case .ellipse(let shape):
      walk(y, columns, (shape.x, shape.y), shape.halfWidth) { run, isInside in
        switch isInside {
        case nil: add(to: target, y, columns, in: run, slope: 1, shape.distance)
        case true?:
          for x in run { target[x - columns.lowerBound] = 1 }
        case false?: break
        }
      }
    case .polygon(let shape):
      let part = reached(shape.left, shape.right, columns)
      if let sides = shape.sides {
        PolygonRow.raise(target, y, columns, in: part, to: self, shape, sides)
      } else {
        add(to: target, y, columns, in: part, slope: 1, shape.distance)
      }
    case .ramp(let ramp): ramp.add(to: target, y, columns)
    case .picture(let picture): picture.add(to: target, y, columns)
    }
  }

  /// Raises a part of a row to this shape's coverage, which depends on the distance from its outline.
  ///
  /// Where the outline is far away, as many pixels are decided at once as it is away; and all along which it
  /// is as far.
  ///
  /// - Parameters:
  ///   - slope: the largest change of the distance over one pixel.
  ///   - level: columns of the row in which the distance is one and the same.
  private func add(
    to target: UnsafeMutableBufferPointer<Float>, _ y: Int, _ columns: Range<Int>,
    in part: Range<Int>, slope: Double, level: ClosedRange<Double>? = nil,
    _ distance: (Double, Double) -> Double
  ) {
    let row = Double(y) + 0.5
    let outside = max(feather, 0.5)
    let doubt = CoverageShape.doubt
    var x = part.lowerBound
    while x < part.upperBound {
      let index = x - columns.lowerBound
      // Nothing raises it; of shapes that moved a little, others cover most.
      guard target[index] < 1 else {
        x += 1
        continue
      }
      let here = distance(Double(x) + 0.5, row) - grow
      let beyond = max(here - outside, -0.5 - here)
      // Also if the distance is NaN.
      var others = beyond > doubt ? Int(min((beyond - doubt) / slope, 1e9)) : 0
      if let level, level.contains(Double(x) + 0.5) {
        others = max(others, Int(min(level.upperBound - Double(x) - 0.5, 1e9)))
      }
      let end = min(x + 1 + others, part.upperBound)
      let value = Float(coverage(at: here))
      for place in index..<end - columns.lowerBound where target[place] < value {
        target[place] = value
      }
      x = end
    }
  }

  /// The columns that a shape between two others may cover.
  private func reached(_ left: Double, _ right: Double, _ columns: Range<Int>) -> Range<Int> {
    // One pixel more than that, so that rounding cannot matter.
    let reach = max(grow + max(feather, 0.5), 0) + 1
    guard (left - reach).isFinite, (right + reach).isFinite else { return columns }
    func column(_ x: Double) -> Int {
      Int(min(max(x, Double(columns.lowerBound)), Double(columns.upperBound)))
    }
    let first = column((left - reach).rounded(.down))
    return first..<max(column((right + reach).rounded(.up)), first)
  }

  /// Goes through a row in stretches that are inside, outside, or near the outline; ramps and images
  /// have none.
  ///
  /// - Parameter run: gets columns and whether they are inside; `nil` where each must be looked at.
  func walk(_ y: Int, _ columns: Range<Int>, _ run: (Range<Int>, Bool?) -> Void) {
    switch outline {
    case .rectangle(let shape) where shape.isContinuous:
      walk(y, columns, slope: shape.slope, shape.distance, run)
    case .rectangle(let shape):
      let center = (x: (shape.left + shape.right) / 2, y: (shape.top + shape.bottom) / 2)
      walk(y, columns, center, { distance, _, dy in shape.halfWidth(within: distance, dy) }, run)
    case .ellipse(let shape): walk(y, columns, (shape.x, shape.y), shape.halfWidth, run)
    case .polygon(let shape): walk(y, columns, slope: 1, shape.distance, run)
    case .ramp, .picture: break
    }
  }

  /// Goes through a row of a shape that is symmetric around a center and has one part in each row.
  ///
  /// - Parameter halfWidth: returns the half width of the part of the row whose distance from the outline is at most a
  ///   distance: certainly, if asked so, otherwise perhaps; `nil` where there is none.
  private func walk(
    _ y: Int, _ columns: Range<Int>, _ center: (x: Double, y: Double),
    _ halfWidth: (_ distance: Double, _ surely: Bool, _ dy: Double) -> Double?,
    _ run: (Range<Int>, Bool?) -> Void
  ) {
    let dy = abs(Double(y) + 0.5 - center.y)
    let doubt = CoverageShape.doubt
    guard let far = halfWidth(grow + max(feather, 0.5) + doubt, false, dy) else {
      return run(columns, false)
    }
    let near = halfWidth(grow - 0.5 - doubt, true, dy)
    guard center.x.isFinite, far.isFinite, near?.isFinite ?? true else { return run(columns, nil) }
    func column(_ x: Double) -> Int {
      Int(min(max(x, Double(columns.lowerBound)), Double(columns.upperBound)))
    }
    // Evaluate pixels that rounding could affect.
    let rounding = 0.01
    let first = column((center.x - far - 0.5 - rounding).rounded(.down))
    let end = column((center.x + far + 0.5 + rounding).rounded(.up))
    var (from, to) = (end, end)
    if let near {
      from = max(column((center.x - near - 0.5 + rounding).rounded(.up)), first)
      to = min(column((center.x + near + 0.5 - rounding).rounded(.down)), end)
      if from >= to { (from, to) = (end, end) }
    }
    if columns.lowerBound < first { run(columns.lowerBound..<first, false) }
    if first < from { run(first..<from, nil) }
    if from < to { run(from..<to, true) }
    if to < end { run(to..<end, nil) }
    if end < columns.upperBound { run(end..<columns.upperBound, false) }
  }

  private func walk(
    _ y: Int, _ columns: Range<Int>, slope: Double, _ distance: (Double, Double) -> Double,
    _ run: (Range<Int>, Bool?) -> Void
  ) {
    let row = Double(y) + 0.5
    let outside = max(feather, 0.5)
    // Along a wide slope a few samples suffice.
    let step = max(min(Int(outside / 4), 16), 1)
    var (x, near) = (columns.lowerBound, columns.lowerBound)
    while x < columns.upperBound {
      let here = distance(Double(x) + 0.5, row) - grow
      let beyond = max(here - outside, -0.5 - here)
      guard beyond > CoverageShape.doubt else {
        x = min(x + step, columns.upperBound)
        continue
      }
      if near < x { run(near..<x, nil) }
      let others = Int(min((beyond - CoverageShape.doubt) / slope, 1e9))
      let end = min(x + 1 + others, columns.upperBound)
      run(x..<end, here < 0)
      (x, near) = (end, end)
    }
    if near < x { run(near..<x, nil) }
  }

  /// Distances that were worked out for another pixel may be wrong in their last places.
  static let doubt = 1e-6

  /// The coverage of some columns of a row, whose room goes on to a multiple of four.
  func fill(
    _ y: Int, _ columns: Range<Int>, into target: UnsafeMutablePointer<Float>,
    _ vectors: CoverageVectors?
  ) {
    if case .ellipse(let shape) = outline {
      guard let vectors, shape.radiusX == shape.radiusY else {
        return fill(y, columns, shape, into: target)
      }
      let dy = abs(Double(y) + 0.5 - shape.y)
      let circle = CoveredCircle(
        column: Double(columns.lowerBound) + 0.5, center: shape.x, square: dy * dy,
        radius: shape.radiusX, grow: grow, feather: feather)
      return vectors.cover(circle, target, columns.count)
    }
    let part = UnsafeMutableBufferPointer(start: target, count: columns.count)
    part.update(repeating: 0)
    add(to: part, y, columns)
  }

  /// Fills columns with the coverage of an ellipse, four pixels at a time, with the result of computing each alone.
  private func fill(
    _ y: Int, _ columns: Range<Int>, _ ellipse: Ellipse, into target: UnsafeMutablePointer<Float>
  ) {
    typealias Four = SIMD4<Double>
    let row = Double(y) + 0.5
    let dy = abs(row - ellipse.y)
    let isCircle = ellipse.radiusX == ellipse.radiusY
    let places = Four(0, 1, 2, 3) + 0.5
    for x in stride(from: 0, to: columns.count, by: 4) {
      let column = Four(repeating: Double(columns.lowerBound + x)) + places
      let distance: Four
      if isCircle {
        let dx = column - ellipse.x
        distance = (dx * dx + dy * dy).squareRoot() - ellipse.radiusX - grow
      } else {
        distance = ellipse.distances(column, row) - grow
      }
      var value: Four
      if feather >= 1 {
        var t = distance / feather
        t.replace(with: 0, where: t .< 0)
        t.replace(with: 1, where: t .> 1)
        value = 1 - t * t * (3 - 2 * t)
      } else {
        value = 0.5 - distance
        value.replace(with: 0, where: value .< 0)
        value.replace(with: 1, where: value .> 1)
      }
      let values = SIMD4<Float>(value)
      UnsafeMutableRawPointer(target + x).storeBytes(of: values, as: SIMD4<Float>.self)
    }
  }

  /// Coverage at a distance from the grown outline, negative inside.
  package func coverage(at distance: Double) -> Double {
    // Anti-aliasing over a pixel, unless feathering is wider.
    guard feather >= 1 else { return min(max(0.5 - distance, 0), 1) }
    return 1 - smoothstep(distance / feather)
  }
}

extension CoverageShape: CustomStringConvertible {
  package var description: String {
    let name =
      switch outline {
      case .rectangle(let shape): shape.radius > 0 ? "a rounded rectangle" : "a rectangle"
      case .ellipse: "an ellipse"
      case .polygon(let polygon): "a polygon of \(polygon.corners.count) corners"
      case .ramp: "a gradient"
      case .picture(let picture): "a mask of \(picture.size)"
      }
    return name + (grow == 0 ? "" : " grown by \(shortest(grow))")
      + (feather == 0 ? "" : " feathered by \(shortest(feather))")
  }
}

/// 0 up to 0, 1 from 1 on, `t² (3 − 2t)` between.
func smoothstep(_ value: Double) -> Double {
  let t = min(max(value, 0), 1)
  return t * t * (3 - 2 * t)
}

// Where a shape counts.
extension CoverageShape {
  /// Returns a rectangle around the pixels whose coverage exceeds `value`; `nil` where there are none.
  func part(above value: Double, of picture: Rect) -> Rect? {
    let part: Rect? =
      switch outline {
      case .rectangle(let shape): box(shape.left, shape.top, shape.right, shape.bottom, value)
      case .ellipse(let shape):
        box(
          shape.x - shape.radiusX, shape.y - shape.radiusY, shape.x + shape.radiusX,
          shape.y + shape.radiusY, value)
      case .polygon(let shape): box(shape.left, shape.top, shape.right, shape.bottom, value)
      case .ramp(let ramp): ramp.part(above: value, of: picture)
      case .picture(let mask): mask.part(above: value)
      }
    guard let inside = part?.intersection(picture), !inside.isEmpty else { return nil }
    return inside
  }

  /// Returns a rectangle around the pixels whose coverage is under `value`; `nil` where there are none.
  func part(below value: Double, of picture: Rect) -> Rect? {
    switch outline {
    case .rectangle(let shape) where shape.radius == 0:
      // Up to this distance coverage is still as large; outward it bends around the corners, and the
      // largest box in there is nearer by √2.
      let reach = grow + (feather >= 1 ? distance(where: value).low : -0.5)
      let inset = reach > 0 ? -reach * 0.5.squareRoot() : -reach
      let full = Rect(
        columns: spanned(shape.left + inset, shape.right - inset),
        rows: spanned(shape.top + inset, shape.bottom - inset))
      return picture.outside(full)
    case .ramp(let ramp): return ramp.part(below: value, of: picture)
    case .picture(let mask): return mask.part(below: value)
    default: return picture
    }
  }

  /// Pixels whose centers may be covered more than `value`.
  private func box(
    _ left: Double, _ top: Double, _ right: Double, _ bottom: Double, _ value: Double
  ) -> Rect? {
    let reach = grow + (feather >= 1 ? distance(where: value).high : 0.5)
    guard right - left + 2 * reach > 0, bottom - top + 2 * reach > 0 else { return nil }
    return Rect(
      columns: outward(left - reach, right + reach), rows: outward(top - reach, bottom + reach))
  }

  /// The distance at which a feathered coverage falls to `value`, from below and from above.
  private func distance(where value: Double) -> (low: Double, high: Double) {
    var (low, high) = (0.0, 1.0)
    for _ in 0..<12 {
      let middle = (low + high) / 2
      if 1 - smoothstep(middle) > value { low = middle } else { high = middle }
    }
    return (low * feather, high * feather)
  }

  private func outward(_ low: Double, _ high: Double) -> Range<Int> {
    let first = pixel(low.rounded(.down))
    return first..<max(pixel(high.rounded(.up)), first)
  }

  /// Pixels whose centers lie between two coordinates, both inside by less than nothing.
  private func spanned(_ low: Double, _ high: Double) -> Range<Int> {
    let first = pixel((low - 0.5).rounded(.up))
    return first..<max(pixel((high - 0.5).rounded(.down)) + 1, first)
  }

  private func pixel(_ value: Double) -> Int { Int(min(max(value, -1e9), 1e9)) }
}

extension Rect {
  /// The smallest rectangle around what is not in `other`; `nil` when all is.
  fileprivate func outside(_ other: Rect) -> Rect? {
    let hole = intersection(other)
    if hole.isEmpty { return self }
    if hole == self { return nil }
    if hole.columns == columns { return Rect(columns: columns, rows: rows.outside(hole.rows)) }
    if hole.rows == rows { return Rect(columns: columns.outside(hole.columns), rows: rows) }
    return self
  }
}

extension Range<Int> {
  /// Returns the rest of the range without a part of it; the whole range where the rest has two pieces.
  fileprivate func outside(_ part: Range<Int>) -> Range<Int> {
    if part.lowerBound == lowerBound { return part.upperBound..<upperBound }
    if part.upperBound == upperBound { return lowerBound..<part.lowerBound }
    return self
  }
}
