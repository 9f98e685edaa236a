internal import FrostglassCore

/// A source picture as a step sees it: rows in absolute coordinates, going on beyond its edges.
struct PictureSource<Sample: RowSample> {
  let rows: PictureRows<Sample>
  let source: Source
  /// A row of transparent pixels as long as any.
  let transparent: UnsafePointer<Sample>

  /// The samples of a row's domain.
  func row(_ y: Int) -> UnsafePointer<Sample> {
    guard let edge = source.y else { return UnsafePointer(rows.row(y)) }
    return edge.mode.resolve(y, in: edge.range).map { UnsafePointer(rows.row($0)) } ?? transparent
  }

  /// Where columns that are read in place begin in a row, in samples; all must be there.
  func offset(of columns: Range<Int>) -> Int {
    let present = rows.domain.columns
    precondition(
      columns.lowerBound >= present.lowerBound && columns.upperBound <= present.upperBound,
      "columns are read that are not there")
    return (columns.lowerBound - present.lowerBound) * rows.channels
  }

  /// The columns a step reads of each row.
  func columns(_ wanted: Range<Int>) -> ColumnReach {
    ColumnReach(wanted, of: rows.domain.columns, edge: source.x)
  }

  /// Rows with all columns that a step reads.
  func extended(_ wanted: Range<Int>, _ tools: RowTools) -> ExtendedRows<Sample> {
    ExtendedRows(self, columns(wanted), tools)
  }
}
