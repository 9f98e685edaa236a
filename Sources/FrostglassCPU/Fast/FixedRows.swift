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
  private let first: UnsafeMutablePointer<Int16>
  private let stride: Int

  init(domain: Rect, layout: Layout, capacity: Int, in memory: RowMemory) {
    self.domain = domain
    self.capacity = capacity
    channels = layout == .gray ? 1 : 4
    // Rows that start at the same place of a cache page would push each other out of the cache.
    stride = domain.width * channels + 2 * Int(FG_SLACK) + 32
    first = memory.samples(stride * capacity) + Int(FG_SLACK)
  }

  /// Samples per row.
  var rowLength: Int { domain.width * channels }

  /// The first sample of a row, given in absolute coordinates.
  func row(_ y: Int) -> UnsafeMutablePointer<Int16> {
    first + floorModulo(y - domain.y, capacity) * stride
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
}
