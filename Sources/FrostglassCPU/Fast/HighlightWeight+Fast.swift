internal import CKernels
internal import FrostglassCore

extension HighlightWeight {
  /// Every pixel multiplied by its weight.
  func fast(
    _ source: PictureSource<Int16>, into target: PictureRows<Int16>, _ tools: RowTools
  ) -> RowProgram {
    let pixels = ColumnPixels(source, target, tools)
    let weights = [luma.x, luma.y, luma.z]
    let (kernels, width) = (tools.kernels, target.domain.width)
    return { rows in
      for y in rows {
        kernels.highlight_weight(pixels.row(y), weights, highlights, target.row(y), width)
      }
    }
  }
}
