package import FrostglassCore
internal import Synchronization

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

/// How a plan ends, and what follows from it for the pictures that it mixes: worked out once for all strips.
struct PlanEnding {
  /// `nil` for plans whose last steps are done one by one.
  let masked: MaskedEnding?
  private let shown: ShownLayers?
  /// For each slot, which parts of its rows are computed; `nil` is all.
  let blocks: [ColumnBlocks?]

  /// - Parameters:
  ///   - allowsFixed: whether fixed point is used where it serves; there is no ending otherwise.
  ///   - rows: of the result, where no others will be asked for.
  init(_ plan: Plan, allowsFixed: Bool = true, rows: Range<Int>? = nil) {
    let showsThroughMasks = plan.steps.contains { step in
      if case .blend(let blend) = step.pass { blend.mode == .masked } else { false }
    }
    masked =
      showsThroughMasks && plan.arithmetic(allowsFixed: allowsFixed) == .fixed
      ? MaskedEnding(plan) : nil
    let all = plan.result.rect
    let part = rows.map { Rect(columns: all.columns, rows: $0.clamped(to: all.rows)) } ?? all
    let shown = masked.map { ShownLayers($0, part) }
    self.shown = shown
    var blocks = [ColumnBlocks?](repeating: nil, count: plan.slots.count)
    if let masked, let shown {
      for (index, layer) in masked.layers.enumerated() {
        for (slot, part) in plan.parts(of: index, layer, shown) { blocks[slot] = part }
      }
    }
    self.blocks = blocks
  }

  /// The rows for which a step reads one of its sources; `nil` where that follows from its pass.
  func rows(for step: Step, readingSource place: Int) -> RowSet? {
    guard let masked, let shown, let target = step.target, place < 2,
      let layer = masked.layers.firstIndex(where: { $0.target == target })
    else { return nil }
    if place == 1 { return shown.rows(layer) }
    return layer == 0 ? shown.rows(-1) : nil
  }

  /// Parts of a result's rows that take about as long; `nil` where all rows take as long.
  func cuts(of plan: Plan, into parts: Int) -> [Range<Int>]? {
    guard let masked, let shown, masked.layers.count > 1 else { return nil }
    var costs = shown.shares(-1).map { 1 + $0 }
    for (index, layer) in masked.layers.enumerated() {
      let cost = plan.cost(of: layer)
      for (band, share) in shown.shares(index).enumerated() { costs[band] += cost * share }
    }
    return shown.cuts(costs, into: parts)
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
  private let inOrder = Mutex<RowSchedule?>(nil)
  private let made = Mutex<PictureStages?>(nil)
  private let counted = Mutex<[PartBytes]?>(nil)

  /// - Parameters:
  ///   - plan: a valid one.
  ///   - strips: how many parts of a picture are made side by side, at most.
  ///   - usesReference: whether every pass runs on its reference kernel.
  init(_ plan: Plan, strips: Int, usesReference: Bool) {
    self.plan = plan
    fused = usesReference ? plan : plan.fused()
    engine = (strips, usesReference)
  }

  /// In which order the rows of a stream are made; worked out when it is first asked for.
  var streamed: RowSchedule {
    inOrder.withLock { inOrder in
      let schedule =
        inOrder
        ?? RowSchedule(
          fused, target: nil, rows: fused.result.rect.rows, complete: [],
          rowsPerBand: streamedRows, ending)
      inOrder = schedule
      return schedule
    }
  }

  /// The same for what a stream keeps: of very many rows, which take long to go through, some.
  var sampled: RowSchedule {
    RowSchedule(sampling: fused, rowsPerBand: streamedRows, ending) ?? streamed
  }

  private var ending: PlanEnding { PlanEnding(fused, allowsFixed: !engine.usesReference) }
  /// Each thread gets as many rows of a band as one alone would take.
  private var streamedRows: Int { RowSchedule.rowsPerBand * engine.strips }

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

extension KnownPlan {
  /// For each of the parts, what it takes; counted when it is first asked for.
  func bytes(_ count: (PictureStages.Part) -> PartBytes) -> [PartBytes] {
    let parts = stages.parts
    return counted.withLock { counted in
      let bytes = counted ?? parts.map(count)
      counted = bytes
      return bytes
    }
  }
}

/// Bytes that a part of whole pictures takes.
struct PartBytes {
  /// Pictures that are made in full.
  let pictures: Int
  /// The rows of a strip, of which each thread has one at a time.
  let strip: Int
  /// What passes take besides while they make as many strips as there are at once.
  let beside: Int
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

extension Plan {
  /// How much work a row of a step's target is.
  func multiplyAddsPerRow(of step: Step) -> Int {
    let slot = step.target.map { slots[$0] }
    let width = slot?.domain.width ?? result.rect.width
    let channels = slot?.layout.channels ?? result.format.layout.channels
    return width * channels * max(step.pass.multiplyAdds, 1)
  }

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
