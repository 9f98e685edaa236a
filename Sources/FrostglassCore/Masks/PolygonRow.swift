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
