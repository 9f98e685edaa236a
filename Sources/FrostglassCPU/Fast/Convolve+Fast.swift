internal import CKernels
internal import FrostglassCore

extension Convolve {
  /// Whether the taps are ones that fixed point computes exactly, or all the same.
  var hasFixedKernel: Bool { fixedTaps != nil || isBox }

  /// The taps in 1/65536, the first half of the center's; an even number, nearest first.
  private var fixedTaps: [Int16]? {
    var fixed: [Int16] = []
    for (distance, tap) in taps.enumerated() {
      let scaled = tap * (distance == 0 ? 32768 : 65536)
      guard scaled == scaled.rounded(), abs(scaled) < 32768 else { return nil }
      fixed.append(Int16(scaled))
    }
    guard fixed.reduce(0, { $0 + Int($1) }) == 32768 else { return nil }
    if fixed.count % 2 == 1 { fixed.append(0) }
    return fixed
  }

  private var isBox: Bool {
    Set(taps).count == 1 && abs(taps[0] * Float(2 * radius + 1) - 1) < 1e-5
  }

  /// `out[i] = t0 in[i] + Σ tk (in[i - k] + in[i + k])`, each sum exact and rounded once.
  func fast(_ source: PictureSource<Int16>, into target: PictureRows<Int16>, _ tools: RowTools)
    -> RowProgram
  {
    switch (axis, fixedTaps) {
    case (.x, let fixed?): alongRows(source, target, tools, fixed)
    case (.y, let fixed?): alongColumns(source, target, tools, fixed)
    case (.x, nil): boxAlongRows(source, target, tools)
    case (.y, nil): boxAlongColumns(source, target, tools)
    }
  }

  private func alongRows(
    _ source: PictureSource<Int16>, _ target: PictureRows<Int16>, _ tools: RowTools,
    _ fixed: [Int16]
  ) -> RowProgram {
    let channels = target.channels
    let radius = radius
    let extended = source.extended(target.domain.columns.expanded(by: radius), tools)
    let pairs: UnsafeMutablePointer<UnsafePointer<Int16>?> = tools.memory.take(2 * fixed.count)
    return { rows in
      for y in rows {
        let center = extended.row(y) + radius * channels
        for index in fixed.indices {
          let distance = min(index, radius) * channels
          pairs[2 * index] = center - distance
          pairs[2 * index + 1] = center + distance
        }
        tools.kernels.convolve(pairs, fixed, fixed.count, target.row(y), target.rowLength)
      }
    }
  }

  /// Some columns at a time, so that the rows which one row is computed from are still in the
  /// nearest cache for the next.
  private func alongColumns(
    _ source: PictureSource<Int16>, _ target: PictureRows<Int16>, _ tools: RowTools,
    _ fixed: [Int16]
  ) -> RowProgram {
    let offset = (target.domain.x - source.rows.domain.x) * target.channels
    let radius = radius
    let pairs: UnsafeMutablePointer<UnsafePointer<Int16>?> = tools.memory.take(2 * fixed.count)
    let length = target.rowLength
    return { rows in
      let read = rows.expanded(by: radius)
      let sources = read.map { source.row($0) + offset }
      let width = max(Self.cachedSamples / read.count & ~63, 128)
      for first in stride(from: 0, to: length, by: width) {
        let samples = min(width, length - first)
        for y in rows {
          let center = y - read.lowerBound
          for index in fixed.indices {
            let distance = min(index, radius)
            pairs[2 * index] = sources[center - distance] + first
            pairs[2 * index + 1] = sources[center + distance] + first
          }
          tools.kernels.convolve(pairs, fixed, fixed.count, target.row(y) + first, samples)
        }
      }
    }
  }

  /// Two thirds of a 32 KiB cache.
  private static let cachedSamples = 11_000

  private func boxAlongRows(
    _ source: PictureSource<Int16>, _ target: PictureRows<Int16>, _ tools: RowTools
  ) -> RowProgram {
    let channels = target.channels
    let extended = source.extended(target.domain.columns.expanded(by: radius), tools)
    return { rows in
      for y in rows {
        tools.kernels.box_columns(
          extended.row(y), 2 * radius + 1, taps[0], target.row(y), target.rowLength, channels)
      }
    }
  }

  /// Keeps a sum per column, to which one row is added and from which one is taken away.
  private func boxAlongColumns(
    _ source: PictureSource<Int16>, _ target: PictureRows<Int16>, _ tools: RowTools
  ) -> RowProgram {
    let offset = (target.domain.x - source.rows.domain.x) * target.channels
    let length = target.rowLength
    let sums: UnsafeMutablePointer<Int32> = tools.memory.take(length + Int(FG_SLACK))
    var summed: Int?
    return { rows in
      for y in rows {
        if summed != y {
          sums.update(repeating: 0, count: length)
          for other in y - radius..<y + radius {
            let row = source.row(other) + offset
            for index in 0..<length { sums[index] &+= Int32(row[index]) }
          }
        }
        tools.kernels.box_rows(
          sums, source.row(y + radius) + offset, source.row(y - radius) + offset, taps[0],
          target.row(y), length)
        summed = y + 1
      }
    }
  }
}
