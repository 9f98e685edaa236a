package import FrostglassCore

/// In which order the rows of a plan's pictures are computed when each keeps only its last few.
///
/// The target is made some rows at a time. For these, every step before computes what it has not
/// computed yet and no more, from the rows its sources still keep. How many that must be follows
/// from the plan alone, so it is known before the first row.
package struct RowSchedule {
  /// The rows one step computes, once its sources have theirs.
  package typealias Turn = [Range<Int>]

  /// Indices of the plan's steps that take part, in order; the last one makes the target.
  package let steps: [Int]
  /// For each slot, the rows its steps compute in all; empty where it takes no part.
  package let rows: [Range<Int>]
  /// For each slot, how many rows must be kept.
  package let capacity: [Int]
  private let plan: Plan
  private let rowsPerTurn: Int
  private let target: Range<Int>

  /// - Parameters:
  ///   - target: the slot that is wanted; `nil` is the result.
  ///   - wanted: its rows.
  ///   - complete: slots that are there in full.
  ///   - rowsPerTurn: how many rows of the target are made at a time.
  package init(
    _ plan: Plan, target slot: Int?, rows wanted: Range<Int>, complete: Set<Int>,
    rowsPerTurn: Int
  ) {
    self.plan = plan
    self.rowsPerTurn = rowsPerTurn
    target = wanted
    var needed = [Range<Int>?](repeating: nil, count: plan.slots.count)
    var steps: [Int] = []
    for (index, step) in plan.steps.enumerated().reversed() {
      let isLast = step.target == slot
      guard isLast || step.target.map({ needed[$0] != nil && !complete.contains($0) }) ?? false
      else { continue }
      steps.append(index)
      let rows = isLast ? wanted : step.target.flatMap { needed[$0] } ?? wanted
      for source in step.sources {
        let read = step.rowsRead(of: source, for: rows)
        needed[source.slot] = needed[source.slot]?.union(read) ?? read
      }
    }
    if let slot { needed[slot] = wanted }
    self.steps = steps.reversed()
    rows = needed.enumerated().map { complete.contains($0) ? 0..<0 : $1 ?? 0..<0 }
    capacity = Self.capacities(plan, self.steps, rows, wanted, rowsPerTurn)
  }

  /// All turns, in order: for each step the rows it computes.
  package var turns: Turns {
    Turns(progress: Progress(plan, steps, rows, target, rowsPerTurn))
  }

  /// Walks through the turns of a schedule.
  package struct Turns: IteratorProtocol {
    fileprivate var progress: Progress

    package mutating func next() -> Turn? { progress.next()?.turn }
  }

  private static func capacities(
    _ plan: Plan, _ steps: [Int], _ rows: [Range<Int>], _ target: Range<Int>, _ rowsPerTurn: Int
  ) -> [Int] {
    var progress = Progress(plan, steps, rows, target, rowsPerTurn)
    var made: [[Int]] = []
    var read: [[Int]] = []
    while let next = progress.next() {
      made.append(progress.made)
      read.append(next.lowestRead)
    }
    var capacity = [Int](repeating: 0, count: rows.count)
    var lowest = [Int](repeating: .max, count: rows.count)
    for turn in made.indices.reversed() {
      for slot in rows.indices {
        lowest[slot] = min(lowest[slot], read[turn][slot])
        if lowest[slot] < made[turn][slot] {
          capacity[slot] = max(capacity[slot], made[turn][slot] - lowest[slot])
        }
      }
    }
    return capacity
  }
}

/// How far every picture has come.
private struct Progress {
  let plan: Plan
  let steps: [Int]
  let rows: [Range<Int>]
  let target: Range<Int>
  let rowsPerTurn: Int
  /// For each slot, the row up to which it is made.
  var made: [Int]
  private var targetMade: Int

  init(
    _ plan: Plan, _ steps: [Int], _ rows: [Range<Int>], _ target: Range<Int>, _ rowsPerTurn: Int
  ) {
    (self.plan, self.steps, self.rows) = (plan, steps, rows)
    (self.target, self.rowsPerTurn) = (target, rowsPerTurn)
    made = rows.map(\.lowerBound)
    targetMade = target.lowerBound
  }

  /// The next turn, with the lowest row of each slot that is read in it; `nil` when all is made.
  mutating func next() -> (turn: RowSchedule.Turn, lowestRead: [Int])? {
    guard targetMade < target.upperBound else { return nil }
    let end = nextEnd
    var wanted = made
    var lowest = [Int](repeating: .max, count: rows.count)
    var turn = RowSchedule.Turn(repeating: 0..<0, count: steps.count)
    for (place, index) in steps.enumerated().reversed() {
      let step = plan.steps[index]
      let isLast = place == steps.count - 1
      let new = isLast ? targetMade..<end : made[step.target!]..<wanted[step.target!]
      turn[place] = new
      guard !new.isEmpty else { continue }
      // All of a turn's rows are kept together.
      if let target = step.target { lowest[target] = min(lowest[target], new.lowerBound) }
      for source in step.sources {
        let read = step.rowsRead(of: source, for: new)
        lowest[source.slot] = min(lowest[source.slot], read.lowerBound)
        if !rows[source.slot].isEmpty {
          wanted[source.slot] = max(wanted[source.slot], read.upperBound)
        }
      }
    }
    made = wanted
    targetMade = end
    if let last = plan.steps[steps[steps.count - 1]].target { made[last] = end }
    return (turn, lowest)
  }

  /// Turns end at whole multiples, so that strips of one picture are cut alike.
  private var nextEnd: Int {
    min((floorDivide(targetMade, rowsPerTurn) + 1) * rowsPerTurn, target.upperBound)
  }
}

extension Step {
  /// The rows of a source that `rows` of the target are computed from.
  fileprivate func rowsRead(of source: Source, for rows: Range<Int>) -> Range<Int> {
    let wanted = pass.sourceRect(for: Rect(columns: 0..<1, rows: rows)).rows
    return source.y.map { $0.mode.footprint(of: wanted, in: $0.range) } ?? wanted
  }
}

extension Range<Int> {
  fileprivate func union(_ other: Range<Int>) -> Range<Int> {
    Swift.min(lowerBound, other.lowerBound)..<Swift.max(upperBound, other.upperBound)
  }
}
