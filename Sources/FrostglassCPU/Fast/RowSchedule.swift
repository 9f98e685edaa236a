package import FrostglassCore

/// In which order the rows of a plan's pictures are computed when each keeps only its last few.
///
/// The target is made in bands of some rows; several results, the same rows of one after the other.
/// For these, every step before computes what they need and what is not there yet, again in bands, from
/// the rows its sources still keep. How many that must be follows from the plan alone, so it is known
/// before the first row.
package struct RowSchedule {
  /// Some rows, which one step computes at once.
  package struct Band {
    /// Index into `steps`.
    package let step: Int
    package let rows: Range<Int>
  }

  /// Rows that a step computes at a time with one thread: few enough for those of all steps to stay in
  /// a cache.
  package static let rowsPerBand = 8

  /// Indices of the plan's steps that take part, in order; the last one makes the target, or a result.
  package let steps: [Int]
  /// For each slot, the rows its step computes in all; empty where it takes no part.
  package let rows: [Range<Int>]
  /// For each slot, how many rows must be kept.
  package let capacity: [Int]
  /// What is computed, in order. Worked out band by band, as a high picture has very many.
  package let bands: RowBands

  /// - Parameters:
  ///   - target: the slot that is wanted; `nil` is all results.
  ///   - wanted: its rows.
  ///   - complete: slots that are there in full.
  ///   - rowsPerBand: how many rows a step computes at once, at most.
  package init(
    _ plan: Plan, target: Int?, rows wanted: Range<Int>, complete: Set<Int>, rowsPerBand: Int
  ) {
    let needs = RowNeeds(plan, target: target, rows: wanted, complete: complete)
    steps = needs.steps
    rows = needs.rows
    bands = RowBands(plan, needs, target, wanted, rowsPerBand: rowsPerBand)
    capacity = bands.capacity
  }
}

/// The order, from the target's rows back to what each is computed from.
package struct RowBands: Sequence, IteratorProtocol {
  private let plan: Plan
  private let steps: [Int]
  private let rowsPerBand: Int
  /// For each slot, the place of its step in `steps`.
  private var maker: [Int?]
  /// The places of the steps that make what is wanted, the last one first.
  private let ends: [Int]
  /// For each slot, the row up to which it is made.
  private var made: [Int]
  /// The target's rows that are still to come.
  private var wanted: Range<Int>
  /// Bands that wait for those after them in the list.
  private var planned: [PlannedBand] = []

  /// A band to come, and how many of the step's sources are ready for it.
  private struct PlannedBand {
    let place: Int
    let rows: Range<Int>
    var ready = 0
  }

  fileprivate init(
    _ plan: Plan, _ needs: RowNeeds, _ target: Int?, _ wanted: Range<Int>, rowsPerBand: Int
  ) {
    self.plan = plan
    steps = needs.steps
    self.wanted = wanted
    self.rowsPerBand = rowsPerBand
    made = needs.rows.map(\.lowerBound)
    maker = [Int?](repeating: nil, count: needs.rows.count)
    ends = needs.steps.indices.reversed().filter { plan.steps[needs.steps[$0]].target == target }
    for (place, step) in steps.enumerated() {
      if let target = plan.steps[step].target { maker[target] = place }
    }
  }

  /// The next band; what it needs was made by those before.
  ///
  /// Not recursive, as a chain may be longer than a thread's stack is deep.
  package mutating func next() -> RowSchedule.Band? {
    if planned.isEmpty {
      guard !wanted.isEmpty else { return nil }
      // Bands end at whole multiples, so that strips of one picture are cut alike.
      let end = (floorDivide(wanted.lowerBound, rowsPerBand) + 1) * rowsPerBand
      let rows = wanted.lowerBound..<Swift.min(end, wanted.upperBound)
      wanted = rows.upperBound..<wanted.upperBound
      planned += ends.map { PlannedBand(place: $0, rows: rows) }
    }
    while var band = planned.popLast() {
      let step = plan.steps[steps[band.place]]
      if let before = missing(for: step, &band) {
        planned += [band, before]
      } else {
        if let target = step.target { made[target] = band.rows.upperBound }
        return RowSchedule.Band(step: band.place, rows: band.rows)
      }
    }
    return nil
  }

  /// A band that must come before; `nil` when there is all that a step needs.
  private func missing(for step: Step, _ band: inout PlannedBand) -> PlannedBand? {
    while band.ready < step.sources.count {
      let slot = step.sources[band.ready].slot
      if let maker = maker[slot],
        let end = plan.rowsRead(by: step, of: band.ready, for: band.rows)?.upperBound,
        made[slot] < end
      {
        let first = made[slot]
        return PlannedBand(place: maker, rows: first..<Swift.min(first + rowsPerBand, end))
      }
      band.ready += 1
    }
    return nil
  }

  /// For each slot, the most rows between the first that a band reads and the last made by then.
  fileprivate var capacity: [Int] {
    var capacity = [Int](repeating: 0, count: made.count)
    var bands = self
    while let band = bands.next() {
      let step = plan.steps[steps[band.step]]
      if let target = step.target {
        capacity[target] = Swift.max(capacity[target], band.rows.count)
      }
      for (place, source) in step.sources.enumerated() where maker[source.slot] != nil {
        guard let read = plan.rowsRead(by: step, of: place, for: band.rows) else { continue }
        let rows = bands.made[source.slot] - read.lowerBound
        capacity[source.slot] = Swift.max(capacity[source.slot], rows)
      }
    }
    return capacity
  }
}

/// Which rows of a plan's pictures are computed to make some rows of one of them.
package struct RowNeeds {
  /// Indices of the plan's steps that take part, in order; the last one makes the target, or a result.
  package let steps: [Int]
  /// For each slot, the rows its step computes in all; empty where it takes no part.
  package let rows: [Range<Int>]
  /// Samples that all steps compute, the target's among them.
  package let samples: Int

  /// - Parameters:
  ///   - target: the slot that is wanted; `nil` is all results.
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
      samples += rows.count * plan.samplesPerRow(of: step)
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

  fileprivate func samplesPerRow(of step: Step) -> Int {
    if let target = step.target {
      return slots[target].domain.width * slots[target].layout.channels
    }
    guard case .store(let store) = step.pass else { return 0 }
    return result.rect.width * store.format.layout.channels
  }
}
