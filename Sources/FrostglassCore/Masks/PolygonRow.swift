/// The coverage of one row by a polygon of many sides.
///
/// A block of columns begins with the sides that may be nearest to one of its pixels. Each half of it goes on with
/// those that still may, down to some columns. So a pixel looks at few sides however many there are, and finds what a
/// look at each of them would find, to the bit. The exception: where more than 32 sides are equally near, such as those
/// that meet in a corner or lie on one line, some stand for all. In images of up to 10000 pixels a side that moves the
/// border by less than a millionth of a pixel.
///
/// Blocks begin at multiples of their length, so that a pixel is the same in every part of a row.
final class PolygonRow {
  let sides: PolygonSides
  let list: SideList
  /// The vertical position of the centers of the row's pixels.
  let y: Double
  /// Sides that may be nearest: as many as a part of the row begins with, then whatever it has left out.
  let near: UnsafeMutablePointer<Int32>
  /// The distance from the middle of a part to each of them.
  let offsets: UnsafeMutablePointer<SideOffset>
  private let shape: CoverageShape
  /// The distance from which on nothing is covered.
  private let outside: Double
  /// All columns of the blocks.
  private let columns: Range<Int>
  /// Element i + 1 is true if column i of them is inside.
  private let inside: UnsafeMutablePointer<Bool>
  /// The columns that are raised.
  private let part: Range<Int>
  /// The address of column 0.
  private let target: UnsafeMutablePointer<Float>

  /// The number of columns of a block; a power of two, as the next.
  private static let block = 256
  /// The largest number of columns that are not halved any more.
  private static let fewest = 8

  /// Raises a part of a row to the coverage of a shape that is a polygon of many sides.
  ///
  /// - Parameter columns: that `target` has.
  static func raise(
    _ target: UnsafeMutableBufferPointer<Float>, _ y: Int, _ columns: Range<Int>,
    in part: Range<Int>, to shape: CoverageShape, _ polygon: Polygon, _ sides: PolygonSides
  ) {
    let row = Double(y) + 0.5
    let outside = max(shape.feather, 0.5)
    // One pixel more than that, so that rounding cannot matter.
    let reach = max(shape.grow + outside, 0) + 1
    guard let start = target.baseAddress, !part.isEmpty,
      !(row < polygon.top - reach), !(row > polygon.bottom + reach)
    else { return }
    polygon.corners.withUnsafeBufferPointer { corners in
      PolygonRow(
        shape, sides, corners, row, outside: outside, part, target: start - columns.lowerBound
      ).raise()
    }
  }

  private init(
    _ shape: CoverageShape, _ sides: PolygonSides,
    _ corners: UnsafeBufferPointer<Polygon.Corner>, _ y: Double, outside: Double,
    _ part: Range<Int>, target: UnsafeMutablePointer<Float>
  ) {
    (self.shape, self.sides, self.y, self.outside) = (shape, sides, y, outside)
    (self.part, self.target) = (part, target)
    list = SideList(corners: corners)
    let rest = Self.block - 1
    columns = part.lowerBound & ~rest..<(part.upperBound + rest) & ~rest
    near = .allocate(capacity: corners.count)
    offsets = .allocate(capacity: corners.count)
    inside = .allocate(capacity: columns.count + 1)
    inside.initialize(repeating: false, count: columns.count + 1)
    near.initialize(repeating: 0, count: corners.count)
    offsets.initialize(repeating: SideOffset(x: 0, square: 0), count: corners.count)
  }

  deinit {
    near.deallocate()
    offsets.deallocate()
    inside.deallocate()
  }

  private func raise() {
    findInside()
    for first in stride(from: columns.lowerBound, to: columns.upperBound, by: Self.block) {
      raise(block: first..<first + Self.block)
    }
  }

  /// Finds which columns are inside: those to whose right an odd number of sides cross the row.
  private func findInside() {
    for (index, box) in sides.boxes.enumerated() where box.mayBeCrossed(at: y) {
      for place in sides.places(of: index, of: list.corners.count) where list[place].spans(y) {
        inside[end(of: list[place]) - columns.lowerBound].toggle()
      }
    }
    var value = false
    for place in stride(from: columns.count, through: 0, by: -1) {
      if inside[place] { value.toggle() }
      inside[place] = value
    }
  }

  /// The first column of those that a side, where it crosses the row, is not to the right of.
  private func end(of side: Polygon.Side) -> Int {
    let crossing = side.crossing(y)
    func isRight(of column: Int) -> Bool { Double(column) + 0.5 - side.start.x < crossing }
    let (low, high) = (Double(columns.lowerBound), Double(columns.upperBound))
    var column = Int(min(max((crossing + side.start.x - 0.5).rounded(.up), low), high))
    // Apply the comparison that decides single pixels, as rounding can affect it.
    while column > columns.lowerBound, !isRight(of: column - 1) { column -= 1 }
    while column < columns.upperBound, isRight(of: column) { column += 1 }
    return column
  }

  private func isInside(_ column: Int) -> Bool { inside[column + 1 - columns.lowerBound] }

  private func raise(block: Range<Int>) {
    let middle = block.lowerBound + block.count / 2
    let x = Double(middle) + 0.5
    let span = Double(block.count / 2)
    let slack = sides.slack(at: x, y)
    var (corner, box) = (Double.infinity, Double.infinity)
    for (index, around) in sides.boxes.enumerated() {
      corner = min(corner, list.corners[index * PolygonSides.perBox].square(to: x, y))
      box = min(box, around.square(to: x, y))
    }
    let least = box.squareRoot() - slack
    if isInside(middle) {
      if least + shape.grow - 0.5 > span + CoverageShape.doubt { return cover(block) }
    } else if least - shape.grow - outside > span + CoverageShape.doubt {
      return
    }
    // The nearest side of any pixel is no farther from the middle than this.
    let within = corner.squareRoot() + 2 * span + slack
    var count = 0
    for (index, around) in sides.boxes.enumerated()
    where around.square(to: x, y) <= within * within {
      for place in sides.places(of: index, of: list.corners.count) {
        near[count] = Int32(truncatingIfNeeded: place)
        count += 1
      }
    }
    raise(block, nearTo: count)
  }

  /// Raises columns to whose pixels the first so many sides may be nearest.
  private func raise(_ columns: Range<Int>, nearTo count: Int) {
    guard columns.overlaps(part) else { return }
    let middle = columns.lowerBound + columns.count / 2
    let nearest = nearest(to: middle, of: count)
    let distance = nearest.square.squareRoot()
    let here = (isInside(middle) ? -distance : distance) - shape.grow
    // Over a pixel it changes by one at most.
    let beyond = max(here - outside, -0.5 - here)
    if beyond > Double(middle - columns.lowerBound) + CoverageShape.doubt {
      if here < 0 { cover(columns) }
      return
    }
    let kept = narrowed(to: columns, nearest, of: count)
    guard columns.count > Self.fewest, kept > 1 else { return raiseEach(of: columns, kept) }
    raise(columns.lowerBound..<middle, nearTo: kept)
    raise(middle..<columns.upperBound, nearTo: kept)
  }

  private func raiseEach(of columns: Range<Int>, _ count: Int) {
    for column in columns.clamped(to: part) where target[column] < 1 {
      let x = Double(column) + 0.5
      var square = Double.infinity
      for place in 0..<count {
        square = min(square, list[Int(near[place])].offset(to: x, y).square)
      }
      let distance = isInside(column) ? -square.squareRoot() : square.squareRoot()
      let value = Float(shape.coverage(at: distance - shape.grow))
      if target[column] < value { target[column] = value }
    }
  }

  private func cover(_ columns: Range<Int>) {
    for column in columns.clamped(to: part) { target[column] = 1 }
  }
}

/// The distance from a point to the nearest point of a side: its part to the right, and its square.
struct SideOffset: BitwiseCopyable {
  var x: Double
  var square: Double
}

// Which sides can be nearest to pixels of a part of a row, by what is known in its middle and at its ends.
//
// How far a side is from a point that goes along the row is a convex function of the point's column. So it
// is nowhere under its tangent, and nowhere over what joins two of its values.

extension PolygonRow {
  /// The one of some sides that is nearest to a pixel.
  struct Nearest {
    var side: Int32
    var square: Double
  }

  /// Finds the nearest side, and keeps the distances of the others.
  ///
  /// - Parameter count: the number of sides in `near` to compare, from the first.
  func nearest(to column: Int, of count: Int) -> Nearest {
    let x = Double(column) + 0.5
    var nearest = Nearest(side: .max, square: .infinity)
    for place in 0..<count {
      let side = near[place]
      let offset = list[Int(side)].offset(to: x, y)
      offsets[place] = SideOffset(x: offset.x, square: offset.square)
      // In whatever order they stand.
      if offset.square < nearest.square || offset.square == nearest.square && side < nearest.side {
        nearest = Nearest(side: side, square: offset.square)
      }
    }
    return nearest
  }

  /// Brings to the front what may be nearest to a pixel of a part: not what is surely farther from all of
  /// them than the side that is nearest to its middle.
  ///
  /// - Returns: the number of sides at the front.
  func narrowed(to columns: Range<Int>, _ nearest: Nearest, of count: Int) -> Int {
    let row = RowPart(columns)
    let slack = sides.slack(at: row.x, y)
    let ends = ends(of: nearest.side, row)
    let far = nearest.square.squareRoot() + 2 * row.left + slack
    var kept = 0
    for place in 0..<count where offsets[place].square <= far * far {
      if near[place] != nearest.side, offsets[place].square >= Self.surelyDirected {
        let tangent = row.tangent(of: offsets[place])
        if min(tangent.left - ends.left, tangent.right - ends.right) > slack { continue }
      }
      swapNear(place, kept)
      kept += 1
    }
    return kept > Self.crowd ? thinned(row, nearest.side, slack, of: kept) : kept
  }

  /// The number of sides above which they are looked at closely; of so many that are alike some stand for all.
  private static let crowd = 32
  /// The square of the distance below which the direction of a side is not certain.
  private static let surelyDirected = 1.0

  private func swapNear(_ place: Int, _ other: Int) {
    (near[place], near[other]) = (near[other], near[place])
  }

  /// Returns the distances of a side from the first pixel and from the last.
  private func ends(of side: Int32, _ row: RowPart) -> (left: Double, right: Double) {
    let side = list[Int(side)]
    return (
      side.offset(to: row.x - row.left, y).square.squareRoot(),
      side.offset(to: row.x + row.right, y).square.squareRoot()
    )
  }
}

/// Pixels of a row, from one of them.
private struct RowPart {
  /// The column of the middle pixel's center.
  let x: Double
  /// The distances from the middle pixel to the first and to the last.
  let left: Double
  let right: Double

  init(_ columns: Range<Int>) {
    let middle = columns.lowerBound + columns.count / 2
    x = Double(middle) + 0.5
    left = Double(middle - columns.lowerBound)
    right = Double(columns.upperBound - 1 - middle)
  }

  /// Returns the values at the ends of the tangent to a side's distance.
  func tangent(of offset: SideOffset) -> (left: Double, right: Double) {
    let distance = offset.square.squareRoot()
    let slope = offset.x / distance
    return (distance - slope * left, distance + slope * right)
  }
}

// Many sides can be about as near all along: those that meet in a corner, or lie on one line. Of these the
// squares of distances tell more: those of two corners differ by a linear function of the column.
extension PolygonRow {
  /// The result of comparing a side with another one, as far as it is known.
  private enum Comparison {
    /// It may be nearer to a pixel.
    case nearer
    /// It is not nearer by more than a rounding.
    case alike
    /// It is farther from all pixels.
    case farther
  }

  /// A side that others are compared with.
  private struct Reference {
    let offset: SideOffset
    let ends: (left: Double, right: Double)
  }

  /// Brings to the front what may be nearest by comparison with those sides that are nearest to the middle
  /// and to the ends, and what is alike unless that is very much.
  private func thinned(
    _ row: RowPart, _ middle: Int32, _ slack: Double, of count: Int
  ) -> Int {
    let columns = (row.x - row.left, row.x + row.right)
    let chosen = [middle, nearest(at: columns.0, of: count), nearest(at: columns.1, of: count)]
    let references = chosen.map { side in
      let offset = list[Int(side)].offset(to: row.x, y)
      return Reference(
        offset: SideOffset(x: offset.x, square: offset.square), ends: ends(of: side, row))
    }
    var (first, kept) = (0, 0)
    for place in 0..<count {
      let side = near[place]
      let standing: Comparison =
        chosen.contains(side) ? .nearer : standing(of: side, row, slack, among: references)
      guard standing != .farther else { continue }
      swapNear(place, kept)
      if standing == .nearer {
        swapNear(kept, first)
        first += 1
      }
      kept += 1
    }
    return kept - first > Self.crowd ? first : kept
  }

  private func nearest(at x: Double, of count: Int) -> Int32 {
    var nearest = Nearest(side: .max, square: .infinity)
    for place in 0..<count {
      let side = near[place]
      let square = list[Int(side)].offset(to: x, y).square
      if square < nearest.square || square == nearest.square && side < nearest.side {
        nearest = Nearest(side: side, square: square)
      }
    }
    return nearest.side
  }

  private func standing(
    of place: Int32, _ row: RowPart, _ slack: Double, among references: [Reference]
  ) -> Comparison {
    let side = list[Int(place)]
    let found = side.offset(to: row.x, y)
    let offset = SideOffset(x: found.x, square: found.square)
    let isDirected = offset.square >= Self.surelyDirected
    let tangent = isDirected ? row.tangent(of: offset) : nil
    let least = side.squares(of: offset, row, y, tangent)
    let distance = references[0].offset.square.squareRoot()
    var standing = Comparison.nearer
    for reference in references {
      var lead = -Double.infinity
      if let tangent {
        lead = min(tangent.left - reference.ends.left, tangent.right - reference.ends.right)
      }
      if let least {
        // The reference is as near as its point that is nearest to the middle, or nearer.
        let most = row.squares(from: reference.offset)
        let difference = min(least.left - most.left, least.right - most.right)
        lead = max(lead, row.lead(of: difference, around: distance))
      }
      if lead > slack { return .farther }
      if lead >= -slack { standing = .alike }
    }
    return standing
  }
}

extension RowPart {
  /// Returns a lower bound on the difference of two distances, from the difference of their squares; farther below 0
  /// where they could be small.
  ///
  /// - Parameter distance: in the middle, of what is nearest there; none of both is much farther.
  fileprivate func lead(of difference: Double, around distance: Double) -> Double {
    guard difference < 0 else { return difference / (2 * distance + 6 * left + 1) }
    return distance > left ? difference / (2 * (distance - left)) : -.infinity
  }

  /// The squares of how far the ends are from the point that is nearest to the middle.
  fileprivate func squares(from offset: SideOffset) -> (left: Double, right: Double) {
    (
      offset.square + (left - 2 * offset.x) * left,
      offset.square + (right + 2 * offset.x) * right
    )
  }
}

extension Polygon.Side {
  /// The squares of how far it is from the ends of a part of a row, if one of its corners is nearest to all
  /// pixels, or they all are beside it; `nil` for other parts.
  ///
  /// Less a distance from a point such squares are nowhere under what joins them.
  ///
  /// - Parameters:
  ///   - offset: the side's offset from the part's middle.
  ///   - tangent: the values of its distance's tangent at the ends; `nil` where it is not certain.
  fileprivate func squares(
    of offset: SideOffset, _ row: RowPart, _ y: Double, _ tangent: (left: Double, right: Double)?
  ) -> (left: Double, right: Double)? {
    let (ex, ey) = (end.x - start.x, end.y - start.y)
    let length = ex * ex + ey * ey
    // Where the nearest point is, as a share of the way from the start to the end, and how far it moves.
    let along = length > 0 ? ((row.x - start.x) * ex + (y - start.y) * ey) / length : 0
    let move = length > 0 ? abs(ex / length) * row.left : 0
    if along + move <= 0 || along - move >= 1 || length == 0 { return row.squares(from: offset) }
    guard along - move >= 0, along + move <= 1, let tangent else { return nil }
    return (tangent.left * tangent.left, tangent.right * tangent.right)
  }
}

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
