internal import FrostglassCore

extension CellMeans {
  /// The sum of each cell's samples, and what that is for each of its pixels, to the nearest unit.
  func fast(_ source: PictureSource<Int16>, into target: PictureRows<Int16>) -> RowProgram {
    let pixels = tiling.pixels(of: target.domain)
    let runs = CellRuns(tiling, pixels.columns.clamped(to: picture.columns))
    let offset = source.offset(of: runs.columns)
    let channels = target.channels
    var sums = [Int](repeating: 0, count: target.rowLength)
    var counts = [Int](repeating: 0, count: target.domain.width)
    return { wanted in
      for row in wanted {
        for index in sums.indices { sums[index] = 0 }
        for index in counts.indices { counts[index] = 0 }
        let part = Rect(columns: target.domain.columns, rows: row..<row + 1)
        for y in tiling.pixels(of: part).rows.clamped(to: picture.rows) {
          let samples = source.row(y) + offset
          for run in runs[y] where run.row == row {
            let cell = run.column - target.domain.x
            guard counts.indices.contains(cell) else { continue }
            counts[cell] += run.columns.count
            add(samples + run.columns.lowerBound * channels, run.columns.count, channels) {
              sums[cell * channels + $0] += Int($1)
            }
          }
        }
        let made = target.row(row)
        for (index, sum) in sums.enumerated() {
          let count = counts[index / channels]
          made[index] = count == 0 ? .transparent : Int16(rounded(sum, over: count))
        }
      }
    }
  }

  /// Sums of a run's samples, of each channel; none is longer than 2³¹ / 2¹⁵ pixels.
  private func add(
    _ samples: UnsafePointer<Int16>, _ count: Int, _ channels: Int,
    _ take: (_ channel: Int, _ sum: Int32) -> Void
  ) {
    guard channels == 4 else {
      var sum: Int32 = 0
      for index in 0..<count { sum &+= Int32(samples[index]) }
      return take(0, sum)
    }
    var sum = SIMD4<Int32>.zero
    samples.withMemoryRebound(to: SIMD4<Int16>.self, capacity: count) { pixels in
      for index in 0..<count { sum &+= SIMD4<Int32>(truncatingIfNeeded: pixels[index]) }
    }
    for channel in 0..<4 { take(channel, sum[channel]) }
  }

  private func rounded(_ sum: Int, over count: Int) -> Int {
    floorDivide(2 * sum + count, 2 * count)
  }
}

/// Which columns of a row of pixels lie in which cells.
final class CellRuns {
  /// Neighboring pixels of a row that belong to the same cell.
  struct Run {
    let column: Int
    let row: Int
    /// Counted from the first of all columns.
    let columns: Range<Int>
  }

  /// The columns that are told apart.
  let columns: Range<Int>
  private let tiling: Tiling
  /// Rows of pixels after which cells lie alike again, and how many rows of cells these are.
  private let period: (pixels: Int, cells: Int)
  /// For each row of a period, what was asked for already, with the period it was asked for.
  private var known: [(number: Int, runs: [Run])?]

  init(_ tiling: Tiling, _ columns: Range<Int>) {
    self.tiling = tiling
    self.columns = columns
    period = tiling.isStaggered ? (2 * tiling.height, 2) : (tiling.height, 1)
    known = [(number: Int, runs: [Run])?](repeating: nil, count: period.pixels)
  }

  /// The runs of a row from left to right.
  subscript(y: Int) -> [Run] {
    let number = floorDivide(y, period.pixels)
    let place = y - number * period.pixels
    if let known = known[place], known.number == number { return known.runs }
    let runs =
      known[place].map { known in
        known.runs.map {
          Run(
            column: $0.column, row: $0.row + (number - known.number) * period.cells,
            columns: $0.columns)
        }
      } ?? found(y)
    known[place] = (number, runs)
    return runs
  }

  private func found(_ y: Int) -> [Run] {
    var runs: [Run] = []
    var start = columns.lowerBound
    while start < columns.upperBound {
      let cell = tiling.cell(ofX: start, y: y)
      // Cells are as wide as `width` at most, and what lies between two of their pixels is theirs.
      var end = min(start + tiling.width, columns.upperBound)
      while end - start > 1, tiling.cell(ofX: end - 1, y: y) != cell { end -= 1 }
      let first = start - columns.lowerBound
      runs.append(
        Run(column: cell.column, row: cell.row, columns: first..<first + end - start))
      start = end
    }
    return runs
  }
}
