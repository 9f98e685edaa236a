internal import CKernels
public import FrostglassCore
internal import Glibc
internal import Synchronization

/// A plan that the fast backend has made ready for frame after frame: what is computed when is settled,
/// and rows have their memory.
///
/// From the caller's memory to the caller's memory nothing is planned or allocated per frame, as long as
/// all passes have row kernels; in floats median, cell and gather passes make small
/// pictures of the rows they read. Frames that come at once are computed one after another, each on all
/// threads.
public final class PreparedRows: PreparedPlan {
  /// The plan that it runs.
  public let plan: Plan
  private let frames: PerProcess<FrameRows>
  private let callers = ThreadPool()

  /// - Parameter plan: a valid one.
  init(_ plan: Plan, on engine: PerProcess<RowEngine>) {
    self.plan = plan
    frames = PerProcess { FrameRows(plan, on: engine.value) }
  }

  /// Bytes of rows.
  public var memory: Int { frames.value.bytes }

  /// - Throws: `BackendError.failed` where there was no memory for the rows.
  func check() throws(BackendError) { try frames.value.check() }

  /// Runs the plan on the threads of the backend, as `Backend.run(_:_:)` does.
  ///
  /// - Throws: `BackendError`; then outputs hold nothing of use.
  public func run(_ io: PixelIO) async throws(BackendError) -> RunReport {
    var io = io
    let cancellation = io.cancellation ?? Cancellation()
    io.cancellation = cancellation
    return try await cancellation.whileTaskRuns { [io] () async throws(BackendError) in
      try await callers.run { () throws(BackendError) in try self.runNow(io) }
    }
  }

  /// Runs the plan in this thread and the backend's, without Swift concurrency.
  public func runNow(_ io: PixelIO) throws(BackendError) -> RunReport {
    try io.checkPlaces(plan)
    try io.cancellation?.check()
    let frames = frames.value
    try frames.check()
    try frames.engine.run(frames, io)
    return RunReport(backend: "fast")
  }

  /// Runs a plan with one input and one result in this thread and the backend's, without Swift
  /// concurrency and without allocating.
  ///
  /// - Parameters:
  ///   - frame: as the plan's input is described.
  ///   - result: the frame's memory, or another that does not overlap it.
  public func runNow(
    _ frame: PixelMemory, into result: MutablePixelMemory, cancellation: Cancellation? = nil
  ) throws(BackendError) {
    guard plan.inputs.count == 1, plan.results.count == 1 else {
      throw .failed(backend: "fast", what: "one frame for a plan with several inputs or results")
    }
    try frame.check(plan.inputs[0])
    try result.check(plan.result)
    try cancellation?.check()
    let frames = frames.value
    try frames.check()
    try frames.run(frame, into: result, cancellation)
    try cancellation?.check()
  }
}

/// The strips of a plan with their memory, for one frame at a time.
final class FrameRows: @unchecked Sendable {
  let engine: RowEngine
  /// With the steps joined that are computed at once.
  let plan: Plan
  /// Where the rows of inputs are, then those of results.
  private let places: UnsafeMutablePointer<PixelPlace>
  private let memory: [RowMemory]
  /// How much memory that is.
  let bytes: Int
  private let shortage: BackendError?
  private let current = CurrentRun()
  /// For each stage, how many strips it has, and what makes one.
  private let stages: [Stage]
  private let turnstile = Mutex<Void>(())
  /// What of the result changes; `nil` is all.
  private let changed: ChangedParts?
  /// Whether the result can be written where an input is while that is read.
  private let canWriteIntoInputs: Bool
  /// Whether the result of this run is made elsewhere and put in its place at the end.
  private let isAside: UnsafeMutablePointer<Bool>
  /// Room for inputs and results that come and go as rows, or are made elsewhere; made when they first do.
  private var kept: [UnsafeMutableRawPointer?]

  private struct Stage {
    let strips: Int
    let make: (_ worker: Int, _ strip: Int) -> Void
  }

  init(_ plan: Plan, on engine: RowEngine) {
    let known =
      engine.known(plan)
      ?? KnownPlan(plan, strips: engine.workers.count, usesReference: engine.usesReference)
    let plan = known.fused
    self.plan = plan
    self.engine = engine
    let count = plan.inputs.count + plan.results.count
    places = UnsafeMutablePointer.allocate(capacity: count)
    places.initialize(repeating: PixelPlace(), count: count)
    kept = [UnsafeMutableRawPointer?](repeating: nil, count: count)
    changed = known.stages.changed
    isAside = UnsafeMutablePointer.allocate(capacity: 1)
    isAside.initialize(to: false)
    var stages: [Stage] = []
    var memory: [RowMemory] = []
    let parts = known.stages.parts
    canWriteIntoInputs = known.stages.canWriteIntoInputs
    for part in parts {
      let frames = RowFrames(part, engine, places, plan.results, current) {
        engine.newMemory(fromSpare: true)
      }
      let made =
        switch part.lowered.arithmetic {
        case .fixed: frames.stages(of: Int16.self, { $0.schedule(of: $1) }, Stage.init)
        case .float: frames.stages(of: Float.self, { $0.schedule(of: $1) }, Stage.init)
        }
      stages += made.0
      memory += made.1
    }
    if let changed {
      let last = stages.popLast() ?? Stage(strips: 0) { _, _ in }
      let inputs = plan.inputs.enumerated().map { [places] in InputRows($1, at: places + $0) }
      let output = OutputRows(plan.result, at: places + plan.inputs.count)
      stages.append(
        Stage(strips: last.strips + changed.copies) { [isAside] worker, task in
          if task < last.strips { return last.make(worker, task) }
          if !isAside.pointee { changed.copy(inputs, output, piece: task - last.strips) }
        })
    }
    bytes = memory.reduce(0) { $0 + $1.byteCount }
    shortage = memory.lazy.compactMap(\.shortage).first
    (self.stages, self.memory) = shortage == nil ? (stages, memory) : ([], [])
  }

  /// - Throws: `BackendError.failed` where there was no memory for the rows.
  func check() throws(BackendError) { if let shortage { throw shortage } }

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
    _ inputs: [InputRows?], _ source: (any RowSource)?, _ targets: [RowStream.Target],
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
      engine.workers.runKept(stage.strips, continues: continues, meanwhile: tell, stage.make)
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
    let pieces = engine.workers.count
    engine.workers.run(parts.count * pieces) { _, task in
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

/// Makes the strips of a plan ready, all of them with memory of their own.
struct RowFrames {
  private let part: PictureStages.Part
  private let engine: RowEngine
  private let inputs: [InputRows]
  private let outputs: [OutputRows]
  private let current: CurrentRun
  private let memory: () -> RowMemory

  /// - Parameters:
  ///   - places: of inputs, then of results; they stay where they are.
  ///   - results: that are there, of which a part may be made.
  ///   - memory: of a strip, or of all pictures that are made in full.
  init(
    _ part: PictureStages.Part, _ engine: RowEngine,
    _ places: UnsafeMutablePointer<PixelPlace>, _ results: [Plan.Result], _ current: CurrentRun,
    _ memory: @escaping () -> RowMemory
  ) {
    self.memory = memory
    self.part = part
    self.engine = engine
    self.current = current
    let plan = part.plan
    inputs = plan.inputs.enumerated().map { InputRows($1, at: places + $0) }
    outputs = results.enumerated().map {
      OutputRows($1, at: places + plan.inputs.count + $0).part(plan.result.rect)
    }
  }

  /// What a part takes, found out by making it ready in memory that is only counted.
  static func bytes(
    of part: PictureStages.Part, _ engine: RowEngine, inputs: [Plan.Input], results: [Plan.Result]
  ) -> PartBytes {
    withUnsafeTemporaryAllocation(of: PixelPlace.self, capacity: inputs.count + results.count) {
      places in
      places.initialize(repeating: PixelPlace())
      guard let first = places.baseAddress else {
        return PartBytes(pictures: 0, strip: 0, beside: 0)
      }
      let frames = RowFrames(
        part, engine, first, results, CurrentRun(), RowMemory.counted)
      let memory =
        switch part.lowered.arithmetic {
        case .fixed: frames.stages(of: Int16.self, { $0.sampled(of: $1) }) { _, _ in }.1
        case .float: frames.stages(of: Float.self, { $0.sampled(of: $1) }) { _, _ in }.1
        }
      return PartBytes(
        pictures: memory[0].taken, strip: memory.dropFirst().map(\.taken).max() ?? 0,
        beside: memory.map(\.noted).sorted(by: >).prefix(engine.workers.count).reduce(0, +))
    }
  }

  /// - Parameter schedule: of one of a stage's strips.
  /// - Returns: the stages, and the memory that they work in, that of all pictures first.
  func stages<Sample: RowSample, Stage>(
    of samples: Sample.Type,
    _ schedule: (_ stage: PictureStages.Stage, _ strip: Int) -> RowSchedule,
    _ make: (Int, @escaping (_ worker: Int, _ strip: Int) -> Void) -> Stage
  ) -> ([Stage], [RowMemory]) {
    let plan = part.plan
    let whole = self.memory()
    var memory = [whole]
    var complete = [PictureRows<Sample>?](repeating: nil, count: plan.slots.count)
    var made: [Stage] = []
    for stage in part.stages {
      if let target = stage.target { complete[target] = PictureRows(plan.slots[target], in: whole) }
      let strips = stage.strips.indices.map { strip in
        let own = self.memory()
        memory.append(own)
        let tools = RowTools(
          kernels: engine.kernels, usesReference: engine.usesReference, memory: own,
          current: current)
        return RowStrip(
          part.lowered, schedule(stage, strip), complete: complete, inputs, outputs, tools
        ).ready()
      }
      made.append(make(strips.count) { _, strip in strips[strip]() })
    }
    return (made, memory)
  }
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
