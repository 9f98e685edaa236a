internal import CKernels
internal import FrostglassCore

extension Load {
  /// Whether rows of `format` can be loaded into fixed point.
  func hasFixedKernel(_ format: PixelFormat) -> Bool {
    let ignoresAlpha = format.layout.hasAlpha && alpha == .opaque
    return !decodesToLinear && format.depth != .float32 && !ignoresAlpha
  }

  /// Rows of the input in fixed point, premultiplied.
  func fast(_ input: InputRows, into target: PictureRows<Int16>, _ tools: RowTools) -> RowProgram {
    let columns = target.domain.columns
    let gray: UnsafeMutablePointer<Int16> = tools.scratch(columns.count)
    return { rows in
      for y in rows {
        load(
          input.row(y) + columns.lowerBound * input.format.bytesPerPixel, input.format,
          into: target, y, gray, tools.kernels)
      }
    }
  }

  private func load(
    _ source: UnsafeRawPointer, _ format: PixelFormat, into target: PictureRows<Int16>, _ y: Int,
    _ gray: UnsafeMutablePointer<Int16>, _ kernels: fg_row_kernels
  ) {
    let row = target.row(y)
    let pixels = target.domain.width
    let bytes = source.assumingMemoryBound(to: UInt8.self)
    let words = source.assumingMemoryBound(to: UInt16.self)
    let isByte = format.depth == .uint8
    switch format.layout {
    case .gray:
      let samples = target.channels == 1 ? row : gray
      if isByte {
        kernels.load8(bytes, samples, pixels)
      } else {
        kernels.load16(words, samples, pixels)
      }
      if target.channels == 4 { kernels.spread_gray(gray, row, pixels) }
    case .rgb where isByte: kernels.load8_rgb(bytes, row, pixels)
    case .rgb: kernels.load16_rgb(words, row, pixels)
    case .rgba where isByte && alpha == .straight: kernels.load8_straight(bytes, row, pixels)
    case .rgba where isByte: kernels.load8(bytes, row, 4 * pixels)
    case .rgba where alpha == .straight: kernels.load16_straight(words, row, pixels)
    case .rgba: kernels.load16(words, row, 4 * pixels)
    }
  }
}
