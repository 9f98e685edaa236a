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
    outside = wanted.lazy.filter { !present.contains($0) }.map { column in
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
