internal import CKernels
internal import FrostglassCore

extension CellMeans {
  /// The sum of each cell's samples, and what that is for each of its pixels, to the nearest unit.
  func fast(
    _ source: PictureSource<Int16>, into target: PictureRows<Int16>, _ tools: RowTools
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
    _ input: InputRows, into target: PictureRows<Int16>, _ tools: RowTools
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
  ///   - unit: what a sample counts.
  ///   - adding: gets the columns that are added up.
  private func fast(
    into target: PictureRows<Int16>, _ tools: RowTools, offset: Int, unit: Int,
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
