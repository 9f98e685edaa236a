internal import CKernels
internal import FrostglassCore

/// The columns a step reads of a row that is shorter than that: its own, and what lies beyond.
struct ColumnReach {
  /// The columns that are read.
  let wanted: Range<Int>
  /// The columns that are there.
  let present: Range<Int>
  /// Columns beyond the present ones, with those that stand for them; `nil` where nothing is.
  private let outside: [(column: Int, standsFor: Int?)]

  init(_ wanted: Range<Int>, of present: Range<Int>, edge: AxisEdge?) {
    self.wanted = wanted
    self.present = present
    let left = min(wanted.lowerBound, present.lowerBound)..<present.lowerBound
    let right = present.upperBound..<max(wanted.upperBound, present.upperBound)
    outside = [left, right].joined().filter(wanted.contains).map { column in
      let standsFor = edge.flatMap { $0.mode.resolve(column, in: $0.range) }
      precondition(
        standsFor.map { present.contains($0) } ?? true, "a column is read that is not there")
      return (column, standsFor)
    }
  }

  /// Where the present columns begin in a row that has room for all, in pixels.
  var presentOffset: Int { present.lowerBound - start }
  /// Where the wanted columns begin in it.
  var wantedOffset: Int { wanted.lowerBound - start }
  /// How many pixels such a row has.
  var width: Int { max(wanted.upperBound, present.upperBound) - start }

  private var start: Int { min(wanted.lowerBound, present.lowerBound) }

  /// Fills what lies beyond the present columns of such a row.
  func fillOutside<Sample>(
    _ row: UnsafeMutablePointer<Sample>, channels: Int, transparent: Sample
  ) {
    for (column, standsFor) in outside {
      let target = row + (column - start) * channels
      if let standsFor {
        target.update(from: row + (standsFor - start) * channels, count: channels)
      } else {
        target.update(repeating: transparent, count: channels)
      }
    }
  }

  /// Copies the present columns into such a row and fills the rest.
  func gather<Sample: RowSample>(
    _ source: UnsafePointer<Sample>, channels: Int, into row: UnsafeMutablePointer<Sample>
  ) {
    (row + presentOffset * channels).update(from: source, count: present.count * channels)
    fillOutside(row, channels: channels, transparent: .transparent)
  }
}

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

  /// Whether rows are copied, each to where the one before was.
  var isCopy: Bool { copy != nil }

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
