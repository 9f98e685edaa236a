internal import CKernels
internal import FrostglassCore

extension Convolve {
  /// `out[i] = t0 in[i] + Σ tk (in[i - k] + in[i + k])`, outermost pair first.
  func fast(
    _ source: PictureSource<Float>, into target: PictureRows<Float>, _ tools: RowTools
  ) -> RowProgram {
    switch axis {
    case .x: alongRows(source, target, tools)
    case .y: alongColumns(source, target, tools)
    }
  }

  private func alongRows(
    _ source: PictureSource<Float>, _ target: PictureRows<Float>, _ tools: RowTools
  ) -> RowProgram {
    let channels = target.channels
    let radius = radius
    let extended = source.extended(target.domain.columns.expanded(by: radius), tools)
    let pairs: UnsafeMutablePointer<UnsafePointer<Float>?> = tools.memory.take(2 * taps.count)
    return { rows in
      for y in rows {
        let center = extended.row(y) + radius * channels
        for distance in taps.indices {
          pairs[2 * distance] = center - distance * channels
          pairs[2 * distance + 1] = center + distance * channels
        }
        tools.kernels.float_convolve(pairs, taps, taps.count, target.row(y), target.rowLength)
      }
    }
  }

  /// Some columns at a time, so that the rows which one row is computed from are still in the
  /// nearest cache for the next.
  private func alongColumns(
    _ source: PictureSource<Float>, _ target: PictureRows<Float>, _ tools: RowTools
  ) -> RowProgram {
    let offset = (target.domain.x - source.rows.domain.x) * target.channels
    let radius = radius
    let pairs: UnsafeMutablePointer<UnsafePointer<Float>?> = tools.memory.take(2 * taps.count)
    let length = target.rowLength
    return { rows in
      let read = rows.expanded(by: radius)
      let sources = read.map { source.row($0) + offset }
      let width = max(Self.cachedFloats / read.count & ~63, 64)
      for first in stride(from: 0, to: length, by: width) {
        let samples = min(width, length - first)
        for y in rows {
          let center = y - read.lowerBound
          for distance in taps.indices {
            pairs[2 * distance] = sources[center - distance] + first
            pairs[2 * distance + 1] = sources[center + distance] + first
          }
          tools.kernels.float_convolve(pairs, taps, taps.count, target.row(y) + first, samples)
        }
      }
    }
  }

  /// Two thirds of a 32 KiB cache.
  private static let cachedFloats = 5500
}
