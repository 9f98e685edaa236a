/// Some rows of a picture: runs of them, in order, that neither overlap nor touch.
struct RowSet {
  private(set) var runs: [Range<Int>] = []

  init() {}

  init(_ rows: Range<Int>) { if !rows.isEmpty { runs = [rows] } }

  var isEmpty: Bool { runs.isEmpty }

  /// How many rows there are.
  var count: Int { runs.reduce(0) { $0 + $1.count } }

  /// From the first row to the last; empty where there is none.
  var hull: Range<Int> {
    guard let first = runs.first, let last = runs.last else { return 0..<0 }
    return first.lowerBound..<last.upperBound
  }

  /// Takes rows in, nearly always after those that are there.
  mutating func insert(_ rows: Range<Int>) {
    guard !rows.isEmpty else { return }
    var (low, high) = (rows.lowerBound, rows.upperBound)
    var later: [Range<Int>] = []
    while let last = runs.last, last.upperBound >= low {
      runs.removeLast()
      if last.lowerBound > high {
        later.append(last)
      } else {
        (low, high) = (min(low, last.lowerBound), max(high, last.upperBound))
      }
    }
    runs.append(low..<high)
    runs += later.reversed()
  }

  mutating func formUnion(_ other: RowSet) { for run in other.runs { insert(run) } }

  func overlaps(_ rows: Range<Int>) -> Bool { runs.contains { $0.overlaps(rows) } }

  /// The rows of a range.
  func clamped(to rows: Range<Int>) -> RowSet {
    var part = RowSet()
    for run in runs where run.overlaps(rows) { part.insert(run.clamped(to: rows)) }
    return part
  }

  /// The first rows in a range that follow each other.
  func first(in rows: Range<Int>) -> Range<Int>? {
    runs.first { $0.overlaps(rows) }?.clamped(to: rows)
  }
}
