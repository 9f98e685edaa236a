internal import FrostglassCPU

/// About how many bytes a job takes at its peak, from the input's header, the plan and the formats.
public struct MemoryNeed: Sendable, Hashable {
  /// Where rows go from the decoder through the blur to the encoder, a few at a time: on the CPU.
  public let byRows: Int
  /// Where decoding, blurring and encoding come one after the other: on a GPU, and on the reference.
  public let whole: Int

  /// - Parameters:
  ///   - plan: for one frame.
  ///   - frames: that are read and written.
  ///   - threads: that share rows.
  init(
    _ plan: Plan, from reader: StillReader, frames: Int, as format: StillFormat,
    _ encoding: EncodeOptions, threads: Int
  ) {
    let encoder = StillEncoder(encoding)
    let size = plan.result.rect.size
    func encoded(byRows: Bool) -> Int {
      encoder.memory(size, frames: frames, plan.result.format, as: format, byRows: byRows)
    }
    byRows = reader.rowMemory + plan.rowMemory(threads) + encoded(byRows: true)
    // Decoding is over when encoding begins, but what it made stays.
    let atOnce = min(frames, WholeFrames.atOnce)
    whole =
      max(
        reader.imageMemory + (atOnce - 1) * plan.inputBytes,
        plan.inputBytes + encoded(byRows: false))
      + max(plan.wholeMemory, plan.resultBytes) * atOnce
      + plan.resultBytes * frames
  }
}

extension Plan {
  /// Bytes of all input pictures.
  var inputBytes: Int { inputs.reduce(0) { $0 + $1.size.area * $1.format.bytesPerPixel } }

  /// Bytes of intermediate pictures in the reference's samples, which are the largest.
  var wholeMemory: Int {
    peakBytes { $0.domain.area * $0.layout.channels * MemoryLayout<Float>.size }
  }

  /// Rows for sums and the places that columns are read from: measured with 2.4 million columns.
  private static let scratchBytesPerColumn = 150

  /// Bytes of the rows that a stream keeps, which computes some for each thread at a time.
  fileprivate func rowMemory(_ threads: Int) -> Int {
    let rowsPerTurn = RowSchedule.rowsPerTurn * threads
    let isFixed = StagedPlan(self, strips: 1).arithmetic == .fixed
    // Fixed point keeps colors in fours.
    func bytes(_ layout: Layout) -> Int {
      isFixed ? (layout == .gray ? 2 : 8) : layout.channels * MemoryLayout<Float>.size
    }
    let capacity = rowCapacity(rowsPerTurn)
    let rows = slots.indices.map {
      capacity[$0] * slots[$0].domain.width * bytes(slots[$0].layout)
    }
    let loaded = steps.compactMap { step -> Int? in
      guard case .load = step.pass else { return nil }
      return step.target.map { capacity[$0] }
    }
    let input = inputs.first.map { $0.size.width * $0.format.bytesPerPixel } ?? 0
    let output = result.rect.width * result.format.bytesPerPixel
    let widest = slots.map(\.domain.width).max() ?? 0
    return rows.reduce(0, +) + input * (loaded.max() ?? 1) + output * rowsPerTurn
      + widest * Self.scratchBytesPerColumn * threads
  }

  /// For each slot, how many of its rows a stream keeps.
  ///
  /// Of a high picture that is found out where it begins, in its middle and at its end: working out
  /// the order of all its rows would take as much as a large picture itself.
  private func rowCapacity(_ rowsPerTurn: Int) -> [Int] {
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
        complete: [], rowsPerTurn: rowsPerTurn)
      for slot in most.indices { most[slot] = max(most[slot], schedule.capacity[slot]) }
    }
    return most
  }
}
