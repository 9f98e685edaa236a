internal import FrostglassCore

/// Equal parts of a result: so many along each axis.
///
/// What parts share of their surroundings is computed for each of them. So parts are to be large,
/// and of the shape that shares least, which depends on how far a plan reaches along each axis.
struct TileGrid: Hashable {
  var columns: Int
  var rows: Int

  /// The parts, row by row.
  func parts(of rect: Rect) -> [Rect] {
    (0..<rows).flatMap { row in (0..<columns).map { part($0, row, of: rect) } }
  }

  /// The part in the middle, which has surroundings on all sides.
  private func middle(of rect: Rect) -> Rect { part(columns / 2, rows / 2, of: rect) }

  private func part(_ column: Int, _ row: Int, of rect: Rect) -> Rect {
    func bounds(_ index: Int, of count: Int, _ range: Range<Int>) -> Range<Int> {
      let low = range.lowerBound + index * range.count / count
      return low..<range.lowerBound + (index + 1) * range.count / count
    }
    return Rect(
      columns: bounds(column, of: columns, rect.columns), rows: bounds(row, of: rows, rect.rows))
  }

  /// Numbers of columns that are tried: each about a fifth more than the one before.
  private static func steps(upTo most: Int) -> [Int] {
    var steps = [1]
    while let last = steps.last, last < most { steps.append(max(last + 1, last * 6 / 5)) }
    return steps.filter { $0 <= most }
  }

  /// What each part takes whatever its size, in samples: passes are set up and waited for.
  private static let workPerPart = 1 << 14

  /// The grid whose parts fit and take the least work together; `nil` where no part is small enough.
  ///
  /// - Parameters:
  ///   - rect: what is cut.
  ///   - work: what a part takes; `nil` where it does not fit. Asked for the middle part of grids.
  static func best(for rect: Rect, work: (Rect) -> Int?) -> TileGrid? {
    var best: (grid: TileGrid, work: Double)?
    // More columns never need more rows.
    var mostRows = rect.height
    for columns in steps(upTo: rect.width) {
      guard let (rows, part) = fewestRows(columns, upTo: mostRows, rect, work) else { continue }
      mostRows = rows
      let grid = TileGrid(columns: columns, rows: rows)
      let perPixel = Double(part) / Double(grid.middle(of: rect).area)
      let total = perPixel * Double(rect.area) + Double(columns * rows * workPerPart)
      if total < best?.work ?? .infinity { best = (grid, total) }
      // Past the best shape it only gets worse.
      if rows == 1 || total > 2 * (best?.work ?? .infinity) { break }
    }
    return best?.grid
  }

  /// The fewest rows with which the middle part fits, and what it takes.
  private static func fewestRows(
    _ columns: Int, upTo most: Int, _ rect: Rect, _ work: (Rect) -> Int?
  ) -> (rows: Int, work: Int)? {
    func fitting(_ rows: Int) -> Int? {
      work(TileGrid(columns: columns, rows: rows).middle(of: rect))
    }
    guard var found = fitting(most) else { return nil }
    var (low, high) = (1, most)
    while low < high {
      let middle = (low + high) / 2
      if let fits = fitting(middle) {
        (high, found) = (middle, fits)
      } else {
        low = middle + 1
      }
    }
    return (high, found)
  }
}
