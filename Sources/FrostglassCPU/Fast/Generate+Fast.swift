internal import CKernels
internal import FrostglassCore

extension Generate {
  /// The core's own samples in fixed point.
  ///
  /// - Returns: `nil` for images with colors, which only the reference kernel makes.
  func fast(into target: PictureRows<Int16>, _ tools: RowTools) -> RowProgram? {
    guard target.layout == .gray else { return nil }
    let columns = target.domain.columns
    let floats: UnsafeMutablePointer<Float> = tools.scratch(columns.count)
    let row = UnsafeMutableBufferPointer(start: floats, count: columns.count)
    let make = self.rows(of: target.domain)
    return { rows in
      for y in rows {
        make(y, columns, row)
        tools.kernels.from_planar(floats, target.row(y), 0, 1, columns.count)
      }
    }
  }
}

extension Generate {
  /// The core's own samples.
  func fast(into target: PictureRows<Float>) -> RowProgram {
    let make = self.rows(of: target.domain)
    return { rows in
      for y in rows {
        make(
          y, target.domain.columns,
          UnsafeMutableBufferPointer(start: target.row(y), count: target.rowLength))
      }
    }
  }
}
