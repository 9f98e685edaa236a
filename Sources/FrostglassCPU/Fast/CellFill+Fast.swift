internal import CKernels
internal import FrostglassCore

extension CellFill {
  /// The sample of each pixel's cell, run by run.
  func fast(
    _ source: PictureSource<Int16>, into target: PictureRows<Int16>, _ tools: RowTools
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
    _ source: PictureSource<Int16>, _ store: Store, into output: OutputRows, _ tools: RowTools
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
