internal import CKernels
internal import FrostglassCore

extension Load {
  /// Rows of the input in fixed point, premultiplied.
  func fast(_ input: InputRows, into target: ImageRows<Int16>, _ tools: RowTools) -> RowProgram {
    let columns = target.domain.columns
    let gray: UnsafeMutablePointer<Int16> = tools.scratch(columns.count)
    return { rows in
      for y in rows {
        load(
          input.row(y) + columns.lowerBound * input.format.bytesPerPixel, input.format,
          into: target.row(y), channels: target.channels, columns.count, gray, tools.kernels)
      }
    }
  }

  /// Loads pixels of a row.
  ///
  /// - Parameters:
  ///   - channels: of what they become.
  ///   - gray: room for as many gray samples.
  func load(
    _ source: UnsafeRawPointer, _ format: PixelFormat, into row: UnsafeMutablePointer<Int16>,
    channels: Int, _ pixels: Int, _ gray: UnsafeMutablePointer<Int16>, _ kernels: fgk_row_kernels
  ) {
    let bytes = source.assumingMemoryBound(to: UInt8.self)
    let words = source.assumingMemoryBound(to: UInt16.self)
    let isByte = format.depth == .uint8
    switch format.layout {
    case .gray:
      let samples = channels == 1 ? row : gray
      if isByte {
        kernels.load8(bytes, samples, pixels)
      } else if let bits {
        kernels.load_low16(words, samples, pixels, UInt32(bits))
      } else {
        kernels.load16(words, samples, pixels)
      }
      if channels == 4 { kernels.spread_gray(gray, row, pixels) }
    case .rgb where isByte: kernels.load8_rgb(bytes, row, pixels)
    case .rgb: kernels.load16_rgb(words, row, pixels)
    case .rgba where isByte && alpha == .straight: kernels.load8_straight(bytes, row, pixels)
    case .rgba where isByte: kernels.load8(bytes, row, 4 * pixels)
    case .rgba where alpha == .straight: kernels.load16_straight(words, row, pixels)
    case .rgba: kernels.load16(words, row, 4 * pixels)
    }
  }
}

/// Rows of an input that become samples where these are wanted, some columns at a time.
struct LoadedRows {
  private let load: Load
  private let input: InputRows
  private let gray: UnsafeMutablePointer<Int16>
  private let kernels: fgk_row_kernels

  init(_ load: Load, _ input: InputRows, _ tools: RowTools) {
    self.load = load
    self.input = input
    gray = tools.scratch(input.format.layout == .gray ? input.width : 0)
    kernels = tools.kernels
  }

  func load(
    _ part: Range<Int>, _ y: Int, into target: UnsafeMutablePointer<Int16>, channels: Int
  ) {
    let start = input.row(y) + part.lowerBound * input.format.bytesPerPixel
    load.load(start, input.format, into: target, channels: channels, part.count, gray, kernels)
  }
}

extension Load {
  /// Rows of the input as floats: decoded and premultiplied.
  func fast(_ input: InputRows, into target: ImageRows<Float>, _ tools: RowTools) -> RowProgram {
    let format = input.format
    let columns = target.domain.columns
    let first = columns.lowerBound * format.bytesPerPixel
    let samples = columns.count * format.layout.channels
    let read = reading(format, tools.kernels)
    let spreads = format.layout != target.layout
    let scratch: UnsafeMutablePointer<Float> = tools.scratch(samples)
    return { rows in
      for y in rows {
        let row = target.row(y)
        let fractions = spreads ? scratch : row
        read(input.row(y) + first, fractions, samples)
        if spreads { Self.spread(fractions, format.layout, into: row, target) }
      }
    }
  }

  /// Reads samples of whole pixels into as many floats.
  private typealias Reading = (UnsafeRawPointer, UnsafeMutablePointer<Float>, Int) -> Void

  private func reading(_ format: PixelFormat, _ kernels: fgk_row_kernels) -> Reading {
    let isPlain =
      format.layout.hasAlpha ? alpha == .premultiplied && !decodesToLinear : !decodesToLinear
    let fractions = fractions(format.depth, kernels)
    if isPlain { return fractions }
    switch format.depth {
    case .uint8 where decodesToLinear:
      return decodingBytes(format.layout, kernels)
    case .uint16 where decodesToLinear:
      return decodingWords(format.layout)
    default:
      return { source, target, samples in
        fractions(source, target, samples)
        finish(target, samples, format.layout)
      }
    }
  }

  /// Samples as fractions of full scale.
  private func fractions(_ depth: PixelFormat.Depth, _ kernels: fgk_row_kernels) -> Reading {
    let full = depth.fullScale(bits: bits)
    return switch depth {
    case .uint8:
      { source, target, samples in
        kernels.float_load8(source.assumingMemoryBound(to: UInt8.self), target, samples)
      }
    case .uint16:
      { source, target, samples in
        kernels.float_load16(source.assumingMemoryBound(to: UInt16.self), target, samples, full)
      }
    case .float32:
      { source, target, samples in
        UnsafeMutableRawPointer(target).copyMemory(from: source, byteCount: 4 * samples)
      }
    }
  }

  /// Decodes and premultiplies fractions, in place.
  private func finish(
    _ row: UnsafeMutablePointer<Float>, _ samples: Int, _ layout: PixelFormat.Layout
  ) {
    let pixels = UnsafeMutableBufferPointer(start: row, count: samples)
    for x in 0..<samples / layout.channels {
      setPixel(pixels, x, layout, working(pixel(UnsafeBufferPointer(pixels), x, layout)))
    }
  }

  /// Decodes 8-bit levels, and premultiplies.
  private func decodingBytes(_ layout: PixelFormat.Layout, _ kernels: fgk_row_kernels) -> Reading {
    let divides: Int32 = alpha == .premultiplied ? 1 : 0
    return { source, target, samples in
      let bytes = source.assumingMemoryBound(to: UInt8.self)
      DecodedLevels.eightBits.withLight { light in
        if !layout.hasAlpha {
          kernels.float_decode8(bytes, light, target, samples)
        } else if alpha == .opaque {
          kernels.float_decode8(bytes, light, target, samples)
          for index in stride(from: 3, to: samples, by: 4) { target[index] = 1 }
        } else {
          kernels.float_decode8_alpha(bytes, light, divides, target, samples / 4)
        }
      }
    }
  }

  /// Decodes 16-bit levels by a table, and premultiplies.
  private func decodingWords(_ layout: PixelFormat.Layout) -> Reading {
    { source, target, samples in
      DecodedLevels.sixteenBits.withUnsafeBufferPointer { light in
        @inline(__always) func level(_ index: Int) -> Int {
          Int(source.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self))
        }
        guard layout.hasAlpha else {
          for index in 0..<samples { target[index] = light[level(index)] }
          return
        }
        for first in stride(from: 0, to: samples, by: 4) {
          let coverage = level(first + 3)
          let result: SIMD4<Float>
          if alpha == .premultiplied && coverage != 65535 {
            // The levels are divided by alpha first, and then are none of the table's.
            let levels = SIMD4(level(first), level(first + 1), level(first + 2), coverage)
            let fractions = SIMD4<Float>(levels) / 65535
            result = working(fractions)
          } else {
            let color = SIMD4(
              light[level(first)], light[level(first + 1)], light[level(first + 2)], 1)
            result = color * (alpha == .opaque ? 1 : Float(coverage) / 65535)
          }
          UnsafeMutableRawPointer(target + first)
            .storeBytes(of: result, as: SIMD4<Float>.self)
        }
      }
    }
  }

  /// Repeats gray where the target has colors; alpha is 1 where there was none.
  private static func spread(
    _ row: UnsafePointer<Float>, _ layout: PixelFormat.Layout,
    into target: UnsafeMutablePointer<Float>,
    _ rows: ImageRows<Float>
  ) {
    let width = rows.domain.width
    let pixels = UnsafeBufferPointer(start: row, count: width * layout.channels)
    let result = UnsafeMutableBufferPointer(start: target, count: rows.rowLength)
    for x in 0..<width { setPixel(result, x, rows.layout, pixel(pixels, x, layout)) }
  }
}
