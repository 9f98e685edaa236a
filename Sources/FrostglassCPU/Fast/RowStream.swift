internal import CKernels
internal import FrostglassCore
internal import Synchronization

/// Runs a plan on rows as they come, and gives the results' rows as they are made: of no picture more than
/// some rows need be in memory.
///
/// Of a Gaussian, the small picture's last rows and a few of the full size are kept. Chains that need
/// the original again keep as many of its rows as the blur lags behind. Rows that take long are shared
/// among the engine's threads. The bytes are those of the whole picture computed at once.
struct RowStream {
  /// Where a result's rows go.
  enum Target {
    case sink(any RowSink)
    /// They stay where they are computed.
    case memory(OutputRows)
  }

  private let plan: Plan
  private let source: (any RowSource)?
  /// For each result, who is given its rows; `nil` where they stay.
  private let sinks: [(any RowSink)?]
  private let cancellation: Cancellation?
  private let rows: StreamRows
  private let schedule: RowSchedule
  private let memory: RowMemory

  /// - Parameters:
  ///   - known: of a valid plan.
  ///   - inputs: `nil` where rows come from the source.
  ///   - source: brings the rows of `plan.streamedInput`; `nil` where all inputs are there.
  /// - Throws: `BackendError.failed` where there is no memory.
  init(
    _ known: KnownPlan, on engine: RowEngine, _ inputs: [InputRows?],
    _ source: (any RowSource)?, _ targets: [Target], _ cancellation: Cancellation?
  ) throws(BackendError) {
    let plan = known.fused
    self.plan = plan
    self.source = source
    self.cancellation = cancellation
    let memory = engine.newMemory()
    self.memory = memory
    schedule = known.streamed
    var inputs = inputs
    if engine.fill != nil {
      inputs = inputs.map { $0.map { InputRows(copy: $0, in: memory) } }
    }
    sinks = targets.map { if case .sink(let sink) = $0 { sink } else { nil } }
    rows = StreamRows(
      known.lowered, schedule, inputs, isStreamed: source != nil,
      targets.map { if case .memory(let rows) = $0 { rows } else { nil } }, engine, memory,
      cancellation)
    if let shortage = memory.shortage { throw shortage }
    engine.mostBytes.max(memory.byteCount, ordering: .relaxed)
  }

  /// Bytes that a stream takes whose input comes and whose results go row by row: as it is made ready
  /// in memory that is only counted.
  static func memory(of known: KnownPlan, on engine: RowEngine) -> Int {
    let (plan, memory) = (known.fused, RowMemory.counted())
    withUnsafePointer(to: PixelPlace()) { place in
      _ = StreamRows(
        known.lowered, known.sampled, plan.inputs.map { InputRows($0, at: place) },
        isStreamed: plan.streamedInput != nil, plan.results.map { _ in nil }, engine, memory, nil)
    }
    return memory.byteCount + memory.noted
  }

  /// Computes all bands.
  ///
  /// - Throws: `BackendError.cancelled`, `.deadlineExceeded`, or `.interrupted` where rows do not come
  ///   or are not taken.
  func run() throws(BackendError) {
    var rowsRead = 0
    for band in schedule.bands {
      try cancellation?.check()
      let step = plan.steps[schedule.steps[band.step]]
      if let source, let input = rows.input, case .load(let load) = step.pass,
        load.input == plan.streamedInput
      {
        try read(&rowsRead, upTo: band.rows.upperBound, source, input.rows, input.bytes)
      }
      rows.programs.compute(band)
      if case .store(let store) = step.pass, let sink = sinks[store.result] {
        try give(band.rows, of: rows.outputs[store.result], sink)
      }
    }
    // What was computed when it was cancelled may be short of something.
    try cancellation?.check()
  }

  private func read(
    _ rowsRead: inout Int, upTo end: Int, _ source: any RowSource, _ input: InputRows,
    _ bytes: UnsafeMutableRawPointer
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
    _ made: Range<Int>, of output: OutputRows, _ sink: any RowSink
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
    _ lowered: LoweredPlan, _ schedule: RowSchedule, _ inputs: [InputRows?], isStreamed: Bool,
    _ outputs: [OutputRows?], _ engine: RowEngine, _ memory: RowMemory,
    _ cancellation: Cancellation?
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
      lowered, schedule, inputs.compactMap { $0 }, self.outputs, memory, engine, cancellation)
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
    _ memory: RowMemory, _ engine: RowEngine, _ cancellation: Cancellation?
  ) {
    workers = engine.workers
    // To wake other threads takes some ten microseconds. Guarded memory is for tests, of small pictures.
    leastWork = engine.fill == nil ? 1_000_000 : 0
    let isShared = engine.workers.count > 1
    let tools = RowTools(
      kernels: engine.kernels, usesReference: engine.usesReference, memory: memory,
      workers: isShared ? engine.workers : nil, current: CurrentRun(cancellation))
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
