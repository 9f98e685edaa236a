internal import CKernels
internal import FrostglassCore

/// Rows of an intermediate picture in 16-bit fixed point: the last few, or all.
///
/// Gray pictures have one sample per pixel, all others four; the fourth is full where there is no
/// alpha. `CKernels.h` says what a sample stands for. Whoever writes and reads rows from several
/// threads sees to it that they are different rows.
struct FixedRows: @unchecked Sendable {
  /// What the picture is; rows outside are not there.
  let domain: Rect
  /// Samples per pixel: 1 or 4.
  let channels: Int
  /// How many rows are kept: row `y` replaces row `y - capacity`.
  let capacity: Int
  /// Whether several threads read these rows, so that the room around them must stay as it is.
  let isShared: Bool
  private let first: UnsafeMutablePointer<Int16>
  private let stride: Int

  init(
    domain: Rect, layout: Layout, capacity: Int, isShared: Bool = false, in memory: RowMemory
  ) {
    self.domain = domain
    self.capacity = capacity
    self.isShared = isShared
    channels = layout == .gray ? 1 : 4
    stride = Self.stride(domain.width * channels + 2 * Int(FG_SLACK))
    first = memory.samples(stride * capacity) + Int(FG_SLACK)
  }

  /// At least `samples`: 13 cache lines more than a multiple of 64, so that a stretch of 13 lines of
  /// many rows spreads over all sets of a cache instead of meeting in a few.
  private static func stride(_ samples: Int) -> Int {
    let line = 64 / MemoryLayout<Int16>.stride
    let lines = (samples + line - 1) / line
    return (lines + floorModulo(13 - lines, 64)) * line
  }

  /// Samples per row.
  var rowLength: Int { domain.width * channels }

  /// The first sample of a row, given in absolute coordinates.
  func row(_ y: Int) -> UnsafeMutablePointer<Int16> {
    first + (y - domain.y) % capacity * stride
  }
}

/// A source picture as a step sees it: rows in absolute coordinates, going on beyond its edges.
struct FixedSource {
  let rows: FixedRows
  let source: Source
  /// A row of transparent pixels as long as any.
  let transparent: UnsafePointer<Int16>

  /// The samples of a row's domain.
  func row(_ y: Int) -> UnsafePointer<Int16> {
    guard let edge = source.y else { return UnsafePointer(rows.row(y)) }
    return edge.mode.resolve(y, in: edge.range).map { UnsafePointer(rows.row($0)) } ?? transparent
  }

  /// The columns a step reads of each row.
  func columns(_ wanted: Range<Int>) -> ColumnReach {
    ColumnReach(wanted, of: rows.domain.columns, edge: source.x)
  }

  /// Rows with all columns that a step reads.
  func extended(_ wanted: Range<Int>, channels: Int, _ tools: RowTools) -> ExtendedRows {
    ExtendedRows(self, columns(wanted), channels: channels, tools)
  }
}

/// A source's rows with what lies beyond their columns.
///
/// What lies beyond is written into the room around a row where that is wide enough; otherwise the
/// row is copied to where there is more.
struct ExtendedRows {
  private let source: FixedSource
  private let reach: ColumnReach
  private let channels: Int
  private let copy: UnsafeMutablePointer<Int16>?

  init(_ source: FixedSource, _ reach: ColumnReach, channels: Int, _ tools: RowTools) {
    self.source = source
    self.reach = reach
    self.channels = channels
    let room = Int(FG_SLACK) - 64
    let fits =
      reach.presentOffset * channels <= room
      && (reach.width - reach.presentOffset - reach.present.count) * channels <= room
    copy = fits && !source.rows.isShared ? nil : tools.scratch(reach.width * channels)
  }

  /// The first wanted column of a row.
  func row(_ y: Int) -> UnsafePointer<Int16> {
    let transparent = -Int16(FG_FULL)
    if let copy {
      reach.gather(source.row(y), channels: channels, into: copy)
      return UnsafePointer(copy + reach.wantedOffset * channels)
    }
    // A row that stands for one beyond the edge is one of these, too.
    let start = UnsafeMutablePointer(mutating: source.row(y)) - reach.presentOffset * channels
    reach.fillOutside(start, channels: channels, transparent: transparent)
    return UnsafePointer(start + reach.wantedOffset * channels)
  }
}
