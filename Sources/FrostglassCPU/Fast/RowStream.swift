internal import FrostglassCore

/// Rows made as they come, and handed on as they are made: of no image more than some rows need be in
/// memory.
///
/// Of a Gaussian, the small image's last rows and a few of the full size are kept. Chains that need
/// the original again keep as many of its rows as the blur lags behind. Rows that take long are shared
/// among the engine's threads. The bytes are those of the whole image computed at once.
struct RowStream {
  private let plan: Plan
  private let schedule: RowSchedule
  /// For each input, then each result, the rows that are kept; `nil` for those that are all in memory.
  private let rings: [KeptRows?]
  private let workers: Workers
  /// For each worker, what computes the schedule's steps; for all but the first only those whose rows
  /// are shared here.
  private let programs: [[RowProgram?]]
  /// For each of the schedule's steps, how much work a row is.
  private let work: [Int]
  /// Multiply-adds from which on rows are shared.
  private let leastWork: Int

  /// - Parameters:
  ///   - flows: for each input, then each result, true if its rows come or go.
  ///   - places: of inputs, then of results, whose rows are all in memory; they stay where they are.
  init(
    _ known: KnownPlan, _ flows: [Bool], _ places: UnsafeMutablePointer<PixelPlace>,
    _ engine: RowEngine, _ memory: RowMemory, _ current: CurrentRun
  ) {
    let (plan, lowered, schedule) = (known.parted, known.lowered, known.streamed)
    self.plan = plan
    self.schedule = schedule
    workers = engine.workers
    // To wake other threads takes some ten microseconds. Guarded memory is for tests, of small pictures.
    leastWork = engine.fill == nil ? 1_000_000 : 0
    let resultRows = RowSchedule.rowsPerBand * engine.workers.count
    let rings = plan.rowShapes.enumerated().map { index, shape -> KeptRows? in
      guard flows[index] else { return nil }
      let isInput = index < plan.inputs.count
      let capacity = isInput ? schedule.rowsKept(ofInput: index, plan) : resultRows
      return KeptRows(
        place: PixelPlace(rows: capacity, of: shape.rowBytes, in: memory), capacity: capacity,
        rowBytes: shape.rowBytes)
    }
    let inputs = plan.inputs.enumerated().map { index, input in
      rings[index].map { InputRows(input, in: $0) } ?? InputRows(input, at: places + index)
    }
    let outputs = plan.results.enumerated().map { index, result in
      let index = plan.inputs.count + index
      return rings[index].map { OutputRows(result, in: $0) }
        ?? OutputRows(result, at: places + index)
    }
    self.rings = rings
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

  /// Makes all rows.
  ///
  /// - Parameter rows: of all inputs, then of all results.
  /// - Throws: `BackendError.cancelled`, `.deadlineExceeded`, or `.interrupted` where rows do not come
  ///   or are not taken.
  func run(_ rows: [any RowIO], _ cancellation: Cancellation?) throws(BackendError) {
    var rowsRead = 0
    for band in schedule.bands {
      try cancellation?.check()
      let pass = plan.steps[schedule.steps[band.step]].pass
      let end = band.rows.upperBound
      if case .load(let load) = pass, let ring = rings[load.input], rowsRead < end {
        try ring.read(rowsRead..<end, from: rows[load.input], cancellation)
        rowsRead = end
      }
      make(band)
      if case .store(let store) = pass, let ring = rings[plan.inputs.count + store.result] {
        let first = band.rows.lowerBound - plan.result.rect.y
        try ring.write(
          first..<first + band.rows.count, to: rows[plan.inputs.count + store.result],
          cancellation)
      }
    }
    // What was computed when it was cancelled may be short of something.
    try cancellation?.check()
  }

  /// Makes the rows of one band, in this thread or in all.
  private func make(_ band: RowSchedule.Band) {
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

extension RowSchedule {
  /// Rows of an input that stay as long as the slot they become, in case a step reads them directly.
  fileprivate func rowsKept(ofInput index: Int, _ plan: Plan) -> Int {
    let loaded = steps.compactMap { step -> Int? in
      guard case .load(let load) = plan.steps[step].pass, load.input == index else { return nil }
      return plan.steps[step].target.map { capacity[$0] }
    }
    return loaded.max() ?? 1
  }
}

extension Pass {
  /// True if a row takes no longer when another thread made the row before.
  ///
  /// A sum along columns goes on from the row before. Passes on reference kernels always share their rows themselves,
  /// see `RowStrip.referenceProgram`.
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
