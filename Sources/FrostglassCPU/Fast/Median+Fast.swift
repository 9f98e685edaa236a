internal import CKernels
internal import FrostglassCore

extension Median {
  /// The window's sample of the rank, for whole rows at once where windows are small.
  ///
  /// - Parameter ofLevels: whether all samples are whole 8-bit levels.
  func fast(
    _ source: PictureSource<Int16>, into target: PictureRows<Int16>, ofLevels: Bool,
    _ tools: RowTools
  ) -> RowProgram {
    if ofLevels, let program = fastOfLevels(source, into: target, tools) { return program }
    let rows = WindowRows(self, source, target.domain, tools)
    return side <= Self.mostSorted
      ? sorting(rows, into: target, tools) : counting(rows, into: target, tools)
  }

  /// The largest side of a window whose samples are put in order; those of larger ones are counted.
  static var mostSorted: Int { 9 }

  /// Columns are put in order once for all windows that share them.
  private func sorting(
    _ rows: WindowRows, into target: PictureRows<Int16>, _ tools: RowTools
  ) -> RowProgram {
    let channels = target.channels
    let length = (target.domain.width + side - 1) * channels
    let sorted: [UnsafeMutablePointer<Int16>?] = (0..<side).map { _ in tools.scratch(length) }
    let ordered = sorted.map { $0.map { UnsafePointer($0) } }
    return { wanted in
      for y in wanted {
        tools.kernels.sort_rows(rows.around(y), side, sorted, length)
        tools.kernels.rank_columns(
          ordered, side, rank, channels, target.row(y), target.rowLength)
      }
    }
  }

  private func counting(
    _ rows: WindowRows, into target: PictureRows<Int16>, _ tools: RowTools
  ) -> RowProgram {
    let counts: UnsafeMutablePointer<UInt16> = tools.memory.take(Int(FG_COUNTS), of: 0)
    let channels = target.channels
    return { wanted in
      for y in wanted {
        if tools.current.isCancelled { return }
        let (row, window) = (target.row(y), rows.around(y))
        for channel in 0..<target.layout.channels {
          tools.kernels.rank_counting(
            window, side, rank, channels, channel, counts, row, target.domain.width)
        }
        guard target.layout == .rgb else { continue }
        for x in 0..<target.domain.width { row[4 * x + 3] = Int16(FG_FULL) }
      }
    }
  }
}

/// The rows that windows of one row see, with what lies beyond their columns.
private final class WindowRows {
  private let radius: Int
  private let source: PictureSource<Int16>
  private let reach: ColumnReach
  /// Row y is at y modulo their number.
  private let ring: [UnsafeMutablePointer<Int16>]
  private var held: HeldRows

  init(
    _ median: Median, _ source: PictureSource<Int16>, _ domain: Rect, _ tools: RowTools
  ) {
    radius = median.radius
    self.source = source
    reach = source.columns(median.sourceRect(for: domain).columns)
    let samples = reach.width * source.rows.channels
    ring = (0..<median.side).map { _ in tools.scratch(samples) }
    held = HeldRows(median.side, tools.current)
  }

  /// Where the first window of a row begins in each of its rows, in no order.
  func around(_ y: Int) -> [UnsafePointer<Int16>?] {
    held.begin()
    let channels = source.rows.channels
    for row in y - radius...y + radius {
      let (place, isNew) = held.take(row)
      if isNew { reach.gather(source.row(row), channels: channels, into: ring[place]) }
    }
    return ring.map { UnsafePointer($0 + reach.wantedOffset * channels) }
  }
}
