internal import FrostglassCore

extension Blend {
  /// `first * (1 - amount) + second * amount`.
  func fast(
    _ first: PictureSource<Float>, _ second: PictureSource<Float>,
    into target: PictureRows<Float>
  ) -> RowProgram {
    let x1 = target.domain.x - first.rows.domain.x
    let x2 = target.domain.x - second.rows.domain.x
    let layouts = (first.rows.layout, second.rows.layout)
    return { rows in
      for y in rows {
        let a = UnsafeBufferPointer(start: first.row(y), count: first.rows.rowLength)
        let b = UnsafeBufferPointer(start: second.row(y), count: second.rows.rowLength)
        let result = UnsafeMutableBufferPointer(start: target.row(y), count: target.rowLength)
        for x in 0..<target.domain.width {
          let mixed =
            pixel(a, x1 + x, layouts.0) * (1 - amount) + pixel(b, x2 + x, layouts.1) * amount
          setPixel(result, x, target.layout, mixed)
        }
      }
    }
  }
}
