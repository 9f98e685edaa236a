internal import FrostglassCore
internal import Glibc
internal import Synchronization

/// Makes rows as they come, and gives the results' rows as they are made, one run at a time: of no picture
/// more than some rows need be in memory.
///
/// Of a Gaussian, the small picture's last rows and a few of the full size are kept. Chains that need
/// the original again keep as many of its rows as the blur lags behind. Rows that take long are shared
/// among the engine's threads. The bytes are those of the whole picture computed at once.
final class BandExecutor: Executor, @unchecked Sendable {
  let known: KnownPlan
  /// True if the rows of an input come.
  let comes: Bool
  /// For each result, true if its rows go.
  let go: [Bool]
  private let plan: Plan
  private let rows: StreamRows
  private let schedule: RowSchedule
  private let memory: RowMemory
  /// Where the rows of inputs that are there are, then those of results that stay.
  private let places: UnsafeMutablePointer<PixelPlace>
  private let current = CurrentRun()
  private let turnstile = Mutex<Void>(())

  /// - Parameters:
  ///   - known: of a valid plan.
  ///   - comes: whether the rows of `plan.streamedInput` come; all other inputs are there.
  ///   - go: for each result, whether its rows go as they are made.
  init(_ known: KnownPlan, comes: Bool, go: [Bool], on engine: RowEngine) {
    self.known = known
    (self.comes, self.go) = (comes, go)
    let plan = known.parted
    self.plan = plan
    memory = engine.newMemory()
    schedule = known.streamed
    let count = plan.inputs.count + plan.results.count
    let places = UnsafeMutablePointer<PixelPlace>.allocate(capacity: count)
    places.initialize(repeating: PixelPlace(), count: count)
    self.places = places
    rows = StreamRows(
      known.lowered, schedule, plan.inputs.enumerated().map { InputRows($1, at: places + $0) },
      isStreamed: comes,
      plan.results.enumerated().map { index, result in
        go[index] ? nil : OutputRows(result, at: places + plan.inputs.count + index)
      }, engine, memory, current)
  }

  deinit { places.deallocate() }

  var bytes: Int { memory.byteCount }

  var bytesBeside: Int { memory.noted }

  var shortage: BackendError? { memory.shortage }

  func run(
    _ inputs: [InputRows?], _ source: (any RowSource)?, _ targets: [RowTarget],
    _ cancellation: Cancellation?, _ progress: ((Double) -> Void)?
  ) throws(BackendError) {
    try turnstile.withLock { _ throws(BackendError) in
      for (index, input) in inputs.enumerated() {
        if let input { places[index] = input.memory }
      }
      for (index, target) in targets.enumerated() {
        if case .memory(let rows) = target { places[plan.inputs.count + index] = rows.memory }
      }
      current.begin(cancellation)
      defer { current.end() }
      try run(source, targets, cancellation)
    }
  }

  /// Computes all bands.
  ///
  /// - Throws: `BackendError.cancelled`, `.deadlineExceeded`, or `.interrupted` where rows do not come
  ///   or are not taken.
  private func run(
    _ source: (any RowSource)?, _ targets: [RowTarget], _ cancellation: Cancellation?
  ) throws(BackendError) {
    var rowsRead = 0
    for band in schedule.bands {
      try cancellation?.check()
      let step = plan.steps[schedule.steps[band.step]]
      if let source, let input = rows.input, case .load(let load) = step.pass,
        load.input == plan.streamedInput
      {
        try read(
          &rowsRead, upTo: band.rows.upperBound, source, input.rows, input.bytes, cancellation)
      }
      rows.programs.compute(band)
      if case .store(let store) = step.pass, case .sink(let sink) = targets[store.result] {
        try give(band.rows, of: rows.outputs[store.result], sink, cancellation)
      }
    }
    // What was computed when it was cancelled may be short of something.
    try cancellation?.check()
  }

  private func read(
    _ rowsRead: inout Int, upTo end: Int, _ source: any RowSource, _ input: InputRows,
    _ bytes: UnsafeMutableRawPointer, _ cancellation: Cancellation?
  ) throws(BackendError) {
    while rowsRead < end {
      // As many at once as lie behind each other without gaps.
      let place = rowsRead % input.capacity
      let length = input.width * input.format.bytesPerPixel
      let most = input.bytesPerRow == length ? input.capacity - place : 1
      let rows = rowsRead..<min(end, rowsRead + most)
      do { try source.read(rows, into: bytes + place * input.bytesPerRow) } catch {
        throw .interrupted(error, cancellation)
      }
      rowsRead = rows.upperBound
    }
  }

  private func give(
    _ made: Range<Int>, of output: OutputRows, _ sink: any RowSink, _ cancellation: Cancellation?
  ) throws(BackendError) {
    var left = made
    let length = output.rect.width * output.format.bytesPerPixel
    while !left.isEmpty {
      let place = (left.lowerBound - output.rect.y) % output.capacity
      let most = output.bytesPerRow == length ? output.capacity - place : 1
      let rows = left.prefix(most)
      let bytes = UnsafeRawBufferPointer(
        start: output.row(rows.lowerBound), count: rows.count * length)
      let first = rows.lowerBound - output.rect.y
      do { try sink.write(first..<first + rows.count, bytes) } catch {
        throw .interrupted(error, cancellation)
      }
      left = rows.upperBound..<left.upperBound
    }
  }
}

/// The rows that a stream keeps, and what computes them.
private struct StreamRows {
  /// The input that comes from a source, and where its rows are put.
  let input: (rows: InputRows, bytes: UnsafeMutableRawPointer)?
  let outputs: [OutputRows]
  let programs: StreamPrograms

  /// - Parameters:
  ///   - isStreamed: whether there is such an input.
  ///   - outputs: `nil` for results of which some rows are kept until somebody has taken them.
  init(
    _ lowered: LoweredPlan, _ schedule: RowSchedule, _ inputs: [InputRows], isStreamed: Bool,
    _ outputs: [OutputRows?], _ engine: RowEngine, _ memory: RowMemory, _ current: CurrentRun
  ) {
    let plan = lowered.plan
    var inputs = inputs
    if isStreamed, let index = plan.streamedInput {
      let room = Self.room(for: index, of: plan, schedule, memory)
      inputs[index] = room.rows
      input = room
    } else {
      input = nil
    }
    let (rect, capacity) = (plan.result.rect, RowSchedule.rowsPerBand * engine.workers.count)
    self.outputs = zip(outputs, plan.results).map { output, result in
      if let output { return output }
      let kept = memory.take(rows: capacity, stride: rect.width * result.format.bytesPerPixel)
      return OutputRows(
        rect: rect, format: result.format, capacity: capacity, bytesPerRow: kept.stride,
        bytes: kept.first)
    }
    programs = StreamPrograms(
      lowered, schedule, inputs, self.outputs, memory, engine, current)
  }

  /// Room for an input's rows. They stay as long as the slot they become, in case a step reads them
  /// directly.
  private static func room(
    for index: Int, of plan: Plan, _ schedule: RowSchedule, _ memory: RowMemory
  ) -> (rows: InputRows, bytes: UnsafeMutableRawPointer) {
    let loaded = schedule.steps.compactMap { step -> Int? in
      guard case .load(let load) = plan.steps[step].pass, load.input == index else { return nil }
      return plan.steps[step].target.map { schedule.capacity[$0] }
    }
    let capacity = loaded.max() ?? 1
    let description = plan.inputs[index]
    let room = memory.take(rows: capacity, stride: description.bytesPerRow)
    return (
      InputRows(
        format: description.format, width: description.size.width,
        height: description.size.height, capacity: capacity, bytesPerRow: room.stride,
        bytes: room.first), room.first
    )
  }
}

/// What computes a stream's bands of rows, on one thread or on all.
private struct StreamPrograms {
  private let workers: Workers
  /// For each worker, what computes the schedule's steps; for all but the first only those whose rows
  /// are shared here.
  private let programs: [[RowProgram?]]
  /// For each of the schedule's steps, how much work a row is.
  private let work: [Int]
  /// Multiply-adds from which on rows are shared.
  private let leastWork: Int

  init(
    _ lowered: LoweredPlan, _ schedule: RowSchedule, _ inputs: [InputRows], _ outputs: [OutputRows],
    _ memory: RowMemory, _ engine: RowEngine, _ current: CurrentRun
  ) {
    workers = engine.workers
    // To wake other threads takes some ten microseconds. Guarded memory is for tests, of small pictures.
    leastWork = engine.fill == nil ? 1_000_000 : 0
    let isShared = engine.workers.count > 1
    let tools = RowTools(
      kernels: engine.kernels, usesReference: engine.usesReference, memory: memory,
      rings: memory, workers: isShared ? engine.workers : nil, current: current)
    programs =
      switch lowered.arithmetic {
      case .fixed: Self.programs(Int16.self, lowered, schedule, inputs, outputs, tools)
      case .float: Self.programs(Float.self, lowered, schedule, inputs, outputs, tools)
      }
    work = schedule.steps.map { lowered.ops[$0].map(lowered.multiplyAddsPerRow) ?? 0 }
  }

  /// The same rows for all workers, and for each its own scratch memory.
  private static func programs<Sample: RowSample>(
    _: Sample.Type, _ lowered: LoweredPlan, _ schedule: RowSchedule, _ inputs: [InputRows],
    _ outputs: [OutputRows], _ tools: RowTools
  ) -> [[RowProgram?]] {
    let none = [PictureRows<Sample>?](repeating: nil, count: lowered.plan.slots.count)
    let first = RowStrip(
      lowered, schedule, complete: none, isShared: tools.workers != nil, inputs, outputs, tools)
    var others = tools
    others.isFirst = false
    return [first.programs]
      + (1..<(tools.workers?.count ?? 1)).map { _ in
        RowStrip(lowered, schedule, complete: first.pictures, inputs, outputs, others)
          .programs { $0.pass.makesRowsAlone }
      }
  }

  /// Computes the rows of one band.
  func compute(_ band: RowSchedule.Band) {
    let parts = band.rows.strips(workers.count)
    guard parts.count > 1, programs[1][band.step] != nil,
      work[band.step] * band.rows.count >= leastWork
    else {
      programs[0][band.step]?(band.rows)
      return
    }
    workers.run(parts.count, orAlone: true) { worker, part in
      programs[worker][band.step]?(parts[part])
    }
  }
}

extension Pass {
  /// Whether a row takes no longer where the one before was made by somebody else.
  ///
  /// Where columns are summed up, each row goes on from the one before. Passes that run on reference
  /// kernels share their rows themselves, whatever they are, see `RowStrip.referenceProgram`.
  fileprivate var makesRowsAlone: Bool {
    switch self {
    case .convolve(let convolve): convolve.axis == .x || convolve.boxes == nil
    case .load, .resample, .colorMatrix, .lumaCurve, .generate, .stencil, .median, .cellMeans,
      .cellFill, .grain, .gather, .highlightWeight, .bilateral, .store:
      true
    case .blend, .displace, .packChannels: false
    }
  }
}
