internal import FrostglassCore

/// Walks a symmetric filter along rows or columns: for each stretch of a target row, the pairs of
/// source samples at distance 0, 1, 2, … that belong together.
struct TapPairs<Sample: RowSample> {
  /// Computes samples of a target row from pairs of pointers, nearest first.
  typealias Kernel = (
    _ pairs: UnsafeMutablePointer<UnsafePointer<Sample>?>, _ target: UnsafeMutablePointer<Sample>,
    _ samples: Int
  ) -> Void

  let source: PictureSource<Sample>
  let target: PictureRows<Sample>
  /// How many pairs the kernel takes; beyond the radius the last is repeated.
  let count: Int
  let radius: Int

  func program(_ axis: Axis, _ tools: RowTools, _ kernel: @escaping Kernel) -> RowProgram {
    switch axis {
    case .x: alongRows(tools, kernel)
    case .y: alongColumns(tools, kernel)
    }
  }

  private func alongRows(_ tools: RowTools, _ kernel: @escaping Kernel) -> RowProgram {
    let channels = target.channels
    let extended = source.extended(target.domain.columns.expanded(by: radius), tools)
    let pairs: UnsafeMutablePointer<UnsafePointer<Sample>?> = tools.memory.take(2 * count)
    return { rows in
      for y in rows {
        let center = extended.row(y) + radius * channels
        for index in 0..<count {
          let distance = min(index, radius) * channels
          pairs[2 * index] = center - distance
          pairs[2 * index + 1] = center + distance
        }
        kernel(pairs, target.row(y), target.rowLength)
      }
    }
  }

  /// Some columns at a time, so that the rows which one row is computed from are still in the
  /// nearest cache for the next.
  private func alongColumns(_ tools: RowTools, _ kernel: @escaping Kernel) -> RowProgram {
    let offset = source.offset(of: target.domain.columns)
    let pairs: UnsafeMutablePointer<UnsafePointer<Sample>?> = tools.memory.take(2 * count)
    let length = target.rowLength
    return { rows in
      let read = rows.expanded(by: radius)
      let sources = read.map { source.row($0) + offset }
      let width = max(Self.cachedSamples / read.count & ~63, 128)
      for first in stride(from: 0, to: length, by: width) {
        for y in rows {
          let center = y - read.lowerBound
          for index in 0..<count {
            let distance = min(index, radius)
            pairs[2 * index] = sources[center - distance] + first
            pairs[2 * index + 1] = sources[center + distance] + first
          }
          kernel(pairs, target.row(y) + first, min(width, length - first))
        }
      }
    }
  }

  /// Two thirds of a 32 KiB cache.
  private static var cachedSamples: Int { 22_000 / MemoryLayout<Sample>.stride }
}
