internal import CKernels
internal import FrostglassCore

extension ColorMatrix {
  /// The matrix on every pixel.
  ///
  /// - Returns: `nil` for large factors.
  func fast(
    _ source: ImageSource<Int16>, into target: ImageRows<Int16>, _ tools: RowTools
  ) -> RowProgram? {
    let isGray = target.channels == 1
    guard let fixed = FixedColorMatrix(self, isGray: isGray) else { return nil }
    var matrix = fgk_color_matrix(fixed, clamps: clamps)
    let (kernels, width) = (tools.kernels, target.domain.width)
    guard isGray else {
      let pixels = ColumnPixels(source, target, tools)
      return { rows in
        for y in rows { kernels.color_matrix(pixels.row(y), &matrix, target.row(y), width) }
      }
    }
    let offset = source.offset(of: target.domain.columns)
    guard source.rows.channels > 1 else {
      matrix.foldToGray()
      return { rows in
        for y in rows {
          kernels.color_matrix_gray(source.row(y) + offset, &matrix, target.row(y), width)
        }
      }
    }
    if [red.x, red.y, red.z, red.w] == [0, 0, 0, 1], opacity == 1 {
      // Alpha as it is, limited to itself.
      return { rows in
        for y in rows { kernels.take_red(source.row(y) + offset + 3, target.row(y), width) }
      }
    }
    let colors: UnsafeMutablePointer<Int16> = tools.scratch(4 * width)
    return { rows in
      for y in rows {
        kernels.color_matrix(source.row(y) + offset, &matrix, colors, width)
        kernels.take_red(colors, target.row(y), width)
      }
    }
  }
}

extension fgk_color_matrix {
  init(_ matrix: FixedColorMatrix, clamps: Bool) {
    self.init()
    shift = Int32(matrix.shift)
    self.clamps = clamps ? 1 : 0
    fade = mixWeight(of: matrix.opacity)
    let (full, one) = (Int32(FG_FULL), Int32(1) << shift)
    withUnsafeMutableBytes(of: &weights) { bytes in
      let weights = bytes.bindMemory(to: Int16.self)
      for (place, row) in matrix.rows.enumerated() {
        for column in 0..<4 {
          weights[column / 2 * 8 + 2 * place + column % 2] = Int16(row[column])
        }
      }
    }
    withUnsafeMutableBytes(of: &offsets) { bytes in
      let offsets = bytes.bindMemory(to: Int32.self)
      for (place, row) in matrix.rows.enumerated() {
        offsets[place] = full * (row.wrappedSum() - one) + one / 2
      }
    }
  }

  /// Makes the first row one for gray samples, whose alpha is full.
  mutating func foldToGray() {
    // Alpha is full: its contribution becomes part of the offset.
    offsets.0 += Int32(FG_FULL) * Int32(weights.9)
    // The total fits 16 bits; partial sums may not.
    weights.0 = weights.0 &+ weights.1 &+ weights.8
  }
}

/// Returns the weight of a second image as kernels take it: negative and in 1/32768.
func mixWeight(of amount: Float) -> Int16 {
  Int16(-Int32(min(max(amount, 0), 1) * 32768 + 0.5))
}

/// A source's pixels at a target's columns; gray is repeated where the target has colors.
struct ColumnPixels {
  private let source: ImageSource<Int16>
  private let columns: Range<Int>
  private let spreads: Bool
  private let kernels: fgk_row_kernels
  /// The buffer in which gray is repeated.
  private let room: UnsafeMutablePointer<Int16>

  init(_ source: ImageSource<Int16>, _ target: ImageRows<Int16>, _ tools: RowTools) {
    self.init(source, target.domain.columns, channels: target.channels, tools)
  }

  init(_ source: ImageSource<Int16>, _ columns: Range<Int>, channels: Int, _ tools: RowTools) {
    self.source = source
    self.columns = columns
    spreads = source.rows.channels < channels
    kernels = tools.kernels
    room = tools.scratch(spreads ? columns.count * channels : 0)
  }

  /// Pixels where they are, as far as they need not be made.
  func row(_ y: Int) -> UnsafePointer<Int16> {
    guard spreads else { return source.row(y) + source.offset(of: columns) }
    row(y, into: room)
    return UnsafePointer(room)
  }

  func row(_ y: Int, into target: UnsafeMutablePointer<Int16>) {
    // Not before: a blend also makes copies of images that do not show, and need not be there.
    let pixels = source.row(y) + source.offset(of: columns)
    if spreads {
      kernels.spread_gray(pixels, target, columns.count)
    } else if pixels != UnsafePointer(target) {
      target.update(from: pixels, count: columns.count * source.rows.channels)
    }
  }
}

extension ColorMatrix {
  /// Gray samples, by the reference's operations.
  private func scale(
    _ source: UnsafePointer<Float>, into target: UnsafeMutablePointer<Float>, _ count: Int
  ) {
    for x in 0..<count {
      var value = red.x * source[x] + red.w
      if clamps {
        value = value > 1 ? 1 : value
        value = value > 0 ? value : 0
      }
      target[x] = value * opacity
    }
  }

  /// The matrix on every pixel.
  func fast(
    _ source: ImageSource<Float>, into target: ImageRows<Float>, _ tools: RowTools
  ) -> RowProgram {
    let layout = source.rows.layout
    let offset = source.offset(of: target.domain.columns)
    let rows12 = [red, green, blue].flatMap { [$0.x, $0.y, $0.z, $0.w] }
    let matrix = tools.kernels.float_color_matrix
    // Of gray, most matrices take one number and add another.
    let isScale = layout == .gray && target.layout == .gray && red.y == 0 && red.z == 0
    return { rows in
      for y in rows {
        if isScale {
          scale(source.row(y) + offset, into: target.row(y), target.domain.width)
          continue
        }
        matrix(
          source.row(y) + offset, layout.channels, rows12, clamps ? 1 : 0, opacity, target.row(y),
          target.layout.channels, target.domain.width)
      }
    }
  }
}

extension LumaCurve {
  /// The matrix and the curve on every pixel.
  func fast(_ source: ImageSource<Int16>, into target: ImageRows<Int16>, _ tools: RowTools)
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
  func fast(_ source: ImageSource<Float>, into target: ImageRows<Float>) -> RowProgram {
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

extension HighlightWeight {
  /// Every pixel multiplied by its weight.
  func fast(
    _ source: ImageSource<Int16>, into target: ImageRows<Int16>, _ tools: RowTools
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

extension PackChannels {
  /// Gray rows in front of the channels of others.
  func fast(
    _ first: ImageSource<Int16>, _ rest: ImageSource<Int16>, into target: ImageRows<Int16>,
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
    _ first: ImageSource<Float>, _ rest: ImageSource<Float>, into target: ImageRows<Float>
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

extension Generate {
  /// The core's own samples in fixed point.
  ///
  /// - Returns: `nil` for images with colors, which only the reference kernel makes.
  func fast(into target: ImageRows<Int16>, _ tools: RowTools) -> RowProgram? {
    guard target.layout == .gray else { return nil }
    let columns = target.domain.columns
    let floats: UnsafeMutablePointer<Float> = tools.scratch(columns.count)
    let row = UnsafeMutableBufferPointer(start: floats, count: columns.count)
    let make = self.rows(of: target.domain)
    return { rows in
      for y in rows {
        make(y, columns, row)
        tools.kernels.from_planar(floats, target.row(y), 0, 1, columns.count)
      }
    }
  }
}

extension Generate {
  /// The core's own samples.
  func fast(into target: ImageRows<Float>) -> RowProgram {
    let make = self.rows(of: target.domain)
    return { rows in
      for y in rows {
        make(
          y, target.domain.columns,
          UnsafeMutableBufferPointer(start: target.row(y), count: target.rowLength))
      }
    }
  }
}
