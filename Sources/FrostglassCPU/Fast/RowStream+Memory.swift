internal import CKernels
internal import FrostglassCore

// What a stream takes, before any of it is taken.
extension Plan {
  /// Bytes of the rows that a stream keeps, which computes some for each thread at a time.
  func rowMemory(threads: Int) -> Int {
    let rowsPerBand = RowSchedule.rowsPerBand * threads
    let arithmetic = arithmetic()
    func bytes(_ layout: PixelFormat.Layout) -> Int {
      switch arithmetic {
      case .fixed: Int16.channels(of: layout) * MemoryLayout<Int16>.size
      case .float: Float.channels(of: layout) * MemoryLayout<Float>.size
      }
    }
    let capacity = rowCapacity(rowsPerBand)
    let rows = slots.indices.map {
      capacity[$0] * slots[$0].domain.width * bytes(slots[$0].layout)
    }
    let loaded = steps.compactMap { step -> Int? in
      guard case .load = step.pass else { return nil }
      return step.target.map { capacity[$0] }
    }
    let input = inputs.first?.bytesPerRow ?? 0
    let output = results.reduce(0) { $0 + $1.rect.width * $1.format.bytesPerPixel }
    // Room around each row, and up to 64 cache lines that spread rows over a cache.
    let slack = (2 * Int(FG_SLACK) * 4 + 64 * 64) * capacity.reduce(0, +)
    return rows.reduce(0, +) + slack + input * (loaded.max() ?? 1) + output * rowsPerBand
      + scratch(arithmetic, rowsPerBand) * threads
  }

  /// For each slot, how many of its rows a stream keeps.
  ///
  /// Of a high picture that is found out where it begins, in its middle and at its end.
  private func rowCapacity(_ rowsPerBand: Int) -> [Int] {
    let all = result.rect.rows
    let part = 4096
    let starts =
      all.count > 4 * part
      ? [all.lowerBound, all.lowerBound + all.count / 2, all.upperBound - part]
      : [all.lowerBound]
    var most = [Int](repeating: 0, count: slots.count)
    for start in starts {
      let schedule = RowSchedule(
        self, target: nil, rows: start..<(starts.count > 1 ? start + part : all.upperBound),
        complete: [], rowsPerBand: rowsPerBand)
      for slot in most.indices { most[slot] = max(most[slot], schedule.capacity[slot]) }
    }
    return most
  }
}

extension Plan {
  /// Bytes of scratch rows that one thread takes for all steps, at most.
  fileprivate func scratch(_ arithmetic: RowArithmetic, _ rowsPerBand: Int) -> Int {
    let widest = slots.map(\.domain.width).max() ?? 0
    let transparent = ScratchRows(widest, arithmetic).bytes(1)
    return steps.reduce(transparent) { $0 + scratch(for: $1, arithmetic, rowsPerBand) }
  }

  private func scratch(
    for step: Step, _ arithmetic: RowArithmetic, _ rowsPerBand: Int
  ) -> Int {
    let target = (step.target.map { slots[$0].domain } ?? result.rect)
    let band = Rect(columns: target.columns, rows: target.y..<target.y + rowsPerBand)
    let read = step.sources.indices.map { step.pass.kind.sourceRect(for: band, of: $0) }
    let widths = step.sources.map { slots[$0.slot].domain.width } + read.map(\.width)
    let widest = max(target.width, widths.max() ?? 0)
    let rows = ScratchRows(widest, arithmetic)
    let high = read.map(\.height).max() ?? 0
    return rows.bytes(2) + extra(step.pass, rows, target.width, high, rowsPerBand)
  }

  /// What passes take that need more than two rows of pixels.
  ///
  /// - Parameters:
  ///   - rows: as wide as any that is read or made.
  ///   - high: how many rows are read for a band.
  private func extra(
    _ pass: Pass, _ rows: ScratchRows, _ width: Int, _ high: Int, _ rowsPerBand: Int
  ) -> Int {
    switch pass {
    case .resample(let resample):
      // Of gray in floats, where each column begins to read and its taps; of others, those of phases.
      let (taps, phases) = (resample.x.longestPhase, resample.x.phases.count)
      return rows.bytes(2) + 4 * (width + 16) * (taps + 1) + phases * (4 * taps + 128)
    case .convolve(let convolve):
      // Boxes have three sums for each sample; others pairs of pointers, and parts of rows that are stored.
      guard convolve.boxes == nil else {
        return rows.bytes(2) + 12 * (4 * width + Int(FG_SLACK))
      }
      let part = TapPairs<Int16>.mostColumns(radius: convolve.radius) + 128
      return 64 * (convolve.radius + 32) + 16 * rowsPerBand + 4 * part * rowsPerBand
    case .stencil(let stencil):
      let span = stencil.rows.count + stencil.phases * stencil.phases + 4
      return rows.bytes(span) + 64 * stencil.longestPhase
    case .median: return rows.bytes(2 * high) + Int(FG_LEVEL_COUNTS) + 2 * Int(FG_COUNTS)
    case .bilateral:
      let most = min(width, 512) + rows.width - width
      return ScratchRows(most, .float).bytes(high + 2) + (1 << 18)
    case .grain(let grain): return rows.bytes(3 * grain.growth.longestPhase + 6)
    case .blend, .store, .generate, .cellMeans, .cellFill: return rows.bytes(6)
    case .gather(let gather):
      // For each eight views, what lies beyond the edge of a block.
      return (gather.views.count + 7) / 8 * (1 << 19) + (1 << 16) + 16 * high
    case .load, .colorMatrix, .lumaCurve, .displace, .highlightWeight, .packChannels: return 0
    }
  }
}

/// Rows of pixels with the room around them.
private struct ScratchRows {
  let width: Int
  private let sample: Int

  init(_ width: Int, _ arithmetic: RowArithmetic) {
    self.width = width
    sample = arithmetic == .fixed ? 2 : 4
  }

  func bytes(_ count: Int) -> Int { count * (sample * (4 * width + 2 * Int(FG_SLACK)) + 64) }
}
