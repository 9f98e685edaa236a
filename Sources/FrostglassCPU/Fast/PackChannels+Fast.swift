internal import CKernels
internal import FrostglassCore

extension PackChannels {
  /// Gray rows in front of the channels of others.
  func fast(
    _ first: PictureSource<Int16>, _ rest: PictureSource<Int16>, into target: PictureRows<Int16>,
    _ tools: RowTools
  ) -> RowProgram {
    let channels = rest.rows.channels
    let left = first.offset(of: target.domain.columns)
    let right = rest.offset(of: target.domain.columns)
    let pack = channels == 1 ? tools.kernels.pack_channels_gray : tools.kernels.pack_channels
    return { rows in
      for y in rows {
        pack(first.row(y) + left, rest.row(y) + right, target.row(y), target.domain.width)
      }
    }
  }
}

extension PackChannels {
  /// Gray rows in front of the channels of others.
  func fast(
    _ first: PictureSource<Float>, _ rest: PictureSource<Float>, into target: PictureRows<Float>
  ) -> RowProgram {
    let channels = rest.rows.channels
    let second = channels == 1 ? 0 : 1
    let left = first.offset(of: target.domain.columns)
    let right = rest.offset(of: target.domain.columns)
    return { rows in
      for y in rows {
        let (gray, colors) = (first.row(y) + left, rest.row(y) + right)
        let row = target.row(y)
        for x in 0..<target.domain.width {
          row[3 * x] = gray[x]
          row[3 * x + 1] = colors[channels * x]
          row[3 * x + 2] = colors[channels * x + second]
        }
      }
    }
  }
}
