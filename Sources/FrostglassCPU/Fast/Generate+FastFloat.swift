internal import FrostglassCore

extension Generate {
  /// The core's own samples.
  func fast(into target: PictureRows<Float>) -> RowProgram {
    { rows in
      for y in rows {
        row(
          y, target.domain.columns,
          into: UnsafeMutableBufferPointer(start: target.row(y), count: target.rowLength))
      }
    }
  }
}
