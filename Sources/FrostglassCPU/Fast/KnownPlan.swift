internal import FrostglassCore
internal import Synchronization

/// What a run finds out about a plan before it computes a pixel, and the next run of the same plan need
/// not find out again.
///
/// Of 1920×1080 pixels and a σ of 20 or more, that is a twelfth of what a run takes.
final class KnownPlan: Sendable {
  /// As it was given; it is well formed.
  let plan: Plan
  /// With the steps joined that are computed at once.
  let fused: Plan
  private let engine: (strips: Int, usesReference: Bool)
  private let made = Mutex<PictureStages?>(nil)

  /// - Parameters:
  ///   - plan: a valid one.
  ///   - strips: how many parts of a picture are made side by side, at most.
  ///   - usesReference: whether every pass runs on its reference kernel.
  init(_ plan: Plan, strips: Int, usesReference: Bool) {
    self.plan = plan
    fused = usesReference ? plan : plan.fused()
    engine = (strips, usesReference)
  }

  /// How whole pictures are made; worked out when it is first asked for.
  var stages: PictureStages {
    made.withLock { made in
      let stages =
        made ?? PictureStages(fused, strips: engine.strips, usesReference: engine.usesReference)
      made = stages
      return stages
    }
  }
}

/// How whole pictures of a plan are made: which parts of them, in which stages, in how many strips, and
/// the rows of each in which order.
struct PictureStages: Sendable {
  /// What can differ from the input; `nil` where all is computed.
  let changed: ChangedParts?
  /// The parts that are computed, one after the other: all, or what can change.
  let parts: [Part]

  /// A part of the results, which is made by a plan of its own.
  struct Part: Sendable {
    let plan: Plan
    let arithmetic: RowArithmetic
    let stages: [Stage]
    fileprivate let staged: StagedPlan
  }

  /// Whether the result can be written into an input while that is read.
  var canWriteIntoInputs: Bool {
    parts.count <= 1 && parts.allSatisfy(\.staged.canWriteIntoInputs)
  }

  /// - Parameter plan: with steps joined that are computed at once.
  init(_ plan: Plan, strips: Int, usesReference: Bool) {
    changed = usesReference ? nil : ChangedParts(onRowsOf: plan)
    parts = (changed?.plans ?? [plan]).map { plan in
      let staged = StagedPlan(plan, strips: strips, allowsFixed: !usesReference)
      return Part(
        plan: plan, arithmetic: plan.arithmetic(allowsFixed: !usesReference),
        stages: staged.stages.map { Stage($0, of: staged) }, staged: staged)
    }
  }

  /// One of a part's pictures, or its results.
  final class Stage: Sendable {
    /// The slot that is made; `nil` is all results.
    let target: Int?
    /// The rows of each strip.
    let strips: [Range<Int>]
    private let staged: StagedPlan
    private let stage: StagedPlan.Stage
    /// Not a `Mutex`, as strips ask side by side, and the thread sanitizer sees no lock in that.
    private let schedules: Monitor<[RowSchedule?]>

    fileprivate init(_ stage: StagedPlan.Stage, of staged: StagedPlan) {
      self.stage = stage
      self.staged = staged
      target = stage.target
      strips = staged.strips(of: stage)
      schedules = Monitor([RowSchedule?](repeating: nil, count: strips.count))
    }

    /// In which order the rows of a strip are made; worked out by the thread that first asks for it.
    func schedule(of strip: Int) -> RowSchedule {
      if let known = schedules.withLock({ $0[strip] }) { return known }
      let schedule = RowSchedule(
        staged.plan, target: target, rows: strips[strip], complete: stage.complete,
        rowsPerBand: RowSchedule.rowsPerBand, staged.ending)
      schedules.withLock { $0[strip] = schedule }
      return schedule
    }
  }
}
