internal import CKernels
internal import FrostglassCore

extension Resample {
  /// Combines the source rows of each target row, then the columns of that one row.
  func fast(
    _ source: PictureSource<Float>, into target: PictureRows<Float>, _ tools: RowTools
  ) -> RowProgram {
    let channels = target.channels
    let reach = source.columns(x.sourceRange(for: target.domain.columns))
    let row: UnsafeMutablePointer<Float> = tools.scratch(reach.width * channels)
    let present = row + reach.presentOffset * channels
    let wanted = UnsafePointer(row + reach.wantedOffset * channels)
    let length = source.rows.rowLength
    let combine = x.combineColumns(
      wanted, reach.wanted.lowerBound, channels, target.domain.columns, tools)
    let sources: UnsafeMutablePointer<UnsafePointer<Float>?> =
      tools.memory.take(self.y.longestPhase)
    return { rows in
      for y in rows {
        let start = self.y.start(of: y)
        let taps = self.y.phases[start.phase].taps
        for index in taps.indices { sources[index] = source.row(start.source + index) }
        tools.kernels.float_mix_rows(sources, taps, taps.count, present, length)
        reach.fillOutside(row, channels: channels, transparent: .transparent)
        combine(target.row(y))
      }
    }
  }
}

extension Polyphase {
  /// Computes the target's columns of a row that begins at column `first`.
  fileprivate func combineColumns(
    _ row: UnsafePointer<Float>, _ first: Int, _ channels: Int, _ columns: Range<Int>,
    _ tools: RowTools
  ) -> (UnsafeMutablePointer<Float>) -> Void {
    if isIdentity {
      let start = row + (columns.lowerBound - first) * channels
      return { target in target.update(from: start, count: columns.count * channels) }
    }
    let kernelPhases: UnsafeMutablePointer<fg_phase> = tools.memory.take(phases.count)
    for (index, phase) in phases.enumerated() {
      let taps: UnsafeMutablePointer<Float> = tools.memory.take(phase.taps.count)
      _ = UnsafeMutableBufferPointer(start: taps, count: phase.taps.count)
        .update(fromContentsOf: phase.taps)
      kernelPhases[index] = fg_phase(first: phase.first, count: phase.taps.count, taps: taps)
    }
    let period = floorDivide(columns.lowerBound, phases.count)
    let start = row + (period * stride - first) * channels
    return { target in
      tools.kernels.float_mix_columns(
        start, stride, kernelPhases, phases.count, columns.lowerBound - period * phases.count,
        channels, target, columns.count)
    }
  }
}
