internal import CKernels

/// A source's rows with what lies beyond their columns.
///
/// What lies beyond is written into the room around a row where that is wide enough; otherwise the
/// row is copied to where there is more.
struct ExtendedRows<Sample: RowSample> {
  private let source: PictureSource<Sample>
  private let reach: ColumnReach
  private let channels: Int
  private let copy: UnsafeMutablePointer<Sample>?

  init(_ source: PictureSource<Sample>, _ reach: ColumnReach, _ tools: RowTools) {
    self.source = source
    self.reach = reach
    channels = source.rows.channels
    let room = Int(FG_SLACK) - 64
    let fits =
      reach.presentOffset * channels <= room
      && (reach.width - reach.presentOffset - reach.present.count) * channels <= room
    copy = fits && !source.rows.isShared ? nil : tools.scratch(reach.width * channels)
  }

  /// The first wanted column of a row.
  func row(_ y: Int) -> UnsafePointer<Sample> {
    if let copy {
      reach.gather(source.row(y), channels: channels, into: copy)
      return UnsafePointer(copy + reach.wantedOffset * channels)
    }
    // A row that stands for one beyond the edge is one of these, too.
    let start = UnsafeMutablePointer(mutating: source.row(y)) - reach.presentOffset * channels
    reach.fillOutside(start, channels: channels, transparent: .transparent)
    return UnsafePointer(start + reach.wantedOffset * channels)
  }
}
