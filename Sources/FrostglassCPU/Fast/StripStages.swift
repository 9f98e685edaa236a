internal import FrostglassCore

/// Whole pictures made in strips, stage after stage: of each strip, all that computes it is settled before
/// the first frame. Stages follow each other, so the rows of their strips are in the same memory.
struct StripStages {
  private var stages: [Stage] = []
  /// The last stage with what is copied, where parts alone change.
  private var lastWithCopies: Stage?
  /// What of the result changes; `nil` is all.
  private let changed: ChangedParts?
  /// True if the result can be written where an input is while that is read.
  let canWriteIntoInputs: Bool
  /// Bytes that passes of one stage take besides while they run, at most.
  private(set) var bytesBeside = 0
  /// The memory of pictures that are there as a whole.
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
    _ known: KnownPlan, _ places: UnsafeMutablePointer<PixelPlace>, _ engine: RowEngine,
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
    _ part: PictureStages.Part, _: Sample.Type, _ engine: RowEngine, _ current: CurrentRun
  ) {
    let plan = part.plan
    let outputs = outputs.map { $0.part(plan.result.rect) }
    var complete = [PictureRows<Sample>?](repeating: nil, count: plan.slots.count)
    pictures.rewind()
    for stage in part.stages {
      if let target = stage.target {
        complete[target] = PictureRows(plan.slots[target], in: pictures)
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
