internal import CKernels
internal import FrostglassCore

extension Median {
  /// The same of samples that are whole 8-bit levels, of which processors compare twice as many at once, and
  /// which are few enough to count each.
  ///
  /// - Returns: `nil` for windows that are too large.
  func fastOfLevels(
    _ source: PictureSource<Int16>, into target: PictureRows<Int16>, _ tools: RowTools
  ) -> RowProgram? {
    guard side > Self.mostSorted else { return sortingLevels(source, into: target, tools) }
    guard side <= Int(FG_MOST_LEVEL_SIDE) else { return nil }
    return countingLevels(source, into: target, tools)
  }

  /// Columns are put in order once for all windows that share them.
  private func sortingLevels(
    _ source: PictureSource<Int16>, into target: PictureRows<Int16>, _ tools: RowTools
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
    _ source: PictureSource<Int16>, into target: PictureRows<Int16>, _ tools: RowTools
  ) -> RowProgram {
    let channels = target.channels
    let most = RowSchedule.rowsPerBand
    let (width, planes) = (target.domain.width, target.layout.channels)
    let piece = Int(FG_LEVEL_COUNTS)
    let plane = (width + Int(FG_LEVEL_PIXELS) - 1) / Int(FG_LEVEL_PIXELS) * piece
    // Of rows that are shared among threads, none follow each other.
    let keeps = tools.workers == nil && plane <= Self.mostKept / planes
    let counts: UnsafeMutablePointer<UInt8> = tools.memory.take(keeps ? planes * plane : piece)
    let rows = LevelRows(
      self, source, target.domain, count: side + most, channelsApart: true, tools)
    var next: (run: Int, row: Int)?
    return { wanted in
      for first in stride(from: wanted.lowerBound, to: wanted.upperBound, by: most) {
        if tools.current.isCancelled { return }
        let last = min(first + most, wanted.upperBound) - 1
        // Rows above the first window that are given, too: what leaves the counts.
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
  private let source: PictureSource<Int16>
  private let reach: ColumnReach
  private let channels: Int
  /// For each row that is kept its samples, or those of each channel.
  private let ring: [[UnsafeMutablePointer<UInt8>]]
  private let row: UnsafeMutablePointer<Int16>
  private let kernels: fg_row_kernels
  private var held: HeldRows

  init(
    _ median: Median, _ source: PictureSource<Int16>, _ domain: Rect, count: Int,
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

  /// Where the first window begins in each of some rows, in one channel if these are apart.
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
  /// Whether all samples of a slot are whole 8-bit levels: those of an input as they are, or picked from it.
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
