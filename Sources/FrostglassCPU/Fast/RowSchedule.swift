package import FrostglassCore

/// In which order the rows of a plan's pictures are computed when each keeps only its last few.
///
/// The target is made some rows at a time. For these, every step before computes what they need and
/// what is not there yet, again some rows at a time, from the rows its sources still keep. How many
/// that must be follows from the plan alone, so it is known before the first row.
package struct RowSchedule {
  /// Rows that one step computes at once.
  package struct Turn {
    /// Index into `steps`.
    package let step: Int
    package let rows: Range<Int>
  }

  /// Rows that a step computes at a time: few enough for those of all steps to stay in a cache.
  package static let rowsPerTurn = 8

  /// Indices of the plan's steps that take part, in order; the last one makes the target.
  package let steps: [Int]
  /// For each slot, the rows its step computes in all; empty where it takes no part.
  package let rows: [Range<Int>]
  /// For each slot, how many rows must be kept.
  package let capacity: [Int]
  /// What is computed, in order.
  package let turns: [Turn]

  /// - Parameters:
  ///   - target: the slot that is wanted; `nil` is the result.
  ///   - wanted: its rows.
  ///   - complete: slots that are there in full.
  ///   - rowsPerTurn: how many rows a step computes at once, at most.
  package init(
    _ plan: Plan, target: Int?, rows wanted: Range<Int>, complete: Set<Int>, rowsPerTurn: Int
  ) {
    let needs = RowNeeds(plan, target: target, rows: wanted, complete: complete)
    steps = needs.steps
    rows = needs.rows
    var order = RowOrder(plan, steps, rows, rowsPerTurn: rowsPerTurn)
    order.make(wanted)
    turns = order.turns
    capacity = order.capacity
  }
}

/// Works out the order, from the target's rows back to what each is computed from.
private struct RowOrder {
  private(set) var turns: [RowSchedule.Turn] = []
  private let plan: Plan
  private let steps: [Int]
  private let rowsPerTurn: Int
  /// For each slot, the place of its step in `steps`.
  private var maker: [Int?]
  /// For each slot, the row up to which it is made.
  private var made: [Int]

  init(_ plan: Plan, _ steps: [Int], _ rows: [Range<Int>], rowsPerTurn: Int) {
    self.plan = plan
    self.steps = steps
    self.rowsPerTurn = rowsPerTurn
    made = rows.map(\.lowerBound)
    maker = [Int?](repeating: nil, count: rows.count)
    for (place, step) in steps.enumerated() {
      if let target = plan.steps[step].target { maker[target] = place }
    }
  }

  /// Makes the target's rows.
  mutating func make(_ wanted: Range<Int>) {
    var first = wanted.lowerBound
    while first < wanted.upperBound {
      // Turns end at whole multiples, so that strips of one picture are cut alike.
      let end = (floorDivide(first, rowsPerTurn) + 1) * rowsPerTurn
      let rows = first..<min(end, wanted.upperBound)
      take(steps.count - 1, rows)
      first = rows.upperBound
    }
  }

  /// A turn to come, and how many of the step's sources are ready for it.
  private struct PlannedTurn {
    let place: Int
    let rows: Range<Int>
    var ready = 0
  }

  /// One turn, after what it needs and is not made yet.
  ///
  /// Not recursive, as a chain may be longer than a thread's stack is deep.
  private mutating func take(_ place: Int, _ rows: Range<Int>) {
    var planned = [PlannedTurn(place: place, rows: rows)]
    while var turn = planned.popLast() {
      let step = plan.steps[steps[turn.place]]
      if let before = missing(for: step, &turn) {
        planned += [turn, before]
      } else {
        turns.append(RowSchedule.Turn(step: turn.place, rows: turn.rows))
        if let target = step.target { made[target] = turn.rows.upperBound }
      }
    }
  }

  /// A turn that must come before; `nil` when there is all that a step needs.
  private func missing(for step: Step, _ turn: inout PlannedTurn) -> PlannedTurn? {
    while turn.ready < step.sources.count {
      let slot = step.sources[turn.ready].slot
      if let maker = maker[slot],
        let end = plan.rowsRead(by: step, of: turn.ready, for: turn.rows)?.upperBound,
        made[slot] < end
      {
        let first = made[slot]
        return PlannedTurn(place: maker, rows: first..<min(first + rowsPerTurn, end))
      }
      turn.ready += 1
    }
    return nil
  }

  /// For each slot, the most rows between the last one made and the first that is still to be read.
  var capacity: [Int] {
    var capacity = [Int](repeating: 0, count: made.count)
    var lowest = [Int](repeating: .max, count: made.count)
    for turn in turns.reversed() {
      let step = plan.steps[steps[turn.step]]
      if let target = step.target {
        let first = min(lowest[target], turn.rows.lowerBound)
        capacity[target] = max(capacity[target], turn.rows.upperBound - first)
      }
      for (place, source) in step.sources.enumerated() {
        guard let read = plan.rowsRead(by: step, of: place, for: turn.rows) else { continue }
        lowest[source.slot] = min(lowest[source.slot], read.lowerBound)
      }
    }
    return capacity
  }
}

/// Which rows of a plan's pictures are computed to make some rows of one of them.
package struct RowNeeds {
  /// Indices of the plan's steps that take part, in order; the last one makes the target.
  package let steps: [Int]
  /// For each slot, the rows its step computes in all; empty where it takes no part.
  package let rows: [Range<Int>]
  /// Samples that all steps compute, the target's among them.
  package let samples: Int

  /// - Parameters:
  ///   - target: the slot that is wanted; `nil` is the result.
  ///   - wanted: its rows.
  ///   - complete: slots that are there in full.
  package init(_ plan: Plan, target: Int?, rows wanted: Range<Int>, complete: Set<Int>) {
    var needed = [Range<Int>?](repeating: nil, count: plan.slots.count)
    var steps: [Int] = []
    var samples = 0
    for (index, step) in plan.steps.enumerated().reversed() {
      let isComplete = step.target.map { complete.contains($0) } ?? false
      guard let rows = step.target == target ? wanted : step.target.flatMap({ needed[$0] }),
        step.target == target || !isComplete
      else { continue }
      steps.append(index)
      samples += rows.count * plan.samplesPerRow(of: step.target)
      for (place, source) in step.sources.enumerated() {
        guard let read = plan.rowsRead(by: step, of: place, for: rows) else { continue }
        needed[source.slot] = needed[source.slot]?.union(read) ?? read
      }
    }
    if let target { needed[target] = wanted }
    self.steps = steps.reversed()
    self.samples = samples
    rows = needed.enumerated().map { complete.contains($0) ? 0..<0 : $1 ?? 0..<0 }
  }
}

extension Plan {
  /// The rows of one of a step's sources that `rows` of its target are computed from; `nil` for none.
  func rowsRead(by step: Step, of place: Int, for rows: Range<Int>) -> Range<Int>? {
    guard step.pass.reads(place, for: rows) else { return nil }
    let source = step.sources[place]
    // All columns, as a pass that turns the picture reads other rows in each.
    let columns = (step.target.map { slots[$0].domain } ?? result.rect).columns
    let wanted = step.pass.sourceRect(for: Rect(columns: columns, rows: rows), of: place).rows
    return source.y.map { $0.mode.footprint(of: wanted, in: $0.range) } ?? wanted
  }

  /// - Parameter target: a slot; `nil` is the result.
  fileprivate func samplesPerRow(of target: Int?) -> Int {
    target.map { slots[$0].domain.width * slots[$0].layout.channels }
      ?? result.rect.width * result.format.layout.channels
  }
}
