internal import CKernels
internal import FrostglassCore

extension Store {
  /// Whether no sRGB curve is wanted.
  var hasFixedKernel: Bool { !encodesFromLinear }

  /// Rows of the result: composed, straight, rounded.
  func fast(_ source: PictureSource<Int16>, into output: OutputRows, _ tools: RowTools)
    -> RowProgram
  {
    let columns = output.rect.columns
    let channels = format.layout == .gray ? 1 : 4
    let offset = source.offset(of: columns)
    let copy = PixelCopy(source, columns, channels: channels, tools)
    let scratch: UnsafeMutablePointer<Int16> = tools.scratch(columns.count * 4)
    let needsCopy = background != nil || source.rows.channels != channels
    return { rows in
      for y in rows {
        var row = source.row(y) + offset
        if needsCopy {
          copy.row(y, into: scratch)
          if let background {
            let color = [background.x, background.y, background.z]
            tools.kernels.compose(scratch, color, columns.count)
          }
          row = UnsafePointer(scratch)
        }
        store(row, output.row(y), columns.count, tools.kernels)
      }
    }
  }

  private func store(
    _ row: UnsafePointer<Int16>, _ target: UnsafeMutableRawPointer, _ pixels: Int,
    _ kernels: fg_row_kernels
  ) {
    let bytes = target.assumingMemoryBound(to: UInt8.self)
    let words = target.assumingMemoryBound(to: UInt16.self)
    switch (format.depth, format.layout) {
    case (.uint8, .gray): kernels.store8(row, bytes, pixels)
    case (.uint8, .rgb): kernels.store8_rgb(row, bytes, pixels)
    case (.uint8, .rgba) where alpha == .straight: kernels.store8_straight(row, bytes, pixels)
    case (.uint8, .rgba): kernels.store8(row, bytes, 4 * pixels)
    case (.uint16, .gray): kernels.store16(row, words, pixels)
    case (.uint16, .rgb): kernels.store16_rgb(row, words, pixels)
    case (.uint16, .rgba) where alpha == .straight: kernels.store16_straight(row, words, pixels)
    case (.uint16, .rgba): kernels.store16(row, words, 4 * pixels)
    case (.float32, _): storeFloats(row, target.assumingMemoryBound(to: Float.self), pixels)
    }
  }

  /// For comparing passes; float pictures themselves are computed in float.
  private func storeFloats(
    _ row: UnsafePointer<Int16>, _ target: UnsafeMutablePointer<Float>, _ pixels: Int
  ) {
    let channels = format.layout.channels
    let full = Float(2 * FG_FULL)
    for pixel in 0..<pixels {
      let first = pixel * (channels == 1 ? 1 : 4)
      let coverage = alpha == .straight ? Float(Int32(row[first + 3]) + FG_FULL) / full : 1
      for channel in 0..<channels {
        let value = Float(Int32(row[first + channel]) + FG_FULL) / full
        let straight = coverage > 0 ? value / coverage : 0
        target[pixel * channels + channel] = channel < 3 ? straight : value
      }
    }
  }
}
