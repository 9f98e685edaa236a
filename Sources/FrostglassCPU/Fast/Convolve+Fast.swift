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

  /// Whether all taps are the same.
  var isBox: Bool {
    Set(taps).count == 1 && abs(taps[0] * Float(2 * radius + 1) - 1) < 1e-5
  }

  /// `out[i] = t0 in[i] + Σ tk (in[i - k] + in[i + k])`, each sum exact and rounded once.
  func fast(_ source: PictureSource<Int16>, into target: PictureRows<Int16>, _ tools: RowTools)
    -> RowProgram
  {
    guard let fixedTaps else {
      return axis == .x
        ? boxAlongRows(source, target, tools) : boxAlongColumns(source, target, tools)
    }
    let pairs = TapPairs(source: source, target: target, count: fixedTaps.count, radius: radius)
    return pairs.program(axis, tools) { pairs, row, samples in
      tools.kernels.convolve(pairs, fixedTaps, fixedTaps.count, row, samples)
    }
  }

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
    let offset = source.offset(of: target.domain.columns)
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
