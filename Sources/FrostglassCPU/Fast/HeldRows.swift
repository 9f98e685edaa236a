internal import FrostglassCore

/// Which rows are in a ring that keeps the last few: row y is at y modulo their number.
///
/// What is in it belongs to one run: the next has rows of its own with the same numbers.
struct HeldRows {
  private var rows: [Int]
  private let current: CurrentRun
  /// The run that rows are held of.
  private var run = 0

  init(_ count: Int, _ current: CurrentRun) {
    rows = [Int](repeating: .min, count: count)
    self.current = current
  }

  var count: Int { rows.count }

  /// Forgets what is left of another run.
  mutating func begin() {
    guard run != current.number else { return }
    for place in rows.indices { rows[place] = .min }
    run = current.number
  }

  /// Where a row is, and whether it has to be put there first.
  mutating func take(_ y: Int) -> (place: Int, isNew: Bool) {
    let place = floorModulo(y, rows.count)
    let isNew = rows[place] != y
    rows[place] = y
    return (place, isNew)
  }
}
