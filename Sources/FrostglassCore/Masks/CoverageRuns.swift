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
