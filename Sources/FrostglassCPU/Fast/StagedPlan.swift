package import FrostglassCore

/// A plan cut into stages.
///
/// Each stage makes one image, its rows in any number of strips side by side. A strip computes
/// anew what it needs beyond its border, which costs nothing for a short reach. Where the reach is
/// long, a small image on the way is made first, in full and once, and the next stage starts
/// from it.
package struct StagedPlan: Sendable {
  /// An image that is made in full.
  package struct Stage: Sendable {
    /// The slot that is made; `nil` is all results.
    package let target: Int?
    /// Slots that earlier stages made.
    package let complete: Set<Int>
  }

  package let plan: Plan
  package let stages: [Stage]
  /// The plan's fused ending; `nil` if its last steps run one by one.
  let ending: PlanEnding?
  private let strips: Int

  /// - Parameter strips: the most parts of an image that are made side by side.
  package init(_ lowered: LoweredPlan, strips: Int) {
    plan = lowered.plan
    self.strips = strips
    ending = lowered.ending()
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
  /// repeated images do at their borders), there is only one.
  package func strips(of stage: Stage) -> [RowNeeds] {
    let rows = rows(of: stage)
    if stage.target == nil, let cuts = ending?.cuts(of: plan, into: strips) {
      return cuts.map { needs(stage, $0) }
    }
    let whole = needs(stage, rows)
    let parts = rows.strips(strips).map { needs(stage, $0) }
    return parts.allSatisfy { $0.samples <= whole.samples * 3 / 4 } ? parts : [whole]
  }

  /// The rows that are computed to make some of a stage's image.
  package func needs(_ stage: Stage, _ rows: Range<Int>) -> RowNeeds {
    RowNeeds(plan, target: stage.target, rows: rows, complete: stage.complete, ending)
  }
}

extension Plan {
  /// Slots that were shrunk to 1/16 or less of the image, and are not shrunk further.
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

/// The way in which whole images of a plan are made: their parts, stages and strips, and the order of rows in each.
struct PictureStages: Sendable {
  /// The parts that can differ from the input; `nil` if all is computed.
  let changed: ChangedParts?
  /// The parts that are computed, one after the other: all, or what can change.
  let parts: [Part]

  /// A part of the results, which is made by a plan of its own.
  struct Part: Sendable {
    let lowered: LoweredPlan
    let stages: [Stage]
    fileprivate let staged: StagedPlan

    var plan: Plan { lowered.plan }
  }

  /// True if the result can be written into an input while that is read.
  var canWriteIntoInputs: Bool {
    parts.count <= 1 && parts.allSatisfy(\.staged.canWriteIntoInputs)
  }

  init(_ whole: LoweredPlan, strips: Int, usesReference: Bool) {
    changed = usesReference ? nil : ChangedParts(onRowsOf: whole.plan)
    parts = (changed?.plans.map { LoweredPlan($0) } ?? [whole]).map { lowered in
      let staged = StagedPlan(lowered, strips: strips)
      return Part(
        lowered: lowered, stages: staged.stages.map { Stage($0, of: staged) }, staged: staged)
    }
  }

  /// One of a part's images, or its results.
  final class Stage: Sendable {
    /// The slot that is made; `nil` is all results.
    let target: Int?
    /// The rows that are computed, for each strip.
    let strips: [RowNeeds]
    private let staged: StagedPlan
    /// Not a `Mutex`, as strips ask side by side, and the thread sanitizer sees no lock in that.
    private let schedules: Monitor<[RowSchedule?]>

    fileprivate init(_ stage: StagedPlan.Stage, of staged: StagedPlan) {
      self.staged = staged
      target = stage.target
      strips = staged.strips(of: stage)
      schedules = Monitor([RowSchedule?](repeating: nil, count: strips.count))
    }

    /// The strips without a schedule so far.
    var unscheduledStrips: [Int] {
      schedules.withLock { known in known.indices.filter { known[$0] == nil } }
    }

    /// Returns the order in which the rows of a strip are made, derived by the first thread that asks for it.
    func schedule(of strip: Int) -> RowSchedule {
      if let known = schedules.withLock({ $0[strip] }) { return known }
      let schedule = RowSchedule(
        staged.plan, strips[strip], rowsPerBand: RowSchedule.rowsPerBand, staged.ending)
      schedules.withLock { $0[strip] = schedule }
      return schedule
    }
  }
}

extension Plan {
  /// Parts of what a step computes, to be done one after another: small enough that who cancels need
  /// not wait for long.
  func blocks(of rect: Rect, _ step: Step) -> [Rect] {
    // Some ten milliseconds on one core.
    let most = 4_000_000
    let work = multiplyAddsPerRow(of: step)
    guard work * rect.height > most else { return [rect] }
    let rows = max(most / work, 1)
    // A row of a wide window is long: it is computed in some parts, none so short that what lies around
    // it costs more.
    let columns = max(most / max(work / rect.width, 1) / rows, 128)
    return stride(from: rect.y, to: rect.rows.upperBound, by: rows).flatMap { y in
      stride(from: rect.x, to: rect.columns.upperBound, by: columns).map { x in
        Rect(
          columns: x..<min(x + columns, rect.columns.upperBound),
          rows: y..<min(y + rows, rect.rows.upperBound))
      }
    }
  }
}
