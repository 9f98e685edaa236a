internal import CKernels
internal import FrostglassCore

extension Blend {
  /// `first * (1 - amount) + second * amount`.
  func fast(
    _ first: PictureSource<Int16>, _ second: PictureSource<Int16>, into target: PictureRows<Int16>,
    _ tools: RowTools
  ) -> RowProgram {
    let copyFirst = PixelCopy(first, target, tools)
    let copySecond = PixelCopy(second, target, tools)
    let other: UnsafeMutablePointer<Int16> = tools.scratch(target.rowLength)
    return { rows in
      for y in rows {
        copyFirst.row(y, into: target.row(y))
        copySecond.row(y, into: other)
        tools.kernels.blend(target.row(y), other, amount, target.rowLength)
      }
    }
  }
}
