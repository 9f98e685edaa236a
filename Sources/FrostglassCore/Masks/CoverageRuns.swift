/// Neighboring pixels of a row that a mask covers alike.
package struct CoverageRun: BitwiseCopyable {
  /// The part of each pixel that is covered.
  package enum Kind: UInt8, BitwiseCopyable {
    case none
    case all
    /// Any part of each.
    case some
  }

  /// The column after the last.
  package var end: Int
  package var kind: Kind

  package init(end: Int, kind: Kind) {
    self.end = end
    self.kind = kind
  }
}

/// Vector operations on many pixels at once, with the results of computing each pixel alone.
package struct CoverageVectors: Sendable {
  /// Computes how much a circle covers of so many pixels.
  package let cover: @Sendable (CoveredCircle, UnsafeMutablePointer<Float>, Int) -> Void
  /// Counts values from the first on, of so many, that are above one limit and below another.
  package let countBetween: @Sendable (UnsafePointer<Float>, Int, Float, Float) -> Int

  package init(
    cover: @escaping @Sendable (CoveredCircle, UnsafeMutablePointer<Float>, Int) -> Void,
    countBetween: @escaping @Sendable (UnsafePointer<Float>, Int, Float, Float) -> Int
  ) {
    (self.cover, self.countBetween) = (cover, countBetween)
  }
}

/// A circle as a row of pixels meets it.
package struct CoveredCircle {
  /// The column of the center of the row's first pixel.
  package let column: Double
  /// The column of the circle's center.
  package let center: Double
  /// The square of how far the row is from it.
  package let square: Double
  package let radius: Double
  package let grow: Double
  package let feather: Double
}

/// The runs of one row after another, in memory that is taken once.
///
/// Most of what a shape covers it covers wholly, and most of what it does not it leaves out wholly: so
/// who wants to know about a row need not look at each pixel.
package final class CoverageRuns {
  private let coverage: Coverage
  private let columns: Range<Int>
  /// True if a row's runs follow from the position of its shape's border.
  private let isWalked: Bool
  /// An index of the shapes near each row, where there are many.
  private let near: ShapesByRow?
  fileprivate let vectors: CoverageVectors?
  /// Room for as many runs as there are columns.
  private let runs: UnsafeMutableBufferPointer<CoverageRun>
  private let values: UnsafeMutableBufferPointer<Float>
  private var count = 0

  /// - Parameters:
  ///   - columns: the columns of the rows; at least one.
  ///   - rows: that will be asked for. What covers nothing there is not looked at.
  ///   - vectors: does for many pixels at once what is done for each.
  package init(
    _ coverage: Coverage, _ columns: Range<Int>, rows: Range<Int>, _ vectors: CoverageVectors? = nil
  ) {
    self.vectors = vectors
    var part = coverage
    part.removeShapes(outside: Rect(columns: columns, rows: rows))
    self.coverage = part
    self.columns = columns
    isWalked = part.isWalked
    near = part.shapesByRow(in: Rect(columns: columns, rows: rows))
    runs = .allocate(capacity: columns.count)
    // Values are written four at a time, and read up to eight.
    values = .allocate(capacity: columns.count + 7)
    values.initialize(repeating: 0)
  }

  deinit {
    runs.deallocate()
    values.deallocate()
  }

  /// The runs of a row from left to right, which together have all columns.
  ///
  /// - Returns: the runs, and for each column its coverage, which is given where that is `some`. Both
  ///   are there until the next row is asked for, and the coverage may be changed.
  package func row(
    _ y: Int
  ) -> (runs: UnsafeBufferPointer<CoverageRun>, coverage: UnsafeMutablePointer<Float>) {
    count = 0
    let start = values.baseAddress.unsafelyUnwrapped
    if isWalked {
      coverage.walk(y, columns, into: start, self)
    } else {
      coverage.row(y, columns, near, into: .init(start: start, count: columns.count))
      addRuns(of: columns)
    }
    return (UnsafeBufferPointer(rebasing: runs[..<count]), start)
  }

  /// Adds the runs of columns that have their values.
  fileprivate func addRuns(of part: Range<Int>) {
    var x = part.lowerBound - columns.lowerBound
    let end = part.upperBound - columns.lowerBound
    while x < end {
      let (first, value) = (x, values[x])
      x += 1
      if value == 0 || value == 1 {
        while x < end, values[x] == value { x += 1 }
      } else {
        if let vectors {
          x += vectors.countBetween(values.baseAddress.unsafelyUnwrapped + x, end - x, 0, 1)
        }
        while x < end, values[x] != 0, values[x] != 1 { x += 1 }
      }
      add(
        columns.lowerBound + first..<columns.lowerBound + x,
        value == 0 ? .none : value == 1 ? .all : .some)
    }
  }

  fileprivate func add(_ run: Range<Int>, _ kind: CoverageRun.Kind) {
    if count > 0, runs[count - 1].kind.rawValue == kind.rawValue {
      runs[count - 1].end = run.upperBound
    } else {
      runs[count] = CoverageRun(end: run.upperBound, kind: kind)
      count += 1
    }
  }
}

extension Coverage {
  /// True if a row's runs follow from the position of its shape's border.
  fileprivate var isWalked: Bool {
    guard plane == nil, window == nil, !isUntouched, shapes.count <= 1 else { return false }
    return shapes.allSatisfy { shape in
      switch shape.outline {
      case .rectangle, .ellipse: true
      // Of many sides, those are found that a row has to look at: once, for all of it.
      case .polygon(let polygon): polygon.sides == nil
      case .ramp, .picture: false
      }
    }
  }

  /// Adds the runs of a row, with values for what is covered in part.
  fileprivate func walk(
    _ y: Int, _ columns: Range<Int>, into values: UnsafeMutablePointer<Float>, _ runs: CoverageRuns
  ) {
    guard let shape = shapes.first else { return runs.add(columns, isInverted ? .all : .none) }
    shape.walk(y, columns) { run, isInside in
      if let isInside {
        runs.add(run, isInside != isInverted ? .all : .none)
      } else {
        let start = values + (run.lowerBound - columns.lowerBound)
        shape.fill(y, run, into: start, runs.vectors)
        if isInverted { for x in 0..<run.count { start[x] = 1 - start[x] } }
        runs.addRuns(of: run)
      }
    }
  }

  /// Leaves out shapes that cover nothing of a part; nothing changes there.
  fileprivate mutating func removeShapes(outside part: Rect) {
    guard plane == nil else { return }
    shapes.removeAll { $0.part(above: 0, of: part) == nil }
  }

  /// Rectangles that together hold all pixels that are covered at all: one for each shape that covers
  /// any, where that is known; `nil` where one rectangle around all of them says as much.
  package func parts(of picture: Rect) -> [Rect]? {
    guard !isInverted, !isUntouched, window == nil, shapes.count > 1 else { return nil }
    return shapes.compactMap { shape in
      guard let plane else { return shape.part(above: 0, of: picture) }
      return shape.part(above: 0, of: Rect(plane.picture)).flatMap {
        plane.samples(of: $0, in: picture)
      }
    }
  }
}

/// An index of the shapes that cover anything of each row.
///
/// A row meets few of thousands of small shapes. To ask each shape how far away it is would take as long as to compute
/// the coverage of those few.
package struct ShapesByRow: Sendable {
  /// The number of shapes below which all are asked.
  private static let fewest = 9
  /// The number of rows that share one list; a list per row would take more time to make than it saves.
  private static let bandHeight = 16

  private let rows: Range<Int>
  private let columns: Range<Int>
  /// The rows of each shape.
  private let reach: [Range<Int>]
  /// The start of each band's shapes in `members`, and the end of the last one's.
  private let starts: [Int]
  /// The indices of shapes, in the order of the coverage, band after band.
  private let members: [Int32]

  /// - Parameter part: pixels that will be asked for; others are not known.
  /// - Returns: `nil` where there are few shapes.
  package init?(_ coverage: Coverage, in part: Rect) {
    guard coverage.shapes.count >= Self.fewest, !part.isEmpty else { return nil }
    (rows, columns) = (part.rows, part.columns)
    reach = coverage.shapes.map { shape in
      // To first order, continuous corners may reach farther than is said of them.
      if case .rectangle(let rectangle) = shape.outline, rectangle.isContinuous { return part.rows }
      return shape.part(above: 0, of: part)?.rows ?? 0..<0
    }
    let first = part.rows.lowerBound
    func bands(_ reach: Range<Int>) -> Range<Int> {
      reach.isEmpty
        ? 0..<0
        : (reach.lowerBound - first) / Self.bandHeight..<(reach.upperBound - 1 - first)
          / Self.bandHeight + 1
    }
    // How many each band has, then where each one's begin.
    var starts = [Int](repeating: 0, count: (part.height - 1) / Self.bandHeight + 2)
    for reach in reach { for band in bands(reach) { starts[band + 1] += 1 } }
    for band in 1..<starts.count { starts[band] += starts[band - 1] }
    var members = [Int32](repeating: 0, count: starts[starts.count - 1])
    var next = starts
    for (index, reach) in reach.enumerated() {
      for band in bands(reach) {
        members[next[band]] = Int32(index)
        next[band] += 1
      }
    }
    (self.starts, self.members) = (starts, members)
  }

  /// Returns true if the row and the columns lie in the part that was indexed.
  func knows(_ y: Int, _ columns: Range<Int>) -> Bool {
    rows.contains(y) && self.columns.lowerBound <= columns.lowerBound
      && columns.upperBound <= self.columns.upperBound
  }

  /// Calls `body` with the number of each shape that may cover something of a row that is known, in order.
  package func forEach(_ y: Int, _ body: (Int) -> Void) {
    let band = (y - rows.lowerBound) / Self.bandHeight
    for place in starts[band]..<starts[band + 1] {
      let index = Int(members[place])
      if reach[index].contains(y) { body(index) }
    }
  }
}

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
  /// Coverage rises or falls all the way, so that halving finds the border: images have up to 2²⁴ rows.
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
