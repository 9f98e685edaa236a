internal import CKernels
internal import FrostglassCore

extension Prepend {
  /// Gray rows in front of the channels of others.
  func fast(
    _ first: PictureSource<Int16>, _ rest: PictureSource<Int16>, into target: PictureRows<Int16>,
    _ tools: RowTools
  ) -> RowProgram {
    let channels = rest.rows.channels
    let left = first.offset(of: target.domain.columns)
    let right = rest.offset(of: target.domain.columns)
    let prepend = channels == 1 ? tools.kernels.prepend_gray : tools.kernels.prepend
    return { rows in
      for y in rows {
        prepend(first.row(y) + left, rest.row(y) + right, target.row(y), target.domain.width)
      }
    }
  }
}
