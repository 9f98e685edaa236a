package import FrostglassCore

/// Whole images made in strips, stage after stage: of each strip, all that computes it is settled before
/// the first frame. Stages follow each other, so the rows of their strips are in the same memory.
struct StripStages {
  private var stages: [Stage] = []
  /// The last stage with what is copied, where parts alone change.
  private var lastWithCopies: Stage?
  /// The parts of the result that change; `nil` for all.
  private let changed: ChangedParts?
  /// True if the result can be written where an input is while that is read.
  let canWriteIntoInputs: Bool
  /// Bytes that passes of one stage take besides while they run, at most.
  private(set) var bytesBeside = 0
  /// The memory of images that are there as a whole.
  private let pictures: RowMemory
  /// For each strip of a stage, the memory of its rows, and of tables and scratch rows.
  private var rings: [RowMemory] = []
  private var tables: [RowMemory] = []
  private let inputs: [InputRows]
  private let outputs: [OutputRows]

  /// Strips that are made at once.
  private struct Stage {
    let count: Int
    let make: (_ worker: Int, _ strip: Int) -> Void
  }

  /// - Parameter places: of inputs, then of results; they stay where they are.
  init(
    _ known: CachedPlan, _ places: UnsafeMutablePointer<PixelPlace>, _ engine: RowEngine,
    _ current: CurrentRun
  ) {
    let plan = known.parted
    changed = known.stages.changed
    canWriteIntoInputs = known.stages.canWriteIntoInputs
    pictures = engine.newMemory()
    inputs = plan.inputs.enumerated().map { InputRows($1, at: places + $0) }
    outputs = plan.results.enumerated().map {
      OutputRows($1, at: places + plan.inputs.count + $0)
    }
    let unknown = known.stages.parts.flatMap(\.stages).flatMap { stage in
      stage.unscheduledStrips.map { (stage, $0) }
    }
    // A tenth of a frame's time where each has a plan of its own.
    if !unknown.isEmpty {
      engine.workers.run(unknown.count) { _, task in
        _ = unknown[task].0.schedule(of: unknown[task].1)
      }
    }
    for part in known.stages.parts {
      switch part.lowered.arithmetic {
      case .fixed: prepare(part, Int16.self, engine, current)
      case .float: prepare(part, Float.self, engine, current)
      }
    }
    if let changed {
      if stages.isEmpty { stages = [Stage(count: 0) { _, _ in }] }
      let last = stages[stages.count - 1]
      lastWithCopies = Stage(count: last.count + changed.copies) { [inputs, outputs] worker, task in
        if task < last.count { return last.make(worker, task) }
        changed.copy(inputs, outputs[0], piece: task - last.count)
      }
    }
  }

  /// Makes the results in this thread and the workers'.
  ///
  /// - Parameters:
  ///   - isAside: true if only what changes is wanted, see `put`.
  ///   - tell: called now and then while this thread waits for others.
  func run(_ workers: Workers, isAside: Bool, _ tell: (() -> Void)?) {
    for (index, stage) in stages.enumerated() {
      let continues = index + 1 < stages.count
      let stage = continues || isAside ? stage : lastWithCopies ?? stage
      workers.runKept(stage.count, continues: continues, meanwhile: tell, stage.make)
    }
  }

  /// Copies what has changed, and was made aside, to where the result goes.
  func put(_ made: OutputRows, _ workers: Workers) {
    let parts = changed?.plans.map(\.result.rect) ?? [made.rect]
    let (output, pieces) = (outputs[0], workers.count)
    workers.run(parts.count * pieces) { _, task in
      made.copy(parts[task / pieces], to: output, piece: task % pieces, of: pieces)
    }
  }

  var memory: [RowMemory] { [pictures] + rings + tables }

  /// Forgets all strips, whose memory is not there.
  mutating func removeAll() { (stages, lastWithCopies) = ([], nil) }

  /// Adds the stages of a part, which come after those that are there.
  private mutating func prepare<Sample: RowSample>(
    _ part: ImageStages.Part, _: Sample.Type, _ engine: RowEngine, _ current: CurrentRun
  ) {
    let plan = part.plan
    let outputs = outputs.map { $0.part(plan.result.rect) }
    var complete = [ImageRows<Sample>?](repeating: nil, count: plan.slots.count)
    pictures.rewind()
    for stage in part.stages {
      if let target = stage.target {
        complete[target] = ImageRows(plan.slots[target], in: pictures)
      }
      while rings.count < stage.strips.count {
        rings.append(engine.newMemory())
        tables.append(engine.newMemory())
      }
      for rows in rings { rows.rewind() }
      let noted = bytesNoted
      let strips = stage.strips.indices.map { strip in
        let tools = RowTools(
          kernels: engine.kernels, usesReference: engine.usesReference, memory: tables[strip],
          rings: rings[strip], current: current)
        return RowStrip(
          part.lowered, stage.schedule(of: strip), complete: complete, inputs, outputs, tools
        ).ready()
      }
      bytesBeside = max(bytesBeside, bytesNoted - noted)
      stages.append(Stage(count: strips.count) { _, strip in strips[strip]() })
    }
  }

  private var bytesNoted: Int { tables.reduce(0) { $0 + $1.noted } }
}

extension RowStrip {
  /// A closure that makes all rows, frame after frame.
  fileprivate func ready() -> () -> Void {
    let (programs, bands, current) = (programs, schedule.bands, tools.current)
    current.expect(bands.count)
    return {
      for band in bands {
        if current.isCancelled { return }
        programs[band.step]?(band.rows)
        current.advance()
      }
    }
  }
}

// A result that goes where the input is: each pixel is written after all that are computed from it.
//
// The last stage may read the pixels that it writes, and no others: then a stage before has read all else,
// and every strip writes where it will. Otherwise the parts that change are made elsewhere and put in their
// places at the end. Where nothing changes nothing is written.

extension StagedPlan {
  /// True if all results can be written into an input while the last stage runs.
  var canWriteIntoInputs: Bool {
    guard stages.count > 1, let last = stages.last else { return false }
    let steps = needs(last, rows(of: last)).steps.map { plan.steps[$0] }
    return steps.allSatisfy { step in
      guard case .load(let load) = step.pass else { return true }
      guard let masked = ending?.masked, masked.load == load,
        !masked.layers.contains(where: \.normalizes)
      else { return false }
      let targets = masked.layers.map(\.target)
      return steps.allSatisfy { reader in
        !reader.sources.contains { $0.slot == step.target }
          || reader.target.map(targets.contains) ?? false
      }
    }
  }
}

extension Plan {
  /// True if the only result is like an input, so that it can go where that is; what is opaque may become
  /// straight.
  func isResultLike(_ input: Int) -> Bool {
    var made = Input(result)
    if inputs[input].alpha == .opaque, made.alpha == .straight { made.alpha = .opaque }
    return results.count == 1 && result.rect == Rect(inputs[input].size) && made == inputs[input]
  }

  /// Returns true if the only result is written over an input.
  func isInPlace(_ from: (Int) -> PixelPlace, _ to: PixelPlace) -> Bool {
    inputs.indices.contains { input in
      let place = from(input)
      return place.bytes == to.bytes && place.bytesPerRow == to.bytesPerRow
        && isResultLike(input)
    }
  }
}

extension OutputRows {
  /// Copies some rows of a part to another place for the same result, in pieces.
  func copy(_ part: Rect, to other: OutputRows, piece: Int, of pieces: Int) {
    let bytes = format.bytesPerPixel
    let first = part.y + part.height * piece / pieces
    let end = part.y + part.height * (piece + 1) / pieces
    for y in first..<end {
      (other.row(y) + (part.x - other.rect.x) * bytes).copyMemory(
        from: row(y) + (part.x - rect.x) * bytes, byteCount: part.width * bytes)
    }
  }
}

/// Assembles a result from the parts that can differ and the input around them: each part is computed separately, with
/// the surroundings that it needs; the rest is copied. The bytes are those of the whole.
extension ChangedParts {
  /// - Returns: `nil` where all may change, or nearly all, or what is computed as it is has other bytes.
  init?(onRowsOf plan: Plan) {
    guard let (load, store, _) = plan.shownThroughMasks,
      plan.keepsBytes(load, store, plan.arithmetic())
    else { return nil }
    self.init(plan)
  }

  /// The number of pieces of about the same size that are copied, so that idle threads can share them.
  var copies: Int { rest.isEmpty ? 0 : 8 }

  /// Copies a piece of what does not change.
  func copy(_ inputs: [InputRows], _ output: OutputRows, piece: Int) {
    let input = inputs[input]
    let bytes = input.format.bytesPerPixel
    for rect in rest {
      let first = rect.y + rect.height * piece / copies
      let end = rect.y + rect.height * (piece + 1) / copies
      guard first < end else { continue }
      let (left, length) = (rect.x * bytes, rect.width * bytes)
      let offset = (rect.x - output.rect.x) * bytes
      func place(_ y: Int) -> (from: UnsafeRawPointer, to: UnsafeMutableRawPointer) {
        (input.row(y) + left, output.row(y) + offset)
      }
      let (start, last) = (place(first), place(end - 1))
      // Rows without gaps are copied at once: memcpy is faster for long pieces.
      let whole = (end - 1 - first) * length
      if last.from - start.from == whole, last.to - start.to == whole {
        if start.from != UnsafeRawPointer(start.to) {
          start.to.copyMemory(from: start.from, byteCount: whole + length)
        }
        continue
      }
      for y in first..<end {
        let (from, to) = place(y)
        if from != UnsafeRawPointer(to) { to.copyMemory(from: from, byteCount: length) }
      }
    }
  }
}

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
      for slot in plan.smallestImages {
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
  fileprivate var smallestImages: [Int] {
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
struct ImageStages: Sendable {
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
