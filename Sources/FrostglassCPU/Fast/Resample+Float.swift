internal import CKernels
internal import FrostglassCore

// Resampling in floats: any ratio and any taps.
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
  func combineColumns(
    _ row: UnsafePointer<Float>, _ first: Int, _ channels: Int, _ columns: Range<Int>,
    _ tools: RowTools
  ) -> (UnsafeMutablePointer<Float>) -> Void {
    if isIdentity {
      let start = row + (columns.lowerBound - first) * channels
      return { target in target.update(from: start, count: columns.count * channels) }
    }
    if let mixed = combineSixteens(row, first, channels, columns, tools) { return mixed }
    let kernelPhases = tools.memory.take(
      copying: phases.map {
        fg_phase(
          first: $0.first, count: $0.taps.count, taps: tools.memory.take(copying: $0.taps))
      })
    let period = floorDivide(columns.lowerBound, phases.count)
    let start = row + (period * stride - first) * channels
    return { target in
      tools.kernels.float_mix_columns(
        start, stride, kernelPhases, phases.count, columns.lowerBound - period * phases.count,
        channels, target, columns.count)
    }
  }

  /// The same by sixteen samples at a time: where each begins to read, and its taps, are settled before.
  ///
  /// Taps that some phases do not have are no numbers, and add nothing.
  ///
  /// - Returns: `nil` where that is not faster.
  private func combineSixteens(
    _ row: UnsafePointer<Float>, _ first: Int, _ channels: Int, _ columns: Range<Int>,
    _ tools: RowTools
  ) -> ((UnsafeMutablePointer<Float>) -> Void)? {
    let isEven = phases.allSatisfy { $0.taps.count == phases[0].taps.count }
    let low = phases.map(\.first).min() ?? 0
    let end = phases.map { $0.first + $0.taps.count }.max() ?? 0
    let count = isEven ? phases[0].taps.count : end - low
    /// Taps that a phase does not have before its own.
    func missing(_ phase: Int) -> Int { isEven ? 0 : phases[phase].first - low }
    let samples = columns.count * channels
    var vectors = (samples + 15) / 16
    var step = 0
    // Where samples repeat; what is too much at a row's end is read from the room around it.
    let period = phases.count * channels
    let repeated = 16 * (period >> min(period.trailingZeroBitCount, 4))
    let beyond = (16 * stride / phases.count + count + stride) * channels
    if repeated / 16 < vectors, beyond < Int(FG_SLACK) / 2 {
      vectors = repeated / 16
      step = repeated / phases.count * stride
    }
    func start(_ sample: Int) -> (source: Int, phase: Int) {
      let place = self.start(
        of: columns.lowerBound
          + (step == 0 ? min(sample / channels, columns.count - 1) : sample / channels))
      let source = place.source - missing(place.phase)
      return ((source - first) * channels + sample % channels, place.phase)
    }
    let lows = (0..<vectors).map { vector in
      (0..<16).map { start(16 * vector + $0).source }.min() ?? 0
    }
    let farthest = (0..<16 * vectors).map { start($0).source - lows[$0 / 16] }.max() ?? 0
    guard
      isEven && channels == 1 && count > 4 || tools.kernels.prefers_places != 0 && farthest < 32
    else { return nil }
    let starts: UnsafeMutablePointer<Int32> = tools.memory.take(vectors)
    let places: UnsafeMutablePointer<Int32> = tools.memory.take(16 * vectors)
    let taps: UnsafeMutablePointer<Float> = tools.memory.take(16 * vectors * count)
    for vector in 0..<(tools.memory.isThere ? vectors : 0) {
      starts[vector] = Int32(lows[vector])
      for lane in 0..<16 {
        let place = start(16 * vector + lane)
        places[16 * vector + lane] = Int32(place.source - lows[vector])
        for tap in 0..<count { taps[(vector * count + tap) * 16 + lane] = .nan }
        for (tap, weight) in phases[place.phase].taps.enumerated() {
          taps[(vector * count + missing(place.phase) + tap) * 16 + lane] = weight
        }
      }
    }
    let mixed = fg_places(
      starts: starts, places: places, taps: taps, count: count, channels: channels,
      vectors: vectors,
      step: step, farthest: Int32(farthest))
    let mix = tools.kernels.float_mix_places
    return { target in withUnsafePointer(to: mixed) { mix(row, $0, target, samples) } }
  }
}
