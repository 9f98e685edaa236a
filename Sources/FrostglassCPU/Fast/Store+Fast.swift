internal import CKernels
internal import FrostglassCore

extension Store {
  /// Rows of the result: composed, straight, rounded.
  func fast(_ source: ImageSource<Int16>, into output: OutputRows, _ tools: RowTools)
    -> RowProgram
  {
    let columns = output.rect.columns
    let channels = format.layout == .gray ? 1 : 4
    let offset = source.offset(of: columns)
    let copy = ColumnPixels(source, columns, channels: channels, tools)
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

  /// Stores pixels of a row as they are.
  func store(
    _ row: UnsafePointer<Int16>, _ target: UnsafeMutableRawPointer, _ pixels: Int,
    _ kernels: fgk_row_kernels
  ) {
    let bytes = target.assumingMemoryBound(to: UInt8.self)
    let words = target.assumingMemoryBound(to: UInt16.self)
    switch (format.depth, format.layout) {
    case (.uint8, .gray): kernels.store8(row, bytes, pixels)
    case (.uint8, .rgb): kernels.store8_rgb(row, bytes, pixels)
    case (.uint8, .rgba) where alpha == .straight: kernels.store8_straight(row, bytes, pixels)
    case (.uint8, .rgba): kernels.store8(row, bytes, 4 * pixels)
    case (.uint16, .gray):
      if let bits {
        kernels.store_low16(row, words, pixels, UInt32(bits))
      } else {
        kernels.store16(row, words, pixels)
      }
    case (.uint16, .rgb): kernels.store16_rgb(row, words, pixels)
    case (.uint16, .rgba) where alpha == .straight: kernels.store16_straight(row, words, pixels)
    case (.uint16, .rgba): kernels.store16(row, words, 4 * pixels)
    case (.float32, _): storeFloats(row, target.assumingMemoryBound(to: Float.self), pixels)
    }
  }

  /// For comparing passes; float images themselves are computed in float.
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

extension Store {
  /// Rows of the result: composed, straight, encoded, rounded; some pixels at a time, so that what is on the
  /// way stays in the nearest cache.
  func fast(
    _ source: ImageSource<Float>, into output: OutputRows, _ tools: RowTools
  ) -> RowProgram {
    let columns = output.rect.columns
    let (width, channels) = (columns.count, format.layout.channels)
    let layout = source.rows.layout
    let offset = source.offset(of: columns)
    let arranges = format.layout != layout || background != nil
    let arranged: UnsafeMutablePointer<Float> = tools.scratch(Self.pixelsAtOnce * 4)
    let finished: UnsafeMutablePointer<Float> = tools.scratch(Self.pixelsAtOnce * 4)
    let write = writing(tools.kernels)
    return { rows in
      for y in rows {
        let row = source.row(y) + offset
        let bytes = output.row(y)
        for first in stride(from: 0, to: width, by: Self.pixelsAtOnce) {
          let count = min(Self.pixelsAtOnce, width - first)
          var pixels = row + first * layout.channels
          if arranges {
            arrange(pixels, layout, into: arranged, count)
            pixels = UnsafePointer(arranged)
          }
          if !keepsPixels {
            finish(pixels, into: finished, count, tools.kernels)
            pixels = UnsafePointer(finished)
          }
          write(pixels, bytes + first * format.bytesPerPixel, count * channels)
        }
      }
    }
  }

  private static var pixelsAtOnce: Int { 512 }

  /// True if linear light becomes 8-bit levels without encoded values in between.
  private var encodesLevels: Bool {
    encodesFromLinear && format.depth == .uint8 && alpha != .premultiplied
  }

  /// True if no sample depends on its pixel's alpha, and none is encoded before it is written.
  private var keepsPixels: Bool {
    let keepsAlpha = !format.layout.hasAlpha || alpha == .premultiplied
    return keepsAlpha && (!encodesFromLinear || encodesLevels)
  }

  /// Puts pixels in the result's layout, on the background.
  private func arrange(
    _ row: UnsafePointer<Float>, _ layout: PixelFormat.Layout,
    into target: UnsafeMutablePointer<Float>, _ count: Int
  ) {
    let source = UnsafeBufferPointer(start: row, count: count * layout.channels)
    let result = UnsafeMutableBufferPointer(start: target, count: count * format.layout.channels)
    for x in 0..<count {
      var color = pixel(source, x, layout)
      if let background { color = color.composed(on: background) }
      // If the result has no alpha, divide colors by it now.
      if layout.hasAlpha, !format.layout.hasAlpha, alpha == .straight || encodesFromLinear,
        color.w != 1
      {
        color = color.dividedBy(color.w)
      }
      setPixel(result, x, format.layout, color)
    }
  }

  /// Divides and encodes pixels of the result's layout.
  private func finish(
    _ row: UnsafePointer<Float>, into target: UnsafeMutablePointer<Float>, _ count: Int,
    _ kernels: fgk_row_kernels
  ) {
    let encodes = encodesFromLinear && !encodesLevels
    let multiplies = encodes && alpha == .premultiplied
    guard format.layout.hasAlpha else {
      return EncodingCurve.encode(row, into: target, count * format.layout.channels, kernels)
    }
    let isBeyond = EncodingCurve.curve.withCurve { curve in
      withUnsafePointer(to: curve) {
        kernels.float_finish(row, $0, encodes ? 1 : 0, multiplies ? 1 : 0, target, count)
      }
    }
    guard isBeyond != 0 else { return }
    // Values outside the curve's domain, as in the reference.
    let source = UnsafeBufferPointer(start: row, count: 4 * count)
    let result = UnsafeMutableBufferPointer(start: target, count: 4 * count)
    for x in 0..<count {
      let working = pixel(source, x, .rgba)
      let straight = working.dividedBy(working.w)
      // In this form NaN counts as outside.
      let isInside = abs(straight.x) <= 1 && abs(straight.y) <= 1 && abs(straight.z) <= 1
      guard !isInside else { continue }
      var color = SIMD4(
        TransferCurve.encode(straight.x), TransferCurve.encode(straight.y),
        TransferCurve.encode(straight.z), 1)
      if multiplies { color *= working.w }
      color.w = working.w
      setPixel(result, x, .rgba, color)
    }
  }

  /// Writes finished samples in the result's depth.
  private func writing(
    _ kernels: fgk_row_kernels
  ) -> (UnsafePointer<Float>, UnsafeMutableRawPointer, Int) -> Void {
    switch format.depth {
    case .uint8 where encodesLevels:
      { row, target, samples in writeLevels(row, target, samples, kernels) }
    case .uint8:
      { row, target, samples in
        kernels.float_store8(row, target.assumingMemoryBound(to: UInt8.self), samples)
      }
    case .uint16:
      { row, target, samples in
        kernels.float_store16(
          row, target.assumingMemoryBound(to: UInt16.self), samples,
          format.depth.fullScale(bits: bits))
      }
    case .float32:
      { row, target, samples in target.copyMemory(from: row, byteCount: 4 * samples) }
    }
  }

  private func writeLevels(
    _ row: UnsafePointer<Float>, _ target: UnsafeMutableRawPointer, _ samples: Int,
    _ kernels: fgk_row_kernels
  ) {
    let bytes = target.assumingMemoryBound(to: UInt8.self)
    EncodedLevels.table.encode(row, into: bytes, samples, kernels)
    guard format.layout.hasAlpha else { return }
    // Alpha is not encoded.
    for index in stride(from: 3, to: samples, by: 4) {
      bytes[index] = UInt8(row[index].clampedToUnit * 255 + 0.5)
    }
  }
}
