internal import CKernels
internal import FrostglassCore

extension Median {
  /// The window's sample of the rank, for whole rows at once where windows are small.
  ///
  /// - Parameter ofLevels: true if all samples are whole 8-bit levels.
  func fast(
    _ source: ImageSource<Int16>, into target: ImageRows<Int16>, ofLevels: Bool,
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
    _ rows: WindowRows, into target: ImageRows<Int16>, _ tools: RowTools
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
    _ rows: WindowRows, into target: ImageRows<Int16>, _ tools: RowTools
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
  private let source: ImageSource<Int16>
  private let reach: ColumnReach
  /// Row y is at y modulo their number.
  private let ring: [UnsafeMutablePointer<Int16>]
  private var held: HeldRows

  init(
    _ median: Median, _ source: ImageSource<Int16>, _ domain: Rect, _ tools: RowTools
  ) {
    radius = median.radius
    self.source = source
    reach = source.columns(median.sourceRect(for: domain).columns)
    let samples = reach.width * source.rows.channels
    ring = (0..<median.side).map { _ in tools.scratch(samples) }
    held = HeldRows(median.side, tools.current)
  }

  /// Returns the start of a row's first window in each of the window's rows, in no order.
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

extension Median {
  /// The same for samples that are whole 8-bit levels: processors compare twice as many at once, and
  /// each level can be counted.
  ///
  /// - Returns: `nil` for windows that are too large.
  func fastOfLevels(
    _ source: ImageSource<Int16>, into target: ImageRows<Int16>, _ tools: RowTools
  ) -> RowProgram? {
    guard side > Self.mostSorted else { return sortingLevels(source, into: target, tools) }
    guard side <= Int(FG_MOST_LEVEL_SIDE) else { return nil }
    return countingLevels(source, into: target, tools)
  }

  /// Columns are put in order once for all windows that share them.
  private func sortingLevels(
    _ source: ImageSource<Int16>, into target: ImageRows<Int16>, _ tools: RowTools
  ) -> RowProgram {
    let channels = target.channels
    let rows = LevelRows(self, source, target.domain, count: side, channelsApart: false, tools)
    let length = (target.domain.width + side - 1) * channels
    let sorted: [UnsafeMutablePointer<UInt8>?] = (0..<side).map { _ in tools.levels(length) }
    let ordered = sorted.map { $0.map { UnsafePointer($0) } }
    let found = tools.levels(target.rowLength)
    return { wanted in
      for y in wanted {
        tools.kernels.sort_levels(rows.rows(y - radius...y + radius, 0), side, sorted, length)
        tools.kernels.rank_levels(ordered, side, rank, channels, found, target.rowLength)
        tools.kernels.load8(found, target.row(y), target.rowLength)
      }
    }
  }

  /// Windows of some rows at a time are counted, each channel on its own. Where rows follow each other and it
  /// does not take too much memory, columns are counted only once: what they were in the last row is kept.
  private func countingLevels(
    _ source: ImageSource<Int16>, into target: ImageRows<Int16>, _ tools: RowTools
  ) -> RowProgram {
    let channels = target.channels
    let most = RowSchedule.rowsPerBand
    let (width, planes) = (target.domain.width, target.layout.channels)
    let piece = Int(FG_LEVEL_COUNTS)
    let plane = (width + Int(FG_LEVEL_PIXELS) - 1) / Int(FG_LEVEL_PIXELS) * piece
    // Rows that are shared among threads are not consecutive.
    let keeps = tools.workers == nil && plane <= Self.mostKept / planes
    let counts: UnsafeMutablePointer<UInt8> = tools.memory.take(keeps ? planes * plane : piece)
    let rows = LevelRows(
      self, source, target.domain, count: side + most, channelsApart: true, tools)
    var next: (run: Int, row: Int)?
    return { wanted in
      for first in stride(from: wanted.lowerBound, to: wanted.upperBound, by: most) {
        if tools.current.isCancelled { return }
        let last = min(first + most, wanted.upperBound) - 1
        // Rows above the first window, which leave the counts.
        let above = keeps && next.map { $0 == (tools.current.number, first) } ?? false ? 1 : 0
        for channel in 0..<planes {
          let targets = (first...last).map { y -> UnsafeMutablePointer<Int16>? in
            target.row(y) + channel
          }
          let window = rows.rows(first - radius - above...last + radius, channel)
          window.withUnsafeBufferPointer {
            tools.kernels.rank_levels_counting(
              $0.baseAddress.unsafelyUnwrapped + above, targets.count, side, rank, channels,
              Int32(above), counts + (keeps ? plane * channel : 0), keeps ? piece : 0, targets,
              width)
          }
        }
        next = (tools.current.number, last + 1)
        guard target.layout == .rgb else { continue }
        for y in first...last {
          let row = target.row(y)
          for x in 0..<width { row[4 * x + 3] = Int16(FG_FULL) }
        }
      }
    }
  }

  /// Bytes of counts that are kept from row to row: those of four channels of some 7000 pixels.
  private static var mostKept: Int { 8 << 20 }
}

/// The last few rows that windows see, as levels, with what lies beyond their columns.
private final class LevelRows {
  private let source: ImageSource<Int16>
  private let reach: ColumnReach
  private let channels: Int
  /// For each row that is kept its samples, or those of each channel.
  private let ring: [[UnsafeMutablePointer<UInt8>]]
  private let row: UnsafeMutablePointer<Int16>
  private let kernels: fgk_row_kernels
  private var held: HeldRows

  init(
    _ median: Median, _ source: ImageSource<Int16>, _ domain: Rect, count: Int,
    channelsApart: Bool, _ tools: RowTools
  ) {
    self.source = source
    reach = source.columns(median.sourceRect(for: domain).columns)
    channels = source.rows.channels
    kernels = tools.kernels
    let samples = reach.width * channels
    row = tools.scratch(samples)
    let planes = channelsApart ? channels : 1
    ring = (0..<count).map { _ in (0..<planes).map { _ in tools.levels(samples / planes) } }
    held = HeldRows(count, tools.current)
  }

  /// Returns the start of the first window in each of some rows, in one channel if channels are apart.
  func rows(_ wanted: ClosedRange<Int>, _ channel: Int) -> [UnsafePointer<UInt8>?] {
    held.begin()
    return wanted.map { y in
      let (place, isNew) = held.take(y)
      if isNew { load(y, into: ring[place]) }
      let step = channels / ring[place].count
      return UnsafePointer(ring[place][channel] + reach.wantedOffset * step)
    }
  }

  private func load(_ y: Int, into planes: [UnsafeMutablePointer<UInt8>]) {
    reach.gather(source.row(y), channels: channels, into: row)
    for (channel, plane) in planes.enumerated() {
      kernels.take_levels(
        row + channel, planes.count, plane, reach.width * channels / planes.count)
    }
  }
}

extension RowTools {
  /// A row of levels with room behind it for a vector.
  fileprivate func levels(_ count: Int) -> UnsafeMutablePointer<UInt8> { memory.take(count + 64) }
}

extension Plan {
  /// Returns true if all samples of a slot are whole 8-bit levels: unconverted samples of an input, or picked from
  /// them.
  func holdsLevels(_ slot: Int) -> Bool {
    guard let maker = steps.first(where: { $0.target == slot }) else { return false }
    switch maker.pass {
    case .load(let load):
      let format = inputs[load.input].format
      return format.depth == .uint8 && !(format.layout == .rgba && load.alpha == .straight)
        && !load.decodesToLinear
    case .median: return holdsLevels(maker.sources[0].slot)
    default: return false
    }
  }
}
