internal import FrostglassCore

extension LumaCurve {
  /// The matrix and the curve on every pixel.
  func fast(_ source: PictureSource<Float>, into target: PictureRows<Float>) -> RowProgram {
    let layout = source.rows.layout
    let offset = source.offset(of: target.domain.columns) / source.rows.channels
    return { rows in
      for y in rows {
        let row = UnsafeBufferPointer(start: source.row(y), count: source.rows.rowLength)
        let result = UnsafeMutableBufferPointer(start: target.row(y), count: target.rowLength)
        for x in 0..<target.domain.width {
          setPixel(result, x, target.layout, applied(to: pixel(row, offset + x, layout)))
        }
      }
    }
  }
}
