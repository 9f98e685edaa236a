internal import CKernels
internal import FrostglassCore

extension Blend {
  /// `first * (1 - amount) + second * amount`.
  func fast(
    _ first: FixedSource, _ second: FixedSource, into target: FixedRows, _ tools: RowTools
  ) -> RowProgram {
    let copyFirst = PixelCopy(first, target, tools)
    let copySecond = PixelCopy(second, target, tools)
    let other = tools.scratch(target.rowLength)
    return { rows in
      for y in rows {
        copyFirst.row(y, into: target.row(y))
        copySecond.row(y, into: other)
        tools.kernels.blend(target.row(y), other, amount, target.rowLength)
      }
    }
  }
}
