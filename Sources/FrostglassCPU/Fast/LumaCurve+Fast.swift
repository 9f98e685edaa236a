internal import CKernels
internal import FrostglassCore

extension LumaCurve {
  /// The matrix and the curve on every pixel.
  func fast(_ source: PictureSource<Int16>, into target: PictureRows<Int16>, _ tools: RowTools)
    -> RowProgram
  {
    let kernels = tools.kernels
    let width = target.domain.width
    let numbers = [red, green, blue, luma].flatMap { [$0.x, $0.y, $0.z] }
    let coefficients = (0..<4).map { curve[$0] }
    let pixels = ColumnPixels(source, target, tools)
    guard target.channels == 1 else {
      return { rows in
        for y in rows {
          kernels.luma_curve(pixels.row(y), numbers, coefficients, target.row(y), width)
        }
      }
    }
    let scale = red.x + red.y + red.z
    let weight = luma.x + luma.y + luma.z
    return { rows in
      for y in rows {
        kernels.luma_curve_gray(pixels.row(y), scale, weight, coefficients, target.row(y), width)
      }
    }
  }
}

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
