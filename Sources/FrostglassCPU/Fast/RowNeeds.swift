package import FrostglassCore

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
}

extension Plan {
  /// - Parameter target: a slot; `nil` is the result.
  fileprivate func samplesPerRow(of target: Int?) -> Int {
    target.map { slots[$0].domain.width * slots[$0].layout.channels }
      ?? result.rect.width * result.format.layout.channels
  }
}

extension Range<Int> {
  fileprivate func union(_ other: Range<Int>) -> Range<Int> {
    Swift.min(lowerBound, other.lowerBound)..<Swift.max(upperBound, other.upperBound)
  }
}
