internal import CKernels
internal import FrostglassCore

extension Store {
  /// Rows of the result: composed, straight, encoded, rounded.
  func fast(
    _ source: PictureSource<Float>, into output: OutputRows, _ tools: RowTools
  ) -> RowProgram {
    let columns = output.rect.columns
    let layout = source.rows.layout
    let offset = (columns.lowerBound - source.rows.domain.x) * source.rows.channels
    let scratch: UnsafeMutablePointer<Float> = tools.scratch(columns.count * 4)
    let samples = columns.count * format.layout.channels
    let write = writing(tools.kernels)
    let isPlain = format.layout == layout && background == nil && keepsPixels
    return { rows in
      for y in rows {
        var row = source.row(y) + offset
        if !isPlain {
          finish(row, layout, into: scratch, columns.count)
          row = UnsafePointer(scratch)
        }
        write(row, output.row(y), samples)
      }
    }
  }

  /// Whether light becomes 8-bit levels without the encoded values in between.
  private var encodesLevels: Bool {
    encodesFromLinear && format.depth == .uint8 && alpha != .premultiplied
  }

  /// Whether no sample depends on its pixel's alpha, and none is encoded before it is written.
  private var keepsPixels: Bool {
    let keepsAlpha = !format.layout.hasAlpha || alpha == .premultiplied
    return keepsAlpha && (!encodesFromLinear || encodesLevels)
  }

  /// Composes, divides and encodes pixels.
  private func finish(
    _ row: UnsafePointer<Float>, _ layout: Layout, into target: UnsafeMutablePointer<Float>,
    _ width: Int
  ) {
    let source = UnsafeBufferPointer(start: row, count: width * layout.channels)
    let result = UnsafeMutableBufferPointer(start: target, count: width * format.layout.channels)
    let curve = EncodingCurve.table
    let encodes = encodesFromLinear && !encodesLevels
    for x in 0..<width {
      var color = pixel(source, x, layout)
      if let background { color = color.composed(on: background) }
      let coverage = color.w
      if alpha == .straight || encodesFromLinear {
        if coverage != 1 { color = color.dividedBy(coverage) }
        if encodes {
          color = SIMD4(
            curve.encode(color.x), curve.encode(color.y), curve.encode(color.z), color.w)
          if alpha == .premultiplied { color *= coverage }
        }
        color.w = coverage
      }
      setPixel(result, x, format.layout, color)
    }
  }

  /// Writes finished samples in the result's depth.
  private func writing(
    _ kernels: fg_row_kernels
  ) -> (UnsafePointer<Float>, UnsafeMutableRawPointer, Int) -> Void {
    switch format.depth {
    case .uint8 where encodesLevels: writeLevels
    case .uint8:
      { row, target, samples in
        kernels.float_store8(row, target.assumingMemoryBound(to: UInt8.self), samples)
      }
    case .uint16:
      { row, target, samples in
        kernels.float_store16(row, target.assumingMemoryBound(to: UInt16.self), samples)
      }
    case .float32:
      { row, target, samples in target.copyMemory(from: row, byteCount: 4 * samples) }
    }
  }

  private func writeLevels(
    _ row: UnsafePointer<Float>, _ target: UnsafeMutableRawPointer, _ samples: Int
  ) {
    let levels = EncodedLevels.table
    let bytes = target.assumingMemoryBound(to: UInt8.self)
    guard format.layout.hasAlpha else {
      for index in 0..<samples { bytes[index] = levels.level(of: row[index]) }
      return
    }
    for first in stride(from: 0, to: samples, by: 4) {
      for index in first..<first + 3 { bytes[index] = levels.level(of: row[index]) }
      bytes[first + 3] = UInt8(row[first + 3].clampedToUnit * 255 + 0.5)
    }
  }
}
