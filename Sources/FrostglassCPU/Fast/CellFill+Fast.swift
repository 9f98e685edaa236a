internal import FrostglassCore

extension CellFill {
  /// The sample of each pixel's cell, run by run.
  func fast(_ source: PictureSource<Int16>, into target: PictureRows<Int16>) -> RowProgram {
    let runs = CellRuns(tiling, target.domain.columns)
    let first = source.rows.domain.x
    return { wanted in
      for y in wanted {
        let row = target.row(y)
        for run in runs[y] {
          let cells = source.row(run.row)
          let (place, length) = (run.column - first, run.columns.count)
          if target.channels == 1 {
            (row + run.columns.lowerBound).update(repeating: cells[place], count: length)
          } else {
            let start = UnsafeMutableRawPointer(row + 4 * run.columns.lowerBound)
            start.withMemoryRebound(to: SIMD4<Int16>.self, capacity: length) { pixels in
              let cell = UnsafeRawPointer(cells + 4 * place).load(as: SIMD4<Int16>.self)
              pixels.update(repeating: cell, count: length)
            }
          }
        }
      }
    }
  }
}
