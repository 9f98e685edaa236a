internal import CKernels
internal import FrostglassCore

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
  /// The input that comes from the source, and where its rows are put.
  private let input: (rows: InputRows, bytes: UnsafeMutableRawPointer)?
  private let outputs: [OutputRows]
  private let programs: StreamPrograms
  private let schedule: RowSchedule
  private let memory: RowMemory

  /// - Parameters:
  ///   - plan: a valid one.
  ///   - inputs: `nil` where rows come from the source.
  ///   - source: brings the rows of `plan.streamedInput`; `nil` where all inputs are there.
  init(
    _ plan: Plan, on engine: RowEngine, _ inputs: [InputRows?], _ source: (any RowSource)?,
    _ targets: [Target], _ cancellation: Cancellation?
  ) {
    self.plan = plan
    self.source = source
    self.cancellation = cancellation
    memory = RowMemory(guardedWith: engine.fill)
    let rect = plan.result.rect
    // Each thread gets as many rows of a band as one alone would take.
    let rows = RowSchedule.rowsPerBand * engine.workers.count
    schedule = RowSchedule(
      plan, target: nil, rows: rect.rows, complete: [], rowsPerBand: rows,
      PlanEnding(plan, allowsFixed: !engine.usesReference))
    var inputs = inputs
    if engine.fill != nil {
      inputs = inputs.map { [memory] in $0.map { InputRows(copy: $0, in: memory) } }
    }
    if source != nil, let index = plan.streamedInput {
      let room = Self.room(for: index, of: plan, schedule, memory)
      inputs[index] = room.rows
      input = room
    } else {
      input = nil
    }
    sinks = targets.map { if case .sink(let sink) = $0 { sink } else { nil } }
    outputs = zip(targets, plan.results).map { [memory] target, result in
      if case .memory(let rows) = target { return rows }
      let kept = memory.take(rows: rows, stride: rect.width * result.format.bytesPerPixel)
      return OutputRows(
        rect: rect, format: result.format, capacity: rows, bytesPerRow: kept.stride,
        bytes: kept.first)
    }
    programs = StreamPrograms(
      plan, schedule, inputs.compactMap { $0 }, outputs, memory, engine, cancellation)
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

  /// Computes all bands.
  ///
  /// - Throws: `BackendError.cancelled`, `.deadlineExceeded`, or `.interrupted` where rows do not come
  ///   or are not taken.
  func run() throws(BackendError) {
    var rowsRead = 0
    for band in schedule.bands {
      try cancellation?.check()
      let step = plan.steps[schedule.steps[band.step]]
      if let source, let input, case .load(let load) = step.pass, load.input == plan.streamedInput {
        try read(&rowsRead, upTo: band.rows.upperBound, source, input.rows, input.bytes)
      }
      programs.compute(band)
      if case .store(let store) = step.pass, let sink = sinks[store.result] {
        try give(band.rows, of: outputs[store.result], sink)
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

extension Plan {
  /// Rows for sums and the places that columns are read from: measured with 2.4 million columns.
  private static let scratchBytesPerColumn = 150

  /// Bytes of the rows that a stream keeps, which computes some for each thread at a time.
  func rowMemory(threads: Int) -> Int {
    let rowsPerBand = RowSchedule.rowsPerBand * threads
    let arithmetic = arithmetic()
    func bytes(_ layout: PixelFormat.Layout) -> Int {
      switch arithmetic {
      case .fixed: Int16.channels(of: layout) * MemoryLayout<Int16>.size
      case .float: Float.channels(of: layout) * MemoryLayout<Float>.size
      }
    }
    let capacity = rowCapacity(rowsPerBand)
    let rows = slots.indices.map {
      capacity[$0] * slots[$0].domain.width * bytes(slots[$0].layout)
    }
    let loaded = steps.compactMap { step -> Int? in
      guard case .load = step.pass else { return nil }
      return step.target.map { capacity[$0] }
    }
    let input = inputs.first?.bytesPerRow ?? 0
    let output = results.reduce(0) { $0 + $1.rect.width * $1.format.bytesPerPixel }
    let widest = slots.map(\.domain.width).max() ?? 0
    return rows.reduce(0, +) + input * (loaded.max() ?? 1) + output * rowsPerBand
      + widest * Self.scratchBytesPerColumn * threads
  }

  /// For each slot, how many of its rows a stream keeps.
  ///
  /// Of a high picture that is found out where it begins, in its middle and at its end.
  private func rowCapacity(_ rowsPerBand: Int) -> [Int] {
    let all = result.rect.rows
    let part = 4096
    let starts =
      all.count > 4 * part
      ? [all.lowerBound, all.lowerBound + all.count / 2, all.upperBound - part]
      : [all.lowerBound]
    var most = [Int](repeating: 0, count: slots.count)
    for start in starts {
      let schedule = RowSchedule(
        self, target: nil, rows: start..<(starts.count > 1 ? start + part : all.upperBound),
        complete: [], rowsPerBand: rowsPerBand)
      for slot in most.indices { most[slot] = max(most[slot], schedule.capacity[slot]) }
    }
    return most
  }
}

/// What computes a stream's bands of rows, on one thread or on all.
private struct StreamPrograms {
  private let workers: Workers
  /// For each worker, what computes the schedule's steps.
  private let programs: [[RowProgram?]]
  /// For each of the schedule's steps, how much work a row is; 0 where rows are not shared.
  private let work: [Int]
  /// Multiply-adds from which on rows are shared.
  private let leastWork: Int

  init(
    _ plan: Plan, _ schedule: RowSchedule, _ inputs: [InputRows], _ outputs: [OutputRows],
    _ memory: RowMemory, _ engine: RowEngine, _ cancellation: Cancellation?
  ) {
    workers = engine.workers
    // To wake other threads takes some ten microseconds. Guarded memory is for tests, of small pictures.
    leastWork = engine.fill == nil ? 1_000_000 : 0
    let isShared = engine.workers.count > 1
    let tools = RowTools(
      kernels: engine.kernels, usesReference: engine.usesReference, memory: memory,
      workers: isShared ? engine.workers : nil, current: CurrentRun(cancellation))
    let arithmetic = plan.arithmetic(allowsFixed: !engine.usesReference)
    programs =
      switch arithmetic {
      case .fixed: Self.programs(Int16.self, plan, schedule, inputs, outputs, tools)
      case .float: Self.programs(Float.self, plan, schedule, inputs, outputs, tools)
      }
    work = schedule.steps.map { index in
      let step = plan.steps[index]
      guard step.pass.makesRowsAlone(in: arithmetic) else { return 0 }
      let filter =
        arithmetic == .fixed ? plan.filter(endingIn: step, schedule.ending.masked) : nil
      return plan.multiplyAddsPerRow(of: step) + (filter.map(plan.multiplyAddsPerRow) ?? 0)
    }
  }

  /// The same rows for all workers, and for each its own scratch memory.
  private static func programs<Sample: RowSample>(
    _: Sample.Type, _ plan: Plan, _ schedule: RowSchedule, _ inputs: [InputRows],
    _ outputs: [OutputRows], _ tools: RowTools
  ) -> [[RowProgram?]] {
    let none = [PictureRows<Sample>?](repeating: nil, count: plan.slots.count)
    let first = RowStrip(
      plan, schedule, complete: none, isShared: tools.workers != nil, inputs, outputs, tools)
    return (0..<(tools.workers?.count ?? 1)).map { worker in
      worker == 0
        ? first.programs
        : RowStrip(plan, schedule, complete: first.pictures, inputs, outputs, tools).programs
    }
  }

  /// Computes the rows of one band.
  func compute(_ band: RowSchedule.Band) {
    let parts = band.rows.strips(workers.count)
    guard parts.count > 1, work[band.step] * band.rows.count >= leastWork else {
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
  /// kernels share their rows themselves, see `RowStrip.referenceProgram`.
  fileprivate func makesRowsAlone(in arithmetic: RowArithmetic) -> Bool {
    switch self {
    case .convolve(let convolve): convolve.axis == .x || convolve.boxes == nil
    case .load, .resample, .colorMatrix, .lumaCurve, .generate, .stencil, .median, .cellMeans,
      .cellFill, .grain, .highlightWeight, .bilateral, .store:
      true
    case .gather: arithmetic == .fixed
    case .blend, .displace, .packChannels: false
    }
  }
}
