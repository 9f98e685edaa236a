internal import CKernels
internal import FrostglassCore

extension CellMeans {
  /// The sum of each cell's samples, and what that is for each of its pixels, to the nearest unit.
  func fast(
    _ source: ImageSource<Int16>, into target: ImageRows<Int16>, _ tools: RowTools
  ) -> RowProgram {
    let add = tools.kernels.cell_sums
    return fast(into: target, tools, offset: Int(FG_FULL), unit: 1) { columns in
      let offset = source.offset(of: columns)
      return { y, table, sums in
        add(
          source.row(y) + offset, table.ends, table.places, table.count, target.channels, sums)
      }
    }
  }

  /// The same of 8-bit rows that need no arithmetic of their own.
  func fast(
    _ input: InputRows, into target: ImageRows<Int16>, _ tools: RowTools
  ) -> RowProgram {
    let add = tools.kernels.cell_sums8
    return fast(into: target, tools, offset: 0, unit: 128) { columns in
      let offset = columns.lowerBound * input.format.bytesPerPixel
      return { y, table, sums in
        let row = input.row(y).assumingMemoryBound(to: UInt8.self)
        add(row + offset, table.ends, table.places, table.count, target.channels, sums)
      }
    }
  }

  /// Adds up the runs of a row of pixels.
  private typealias Addition = (Int, CellTable, UnsafeMutablePointer<Int64>) -> Void

  /// - Parameters:
  ///   - offset: to be added to each sample, so that nothing is 0.
  ///   - unit: the weight of a sample.
  ///   - adding: gets the columns that are added up.
  private func fast(
    into target: ImageRows<Int16>, _ tools: RowTools, offset: Int, unit: Int,
    _ adding: (Range<Int>) -> Addition
  ) -> RowProgram {
    let columns = tiling.pixels(of: target.domain).columns.clamped(to: picture.columns)
    let table = CellTable(tiling, columns, target.domain, tools)
    let sums: UnsafeMutablePointer<Int64> = tools.memory.take(target.rowLength)
    let counts: UnsafeMutablePointer<Int> = tools.memory.take(target.domain.width)
    let (add, channels, width) = (adding(columns), target.channels, target.domain.width)
    return { wanted in
      for row in wanted {
        sums.update(repeating: 0, count: width * channels)
        counts.update(repeating: 0, count: width)
        let part = Rect(columns: target.domain.columns, rows: row..<row + 1)
        for y in tiling.pixels(of: part).rows.clamped(to: picture.rows) {
          table.begin(y, only: row)
          add(y, table, sums)
          var start = 0
          for run in 0..<table.count {
            let (end, cell) = (Int(table.ends[run]), Int(table.places[run]))
            if cell >= 0 { counts[cell] += end - start }
            start = end
          }
        }
        let made = target.row(row)
        for cell in 0..<width {
          let count = counts[cell]
          for index in cell * channels..<(cell + 1) * channels {
            made[index] =
              count == 0
              ? .transparent : Self.rounded(unit * Int(sums[index]) + offset * count, over: count)
          }
        }
      }
    }
  }

  /// A sum of units from 0 on for each of so many pixels.
  private static func rounded(_ sum: Int, over count: Int) -> Int16 {
    let (doubled, divisor) = (2 * sum + count, 2 * count)
    // Short numbers are divided faster.
    let mean =
      UInt32(exactly: doubled).map { Int($0 / UInt32(truncatingIfNeeded: divisor)) }
      ?? floorDivide(doubled, divisor)
    return Int16(mean - Int(FG_FULL))
  }
}

/// The assignment of a row's columns to cells.
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
  /// For each row of a period, what was asked for already, with the period it was asked for; of rectangles,
  /// whose rows of pixels are alike, one row of cells.
  private var known: [(number: Int, runs: [Run])?]

  init(_ tiling: Tiling, _ columns: Range<Int>) {
    self.tiling = tiling
    self.columns = columns
    period = tiling.isStaggered ? (2 * tiling.height, 2) : (tiling.height, 1)
    known = [(number: Int, runs: [Run])?](
      repeating: nil, count: tiling.isStaggered ? period.pixels : 1)
  }

  /// Returns true if a row of pixels lies in the same cells as the row before.
  func repeats(_ y: Int) -> Bool {
    !tiling.isStaggered && number(of: y) == number(of: y - 1)
  }

  /// The runs of a row from left to right.
  subscript(y: Int) -> [Run] {
    let number = number(of: y)
    let place = tiling.isStaggered ? y - number * period.pixels : 0
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

  /// Returns the number of a row's period; for rectangles, of its row of cells.
  private func number(of y: Int) -> Int {
    tiling.isStaggered
      ? floorDivide(y, period.pixels) : tiling.cell(ofX: columns.lowerBound, y: y).row
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

/// The runs of one row of pixels after another as kernels take them.
final class CellTable {
  private let runs: CellRuns
  private let cells: Rect
  /// The column after the last of each run, counted from the first of all.
  let ends: UnsafeMutablePointer<UInt32>
  /// The index of each run's cell in a row of cells; -1 if it is absent.
  let places: UnsafeMutablePointer<Int32>
  private(set) var count = 0
  /// The table's contents: a row of pixels, and the only row of cells that counts.
  private var row: (pixels: Int, cells: Int?)?

  /// - Parameter cells: the cells with memory for rows.
  init(_ tiling: Tiling, _ columns: Range<Int>, _ cells: Rect, _ tools: RowTools) {
    runs = CellRuns(tiling, columns)
    self.cells = cells
    let most = columns.count + columns.count / Self.longest + 1
    ends = tools.memory.take(most)
    places = tools.memory.take(most)
  }

  /// Kernels add up runs of so many pixels at most.
  private static let longest = 65535

  /// Goes on to a row of pixels.
  ///
  /// - Parameter only: the row of cells that counts; `nil` for all.
  func begin(_ y: Int, only: Int? = nil) {
    if let row, row.cells == only, row.pixels == y || row.pixels == y - 1 && runs.repeats(y) {
      self.row = (y, only)
      return
    }
    row = (y, only)
    count = 0
    for run in runs[y] {
      let isThere = cells.columns.contains(run.column) && only.map { $0 == run.row } ?? true
      var start = run.columns.lowerBound
      while start < run.columns.upperBound {
        let end = min(start + Self.longest, run.columns.upperBound)
        ends[count] = UInt32(end)
        places[count] = isThere ? Int32(run.column - cells.x) : -1
        count += 1
        start = end
      }
    }
  }
}

extension CellFill {
  /// The sample of each pixel's cell, run by run.
  func fast(
    _ source: ImageSource<Int16>, into target: ImageRows<Int16>, _ tools: RowTools
  ) -> RowProgram {
    let bytes = target.channels * MemoryLayout<Int16>.size
    let runs = CellRuns(tiling, target.domain.columns)
    let first = source.rows.domain.x
    return { wanted in
      for y in wanted {
        let row = UnsafeMutableRawPointer(target.row(y))
        for run in runs[y] {
          let cell = source.row(run.row) + (run.column - first) * target.channels
          Self.fill(row + run.columns.lowerBound * bytes, run.columns.count, cell, bytes)
        }
      }
    }
  }

  private static func fill(
    _ target: UnsafeMutableRawPointer, _ count: Int, _ cell: UnsafePointer<Int16>, _ bytes: Int
  ) {
    if bytes == 2 {
      target.assumingMemoryBound(to: Int16.self).update(repeating: cell[0], count: count)
    } else {
      let sample = UnsafeRawPointer(cell).loadUnaligned(as: UInt64.self)
      target.withMemoryRebound(to: UInt64.self, capacity: count) {
        $0.update(repeating: sample, count: count)
      }
    }
  }

  /// Stores the pixel of each pixel's cell, which is made once for each row of cells.
  ///
  /// - Parameter store: stores pixels as they are.
  func fastStoring(
    _ source: ImageSource<Int16>, _ store: Store, into output: OutputRows, _ tools: RowTools
  ) -> RowProgram {
    let (columns, kernels) = (output.rect.columns, tools.kernels)
    let (width, bytes) = (source.rows.domain.width, store.format.bytesPerPixel)
    let rows = tiling.cells(of: output.rect).rows
    // A row of pixels lies in one row of cells, or in two.
    let pixels = (0..<2).map { _ in
      tools.memory.take(width * bytes) as UnsafeMutablePointer<UInt8>
    }
    let table = CellTable(tiling, columns, source.rows.domain, tools)
    return { wanted in
      var stored: [Int?] = [nil, nil]
      for y in wanted {
        let here = tiling.cells(of: Rect(columns: columns, rows: y..<y + 1)).rows
        for row in here.clamped(to: rows) where stored[row & 1] != row {
          store.store(source.row(row), pixels[row & 1], width, kernels)
          stored[row & 1] = row
        }
        let target = output.row(y).assumingMemoryBound(to: UInt8.self)
        for row in here {
          table.begin(y, only: here.count == 1 ? nil : row)
          kernels.fill_cells(
            pixels[row & 1], bytes, table.ends, table.places, table.count, target)
        }
      }
    }
  }
}
