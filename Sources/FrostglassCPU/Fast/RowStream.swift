internal import CKernels
public import FrostglassCore

/// Runs a plan on a picture whose rows arrive one after another, and gives the result's rows one
/// after another: of neither picture more than some rows is ever in memory.
///
/// Of a Gaussian, the small picture's last rows and a few of the full size are kept. Chains that need
/// the original again keep as many of its rows as the blur lags behind. Rows that take long are shared
/// among the backend's threads. The bytes are those of `FastBackend`, which makes streams.
public final class RowStream {
  /// Reads input rows, each once and from the top, to where they are needed; rows have no gaps.
  public typealias Reading = (_ rows: Range<Int>, _ target: UnsafeMutableRawPointer) throws -> Void

  public let plan: Plan
  private let read: Reading
  private let workers: Workers
  private let memory: RowMemory
  private let input: InputRows
  private let inputBytes: UnsafeMutableRawPointer
  private let output: OutputRows
  private let turns: StreamTurns
  private let schedule: RowSchedule
  /// Turns that were taken.
  private var turnsTaken = 0
  private var rowsRead = 0
  private var made: Range<Int>

  /// - Returns: `nil` when the plan has several inputs, or reads its one in several ways, as a scene
  ///   may that shows a picture twice: rows that came would have to be kept for the last of them.
  init?(_ plan: Plan, on engine: RowEngine, read: @escaping Reading) {
    let isValid = (try? plan.validate(for: .none)) != nil
    guard isValid, plan.inputs.count == 1, plan.loads <= 1 else { return nil }
    self.plan = plan
    self.read = read
    workers = engine.workers
    memory = RowMemory(guardedWith: engine.fill)
    let rect = plan.result.rect
    // Each thread gets as many rows of a turn as one alone would take.
    let rows = RowSchedule.rowsPerTurn * workers.count
    let schedule = RowSchedule(
      plan, target: nil, rows: rect.rows, complete: [], rowsPerTurn: rows)
    self.schedule = schedule
    // Loaded rows stay as long as the slot they become, in case a step reads them directly.
    let loaded = schedule.steps.compactMap { step in
      if case .load = plan.steps[step].pass { plan.steps[step].target } else { nil }
    }
    let capacity = loaded.map { schedule.capacity[$0] }.max() ?? 1
    let size = plan.inputs[0].size
    let source = memory.take(
      rows: capacity, stride: size.width * plan.inputs[0].format.bytesPerPixel)
    inputBytes = source.first
    input = InputRows(
      format: plan.inputs[0].format, width: size.width, height: size.height,
      capacity: capacity, bytesPerRow: source.stride, bytes: inputBytes)
    let result = memory.take(rows: rows, stride: rect.width * plan.result.format.bytesPerPixel)
    output = OutputRows(
      rect: rect, format: plan.result.format, capacity: rows, bytesPerRow: result.stride,
      bytes: result.first)
    turns = StreamTurns(plan, schedule, input, output, memory, engine)
    made = rect.y..<rect.y
  }

  /// Copies the next rows of the result, without gaps.
  ///
  /// - Parameter rows: how many; no more than are left.
  /// - Throws: what reading throws; the stream is of no use then.
  public func next(_ rows: Int, into target: UnsafeMutableRawPointer) throws {
    var place = target
    var left = rows
    while left > 0 {
      if made.isEmpty { try makeMore() }
      precondition(!made.isEmpty, "more rows are asked for than the result has")
      let count = output.rect.width * output.format.bytesPerPixel
      place.copyMemory(from: output.row(made.lowerBound), byteCount: count)
      place += count
      made.removeFirst()
      left -= 1
    }
  }

  /// Takes turns until there are new rows of the result.
  private func makeMore() throws {
    while made.isEmpty, turnsTaken < schedule.turns.count {
      let turn = schedule.turns[turnsTaken]
      let step = plan.steps[schedule.steps[turn.step]]
      if case .load = step.pass { try readRows(upTo: turn.rows.upperBound) }
      turns.take(turn)
      if step.target == nil { made = turn.rows }
      turnsTaken += 1
    }
  }

  private func readRows(upTo end: Int) throws {
    while rowsRead < end {
      // As many at once as lie behind each other without gaps.
      let place = rowsRead % input.capacity
      let length = input.width * input.format.bytesPerPixel
      let most = input.bytesPerRow == length ? input.capacity - place : 1
      let rows = rowsRead..<min(end, rowsRead + most)
      try read(rows, inputBytes + place * input.bytesPerRow)
      rowsRead = rows.upperBound
    }
  }
}

/// What a stream's turns do, on one thread or on all.
private struct StreamTurns {
  private let plan: Plan
  private let schedule: RowSchedule
  private let workers: Workers
  /// For each worker, what computes the schedule's steps.
  private let programs: [[RowProgram?]]
  /// For each of the schedule's steps, how much work a row is; 0 where rows are not shared.
  private let work: [Int]
  /// Multiply-adds from which on rows are shared.
  private let leastWork: Int

  init(
    _ plan: Plan, _ schedule: RowSchedule, _ input: InputRows, _ output: OutputRows,
    _ memory: RowMemory, _ engine: RowEngine
  ) {
    self.plan = plan
    self.schedule = schedule
    workers = engine.workers
    // To wake other threads takes some ten microseconds. Guarded memory is for tests, of small pictures.
    leastWork = engine.fill == nil ? 1_000_000 : 0
    let staged = StagedPlan(plan, strips: 1, allowsFixed: !engine.usesReference)
    programs =
      switch staged.arithmetic {
      case .fixed: Self.programs(Int16.self, plan, schedule, input, output, memory, engine)
      case .float: Self.programs(Float.self, plan, schedule, input, output, memory, engine)
      }
    work = schedule.steps.map { index in
      let step = plan.steps[index]
      guard step.pass.makesRowsAlone else { return 0 }
      let slot = step.target.map { plan.slots[$0] }
      let width = slot?.domain.width ?? plan.result.rect.width
      let channels = slot?.layout.channels ?? plan.result.format.layout.channels
      return width * channels * max(step.pass.multiplyAdds, 1)
    }
  }

  /// The same rows for all workers, and for each its own scratch memory.
  private static func programs<Sample: RowSample>(
    _: Sample.Type, _ plan: Plan, _ schedule: RowSchedule, _ input: InputRows,
    _ output: OutputRows, _ memory: RowMemory, _ engine: RowEngine
  ) -> [[RowProgram?]] {
    let isShared = engine.workers.count > 1
    let tools = RowTools(
      kernels: engine.kernels, usesReference: engine.usesReference, memory: memory,
      workers: isShared ? engine.workers : nil)
    let none = [PictureRows<Sample>?](repeating: nil, count: plan.slots.count)
    let first = RowStrip(
      plan, schedule, complete: none, isShared: isShared, [input], output, tools)
    return (0..<engine.workers.count).map { worker in
      worker == 0
        ? first.programs
        : RowStrip(plan, schedule, complete: first.pictures, [input], output, tools).programs
    }
  }

  /// Computes the rows of one turn.
  func take(_ turn: RowSchedule.Turn) {
    let parts = turn.rows.strips(workers.count)
    guard parts.count > 1, work[turn.step] * turn.rows.count >= leastWork else {
      programs[0][turn.step]?(turn.rows)
      return
    }
    workers.run(parts.count, orAlone: true) { worker, part in
      programs[worker][turn.step]?(parts[part])
    }
  }
}

extension Pass {
  /// Whether a row takes no longer where the one before was made by somebody else.
  ///
  /// Where columns are summed up, each row goes on from the one before. Passes that run on reference
  /// kernels share their rows themselves, see `RowStrip.referenceProgram`.
  fileprivate var makesRowsAlone: Bool {
    switch self {
    case .convolve(let convolve): convolve.axis == .x || !convolve.isBox
    case .load, .resample, .colorMatrix, .lumaCurve, .generate, .stencil, .store: true
    case .blend, .displace, .prepend, .bilateral, .median, .cellMeans, .cellFill, .grain, .gather,
      .weigh:
      false
    }
  }
}

extension Plan {
  /// How many steps load an input.
  fileprivate var loads: Int {
    steps.count { step in if case .load = step.pass { true } else { false } }
  }
}
