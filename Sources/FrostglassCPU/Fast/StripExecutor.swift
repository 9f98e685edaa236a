internal import CKernels
internal import FrostglassCore
internal import Glibc
internal import Synchronization

/// Makes whole pictures in strips, as many at once as there are threads, one frame at a time.
///
/// All is settled before the first frame: what computes each strip of each stage, and its memory. Stages
/// follow each other, so the rows of their strips are in the same memory.
final class StripExecutor: Executor, @unchecked Sendable {
  let known: KnownPlan
  private let plan: Plan
  private let workers: Workers
  /// Where the rows of inputs are, then those of results.
  private let places: UnsafeMutablePointer<PixelPlace>
  private let memory: [RowMemory]
  let bytes: Int
  let bytesBeside: Int
  let shortage: BackendError?
  private let current = CurrentRun()
  /// For each stage, how many strips it has, and what makes one.
  private let stages: [ExecutorStage]
  private let turnstile = Mutex<Void>(())
  /// What of the result changes; `nil` is all.
  private let changed: ChangedParts?
  /// Whether the result can be written where an input is while that is read.
  private let canWriteIntoInputs: Bool
  /// Whether the result of this run is made elsewhere and put in its place at the end.
  private let isAside: UnsafeMutablePointer<Bool>
  /// Room for inputs and results that come and go as rows, or are made elsewhere; made when they first do.
  private var kept: [UnsafeMutableRawPointer?]

  init(_ known: KnownPlan, on engine: RowEngine) {
    self.known = known
    plan = known.parted
    workers = engine.workers
    let count = plan.inputs.count + plan.results.count
    places = UnsafeMutablePointer.allocate(capacity: count)
    places.initialize(repeating: PixelPlace(), count: count)
    kept = [UnsafeMutableRawPointer?](repeating: nil, count: count)
    changed = known.stages.changed
    canWriteIntoInputs = known.stages.canWriteIntoInputs
    isAside = UnsafeMutablePointer.allocate(capacity: 1)
    isAside.initialize(to: false)
    var strips = PreparedStrips(plan, engine, places, current)
    let order = known.stages.parts.flatMap(\.stages).flatMap { stage in
      stage.strips.indices.map { (stage, $0) }
    }
    // A tenth of a frame's time where each has a plan of its own.
    workers.run(order.count) { _, task in _ = order[task].0.schedule(of: order[task].1) }
    for part in known.stages.parts {
      switch part.lowered.arithmetic {
      case .fixed: strips.prepare(part, Int16.self)
      case .float: strips.prepare(part, Float.self)
      }
    }
    var stages = strips.stages
    if let changed {
      let last = stages.popLast() ?? ExecutorStage(strips: 0) { _, _ in }
      let inputs = plan.inputs.enumerated().map { [places] in InputRows($1, at: places + $0) }
      let output = OutputRows(plan.result, at: places + plan.inputs.count)
      stages.append(
        ExecutorStage(strips: last.strips + changed.copies) { [isAside] worker, task in
          if task < last.strips { return last.make(worker, task) }
          if !isAside.pointee { changed.copy(inputs, output, piece: task - last.strips) }
        })
    }
    bytes = strips.memory.reduce(0) { $0 + $1.byteCount }
    bytesBeside = strips.bytesBeside
    shortage = strips.memory.lazy.compactMap(\.shortage).first
    (self.stages, memory) = shortage == nil ? (stages, strips.memory) : ([], [])
  }

  deinit {
    for place in kept { free(place) }
    places.deallocate()
    isAside.deallocate()
  }

  /// Computes one frame.
  func run(
    _ frame: PixelMemory, into result: MutablePixelMemory, _ cancellation: Cancellation?
  ) throws(BackendError) {
    try turnstile.withLock { _ throws(BackendError) in
      guard let from = frame.bytes.baseAddress, let to = result.bytes.baseAddress else { return }
      places[0] = PixelPlace(
        bytes: UnsafeMutableRawPointer(mutating: from), bytesPerRow: frame.bytesPerRow)
      places[1] = PixelPlace(bytes: to, bytesPerRow: result.bytesPerRow)
      try run(cancellation)
    }
  }

  /// Computes one frame, from rows that are there or come from a source, to where the results go.
  func run(
    _ inputs: [InputRows?], _ source: (any RowSource)?, _ targets: [RowTarget],
    _ cancellation: Cancellation?, _ progress: ((Double) -> Void)?
  ) throws(BackendError) {
    do {
      try turnstile.withLock { _ in
        for (index, input) in inputs.enumerated() {
          if let input {
            places[index] = PixelPlace(
              bytes: UnsafeMutableRawPointer(mutating: input.bytes), bytesPerRow: input.bytesPerRow)
          } else if let source {
            places[index] = try read(index, from: source, cancellation)
          }
        }
        for (index, target) in targets.enumerated() {
          let place = plan.inputs.count + index
          switch target {
          case .memory(let rows):
            places[place] = PixelPlace(bytes: rows.bytes, bytesPerRow: rows.bytesPerRow)
          case .sink: places[place] = try keep(place, plan.results[index].bytes, of: result(index))
          }
        }
        try run(cancellation, progress)
        try cancellation?.check()
        for (index, target) in targets.enumerated() {
          if case .sink(let sink) = target { try give(index, to: sink, cancellation) }
        }
      }
    } catch { throw .interrupted(error, cancellation) }
  }

  private func run(
    _ cancellation: Cancellation?, _ progress: ((Double) -> Void)? = nil
  ) throws(BackendError) {
    let result = plan.inputs.count
    let target = places[result]
    isAside.pointee = !canWriteIntoInputs && plan.isInPlace({ places[$0] }, target)
    if isAside.pointee { places[result] = try keep(result, plan.result.bytes, of: self.result(0)) }
    current.begin(cancellation, progress)
    let tell = progress.map { _ in current.tell }
    for (index, stage) in stages.enumerated() {
      let continues = index + 1 < stages.count
      workers.runKept(stage.strips, continues: continues, meanwhile: tell, stage.make)
    }
    if isAside.pointee {
      let made = OutputRows(plan.result, at: places + result).fixed
      places[result] = target
      if !current.isCancelled { put(made) }
    }
    current.end()
  }

  /// Copies what has changed to where the result goes.
  private func put(_ made: OutputRows) {
    let output = OutputRows(plan.result, at: places + plan.inputs.count)
    let parts = changed?.plans.map(\.result.rect) ?? [plan.result.rect]
    let pieces = workers.count
    workers.run(parts.count * pieces) { _, task in
      made.copy(parts[task / pieces], to: output, piece: task % pieces, of: pieces)
    }
  }

  private func result(_ index: Int) -> Int {
    plan.results[index].rect.width * plan.results[index].format.bytesPerPixel
  }

  /// Memory for a picture, the same from frame to frame.
  private func keep(
    _ place: Int, _ bytes: Int, of bytesPerRow: Int
  ) throws(BackendError) -> PixelPlace {
    guard let memory = kept[place] ?? aligned_alloc(64, (bytes + 63) & ~63) else {
      throw .noRows(bytes)
    }
    kept[place] = memory
    return PixelPlace(bytes: memory, bytesPerRow: bytesPerRow)
  }

  private func read(
    _ index: Int, from source: any RowSource, _ cancellation: Cancellation?
  ) throws -> PixelPlace {
    let input = plan.inputs[index]
    let place = try keep(index, input.bytesPerRow * input.size.height, of: input.bytesPerRow)
    for first in stride(from: 0, to: input.size.height, by: Self.rowsAtOnce) {
      try cancellation?.check()
      let rows = first..<min(first + Self.rowsAtOnce, input.size.height)
      try source.read(rows, into: place.bytes + first * input.bytesPerRow)
    }
    return place
  }

  private func give(
    _ index: Int, to sink: any RowSink, _ cancellation: Cancellation?
  ) throws {
    let (place, height) = (places[plan.inputs.count + index], plan.results[index].rect.height)
    for first in stride(from: 0, to: height, by: Self.rowsAtOnce) {
      try cancellation?.check()
      let rows = first..<min(first + Self.rowsAtOnce, height)
      try sink.write(
        rows,
        UnsafeRawBufferPointer(
          start: place.bytes + first * place.bytesPerRow, count: rows.count * place.bytesPerRow))
    }
  }

  private static let rowsAtOnce = 16
}

/// What an executor runs at once.
private struct ExecutorStage {
  let strips: Int
  let make: (_ worker: Int, _ strip: Int) -> Void
}

/// The strips of a plan's parts made ready, with their memory.
private struct PreparedStrips {
  private(set) var stages: [ExecutorStage] = []
  /// The memory of pictures that are there as a whole.
  private let pictures: RowMemory
  /// For each strip of a stage, the memory of its rows, and of tables and scratch rows.
  private var rings: [RowMemory] = []
  private var tables: [RowMemory] = []
  /// Bytes that passes of one stage take besides while they run, at most.
  private(set) var bytesBeside = 0
  private let engine: RowEngine
  private let inputs: [InputRows]
  private let outputs: [OutputRows]
  private let current: CurrentRun

  /// - Parameter places: of inputs, then of results; they stay where they are.
  init(
    _ plan: Plan, _ engine: RowEngine, _ places: UnsafeMutablePointer<PixelPlace>,
    _ current: CurrentRun
  ) {
    self.engine = engine
    self.current = current
    pictures = engine.newMemory()
    inputs = plan.inputs.enumerated().map { InputRows($1, at: places + $0) }
    outputs = plan.results.enumerated().map {
      OutputRows($1, at: places + plan.inputs.count + $0)
    }
  }

  /// Adds the stages of a part, which come after those that are there.
  mutating func prepare<Sample: RowSample>(_ part: PictureStages.Part, _: Sample.Type) {
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
      stages.append(ExecutorStage(strips: strips.count) { _, strip in strips[strip]() })
    }
  }

  var memory: [RowMemory] { [pictures] + rings + tables }

  private var bytesNoted: Int { tables.reduce(0) { $0 + $1.noted } }
}

extension RowStrip {
  /// What makes all rows, frame after frame.
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
