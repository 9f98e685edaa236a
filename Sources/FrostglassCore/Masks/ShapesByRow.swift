/// An index of the shapes that cover anything of each row.
///
/// A row meets few of thousands of small shapes. To ask each shape how far away it is would take as long as to compute
/// the coverage of those few.
package struct ShapesByRow: Sendable {
  /// The number of shapes below which all are asked.
  private static let fewest = 9
  /// The number of rows that share one list; a list per row would take more time to make than it saves.
  private static let bandHeight = 16

  private let rows: Range<Int>
  private let columns: Range<Int>
  /// The rows of each shape.
  private let reach: [Range<Int>]
  /// The start of each band's shapes in `members`, and the end of the last one's.
  private let starts: [Int]
  /// The indices of shapes, in the order of the coverage, band after band.
  private let members: [Int32]

  /// - Parameter part: pixels that will be asked for; others are not known.
  /// - Returns: `nil` where there are few shapes.
  package init?(_ coverage: Coverage, in part: Rect) {
    guard coverage.shapes.count >= Self.fewest, !part.isEmpty else { return nil }
    (rows, columns) = (part.rows, part.columns)
    reach = coverage.shapes.map { shape in
      // To first order, continuous corners may reach farther than is said of them.
      if case .rectangle(let rectangle) = shape.outline, rectangle.isContinuous { return part.rows }
      return shape.part(above: 0, of: part)?.rows ?? 0..<0
    }
    let first = part.rows.lowerBound
    func bands(_ reach: Range<Int>) -> Range<Int> {
      reach.isEmpty
        ? 0..<0
        : (reach.lowerBound - first) / Self.bandHeight..<(reach.upperBound - 1 - first)
          / Self.bandHeight + 1
    }
    // How many each band has, then where each one's begin.
    var starts = [Int](repeating: 0, count: (part.height - 1) / Self.bandHeight + 2)
    for reach in reach { for band in bands(reach) { starts[band + 1] += 1 } }
    for band in 1..<starts.count { starts[band] += starts[band - 1] }
    var members = [Int32](repeating: 0, count: starts[starts.count - 1])
    var next = starts
    for (index, reach) in reach.enumerated() {
      for band in bands(reach) {
        members[next[band]] = Int32(index)
        next[band] += 1
      }
    }
    (self.starts, self.members) = (starts, members)
  }

  /// Returns true if the row and the columns lie in the part that was indexed.
  func knows(_ y: Int, _ columns: Range<Int>) -> Bool {
    rows.contains(y) && self.columns.lowerBound <= columns.lowerBound
      && columns.upperBound <= self.columns.upperBound
  }

  /// Calls `body` with the number of each shape that may cover something of a row that is known, in order.
  package func forEach(_ y: Int, _ body: (Int) -> Void) {
    let band = (y - rows.lowerBound) / Self.bandHeight
    for place in starts[band]..<starts[band + 1] {
      let index = Int(members[place])
      if reach[index].contains(y) { body(index) }
    }
  }
}
