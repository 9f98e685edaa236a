internal import CKernels
internal import FrostglassCore

extension ColorMatrix {
  /// The matrix on every pixel.
  func fast(_ source: PictureSource<Int16>, into target: PictureRows<Int16>, _ tools: RowTools)
    -> RowProgram
  {
    let kernels = tools.kernels
    let width = target.domain.width
    let rows12 = [red, green, blue].flatMap { [$0.x, $0.y, $0.z, $0.w] }
    let copy = PixelCopy(source, target, tools)
    guard target.channels == 1 else {
      return { rows in
        for y in rows {
          copy.row(y, into: target.row(y))
          kernels.color_matrix(target.row(y), rows12, clamps ? 1 : 0, opacity, width)
        }
      }
    }
    guard source.rows.channels == 1 else { return reduce(source, into: target, rows12, tools) }
    let scale = red.x + red.y + red.z
    return { rows in
      for y in rows {
        copy.row(y, into: target.row(y))
        kernels.color_matrix_gray(target.row(y), scale, red.w, clamps ? 1 : 0, opacity, width)
      }
    }
  }

  /// The matrix's first row on every pixel of colors.
  private func reduce(
    _ source: PictureSource<Int16>, into target: PictureRows<Int16>, _ numbers: [Float],
    _ tools: RowTools
  ) -> RowProgram {
    let width = target.domain.width
    if numbers[..<4] == [0, 0, 0, 1], opacity == 1 {
      // Alpha as it is, limited to itself.
      let offset = source.offset(of: target.domain.columns) + 3
      return { rows in
        for y in rows { tools.kernels.take_red(source.row(y) + offset, target.row(y), width) }
      }
    }
    let colors: UnsafeMutablePointer<Int16> = tools.scratch(4 * width)
    let copy = PixelCopy(source, target.domain.columns, channels: 4, tools)
    return { rows in
      for y in rows {
        copy.row(y, into: colors)
        tools.kernels.color_matrix(colors, numbers, clamps ? 1 : 0, opacity, width)
        tools.kernels.take_red(colors, target.row(y), width)
      }
    }
  }
}

/// Copies a source's pixels to a target's columns; gray is repeated where the target has colors.
struct PixelCopy {
  private let source: PictureSource<Int16>
  private let columns: Range<Int>
  private let spreads: Bool
  private let kernels: fg_row_kernels

  init(_ source: PictureSource<Int16>, _ target: PictureRows<Int16>, _ tools: RowTools) {
    self.init(source, target.domain.columns, channels: target.channels, tools)
  }

  init(_ source: PictureSource<Int16>, _ columns: Range<Int>, channels: Int, _ tools: RowTools) {
    self.source = source
    self.columns = columns
    spreads = source.rows.channels < channels
    kernels = tools.kernels
  }

  func row(_ y: Int, into target: UnsafeMutablePointer<Int16>) {
    // Not before: a blend also makes copies of pictures that do not show, and need not be there.
    let pixels = source.row(y) + source.offset(of: columns)
    if spreads {
      kernels.spread_gray(pixels, target, columns.count)
    } else {
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
    _ source: PictureSource<Float>, into target: PictureRows<Float>, _ tools: RowTools
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
