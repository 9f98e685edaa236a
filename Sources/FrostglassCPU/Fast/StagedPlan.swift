package import FrostglassCore

/// A plan cut into stages.
///
/// Each stage makes one picture, its rows in any number of strips side by side. A strip computes
/// anew what it needs beyond its border, which costs nothing for a short reach. Where the reach is
/// long, a small picture on the way is made first, in full and once, and the next stage starts
/// from it.
package struct StagedPlan: Sendable {
  /// A picture that is made in full.
  package struct Stage: Sendable {
    /// The slot that is made; `nil` is all results.
    package let target: Int?
    /// Slots that earlier stages made.
    package let complete: Set<Int>
  }

  package let plan: Plan
  package let stages: [Stage]
  /// How the plan ends.
  let ending: PlanEnding
  private let strips: Int

  /// - Parameters:
  ///   - strips: how many parts of a picture are made side by side, at most.
  ///   - allowsFixed: whether fixed point is used where it serves.
  package init(_ plan: Plan, strips: Int, allowsFixed: Bool = true) {
    self.plan = plan
    self.strips = strips
    ending = PlanEnding(plan, allowsFixed: allowsFixed)
    var stages: [Stage] = []
    var complete: Set<Int> = []
    if plan.reach.y * 2 * (strips - 1) > plan.result.rect.height / 16 {
      for slot in plan.smallestPictures {
        stages.append(Stage(target: slot, complete: complete))
        complete.insert(slot)
      }
    }
    self.stages = stages + [Stage(target: nil, complete: complete)]
  }

  /// The rows that a stage makes.
  package func rows(of stage: Stage) -> Range<Int> {
    (stage.target.map { plan.slots[$0].domain } ?? plan.result.rect).rows
  }

  /// The rows that a stage makes, in parts that are made side by side.
  ///
  /// Where one part would take nearly as long as the whole, because it needs nearly everything (as
  /// repeated pictures do at their borders), there is only one.
  package func strips(of stage: Stage) -> [Range<Int>] {
    let whole = rows(of: stage)
    if stage.target == nil, let cuts = ending.cuts(of: plan, into: strips) { return cuts }
    let parts = whole.strips(strips)
    guard parts.count > 1 else { return parts }
    let limit = samples(stage, whole) * 3 / 4
    return parts.allSatisfy { samples(stage, $0) <= limit } ? parts : [whole]
  }

  /// Samples that are computed to make some rows of a stage's picture.
  package func samples(_ stage: Stage, _ rows: Range<Int>) -> Int {
    RowNeeds(plan, target: stage.target, rows: rows, complete: stage.complete, ending).samples
  }
}

extension Range<Int> {
  /// Parts of about the same length that together give the whole; none is empty.
  func strips(_ wanted: Int) -> [Range<Int>] {
    let number = Swift.max(1, Swift.min(wanted, count))
    return (0..<number).map { index in
      lowerBound + count * index / number..<lowerBound + count * (index + 1) / number
    }
  }
}

extension Plan {
  /// Slots that were shrunk to 1/16 or less of the picture, and are not shrunk further.
  fileprivate var smallestPictures: [Int] {
    let small = slots.indices.filter { slots[$0].domain.area * 16 <= result.rect.area }
    return small.filter { slot in
      let shrinks = { (step: Step) in
        switch step.pass {
        case .resample(let resample): resample.x.stride * resample.y.stride > 1
        case .stencil(let stencil): stencil.stride > 1
        default: false
        }
      }
      return steps.contains { $0.target == slot && shrinks($0) }
        && !steps.contains { $0.sources.contains { $0.slot == slot } && shrinks($0) }
    }
  }
}
