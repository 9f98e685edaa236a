internal import FrostglassCore

/// The rows of one of a run's inputs or results: all of them in memory, or coming or going one after
/// another.
protocol RowIO {
  /// The place of all rows in memory; `nil` where they come or go.
  var place: PixelPlace? { get }

  /// Brings the rows that follow the last ones, without gaps between them.
  func read(_ rows: Range<Int>, into target: UnsafeMutableRawPointer) throws

  /// Takes the rows that follow the last ones, which have no gaps between them.
  func write(_ rows: Range<Int>, _ bytes: UnsafeRawBufferPointer) throws
}

extension RowIO {
  var place: PixelPlace? { nil }

  func read(_ rows: Range<Int>, into target: UnsafeMutableRawPointer) throws {}

  func write(_ rows: Range<Int>, _ bytes: UnsafeRawBufferPointer) throws {}
}

/// Rows of an image or of the caller's memory, which stay where they are.
struct RowsInMemory: RowIO {
  let place: PixelPlace?
}

/// Rows of an input that come from a source.
struct RowsFromSource: RowIO {
  let source: any RowSource

  func read(_ rows: Range<Int>, into target: UnsafeMutableRawPointer) throws {
    try source.read(rows, into: target)
  }
}

/// Rows of a result that go to a sink.
struct RowsForSink: RowIO {
  let sink: any RowSink

  func write(_ rows: Range<Int>, _ bytes: UnsafeRawBufferPointer) throws {
    try sink.write(rows, bytes)
  }
}

/// The memory of rows that come or go: of the last few, or of all.
struct KeptRows {
  let place: PixelPlace
  /// Rows that are kept: row `y` replaces row `y - capacity`.
  let capacity: Int
  /// Bytes of a row without gap.
  let rowBytes: Int

  /// Brings the rows that follow the last ones.
  func read(
    _ rows: Range<Int>, from io: any RowIO, _ cancellation: Cancellation?
  ) throws(BackendError) {
    var left = rows
    while let piece = piece(of: &left) {
      do { try io.read(piece, into: start(of: piece)) } catch {
        throw .interrupted(error, cancellation)
      }
    }
  }

  /// Hands on the rows that follow the last ones, counted from 0.
  func write(
    _ rows: Range<Int>, to io: any RowIO, _ cancellation: Cancellation?
  ) throws(BackendError) {
    var left = rows
    while let piece = piece(of: &left) {
      let bytes = UnsafeRawBufferPointer(start: start(of: piece), count: piece.count * rowBytes)
      do { try io.write(piece, bytes) } catch { throw .interrupted(error, cancellation) }
    }
  }

  /// Takes off as many rows as lie behind each other without gaps.
  private func piece(of rows: inout Range<Int>) -> Range<Int>? {
    guard !rows.isEmpty else { return nil }
    let most = place.bytesPerRow == rowBytes ? capacity - rows.lowerBound % capacity : 1
    let piece = rows.prefix(most)
    rows = piece.upperBound..<rows.upperBound
    return piece
  }

  private func start(of rows: Range<Int>) -> UnsafeMutableRawPointer {
    place.bytes + rows.lowerBound % capacity * place.bytesPerRow
  }
}

/// The place of an image's rows in memory.
struct PixelPlace {
  /// The first row's first byte. Inputs are only read.
  var bytes = UnsafeMutableRawPointer(bitPattern: 64).unsafelyUnwrapped
  var bytesPerRow = 0

  init() {}

  init(_ start: UnsafeRawPointer?, bytesPerRow: Int) {
    if let start { bytes = UnsafeMutableRawPointer(mutating: start) }
    self.bytesPerRow = bytesPerRow
  }

  /// Room for rows of so many bytes.
  init(rows: Int, of rowBytes: Int, in memory: RowMemory) {
    let room = memory.take(rows: rows, stride: rowBytes)
    self.init(room.first, bytesPerRow: room.stride)
  }

  /// Copies rows of so many bytes to another place.
  func copy(rows: Int, of rowBytes: Int, to other: PixelPlace) {
    for y in 0..<rows {
      (other.bytes + y * other.bytesPerRow)
        .copyMemory(from: bytes + y * bytesPerRow, byteCount: rowBytes)
    }
  }
}

extension Plan {
  /// The rows of all inputs, then of all results, and the bytes of each row without gap.
  var rowShapes: [(rows: Int, rowBytes: Int)] {
    (inputs + results.map { Input($0) }).map { ($0.size.height, $0.bytesPerRow) }
  }

  /// The input whose rows can be computed as they come: the only one, or one of several that is read in
  /// one way. Others may be read again later, as in a scene that shows an image twice.
  var streamedInput: Int? {
    inputs.indices.first { index in
      steps.count { step in
        if case .load(let load) = step.pass { load.input == index } else { false }
      } <= 1
    }
  }
}

extension PixelIO {
  /// Calls `body` with the rows of all inputs, then those of all results.
  ///
  /// Images and the caller's memory are used where they are. Rows that may neither come nor go one after
  /// another are gathered before, and handed over afterwards.
  ///
  /// - Parameters:
  ///   - comes: the input whose rows may come one after another.
  ///   - goes: true if results' rows may go one after another.
  func withRows(
    of described: [Plan.Input], _ results: [Plan.Result], comes: Int? = nil, goes: Bool = false,
    _ body: ([any RowIO]) throws(BackendError) -> Void
  ) throws(BackendError) {
    var rows: [any RowIO] = []
    rows.reserveCapacity(described.count + results.count)
    try withInputs(described, comes, &rows) { rows throws(BackendError) in
      try withOutputs(results, goes, &rows, body)
    }
  }

  private func withInputs(
    _ described: [Plan.Input], _ comes: Int?, _ rows: inout [any RowIO],
    _ body: (inout [any RowIO]) throws(BackendError) -> Void
  ) throws(BackendError) {
    let index = rows.count
    guard index < described.count else { return try body(&rows) }
    switch inputs[index] {
    case .memory(let memory):
      rows.append(RowsInMemory(place: memory.place))
      try withInputs(described, comes, &rows, body)
    case .rows(let source) where comes == index:
      defer { source.end() }
      rows.append(RowsFromSource(source: source))
      try withInputs(described, comes, &rows, body)
    case .image, .rows, .resident:
      guard let image = try inputs[index].gathered(described[index], cancellation) else {
        throw .unsupported(
          backend: "fast", what: "input \(index), which is on a device; download it first")
      }
      try image.withUnsafeBytes { bytes throws(BackendError) in
        let place = PixelPlace(bytes.baseAddress, bytesPerRow: image.bytesPerRow)
        rows.append(RowsInMemory(place: place))
        try withInputs(described, comes, &rows, body)
      }
    }
  }

  private func withOutputs(
    _ results: [Plan.Result], _ goes: Bool, _ rows: inout [any RowIO],
    _ body: ([any RowIO]) throws(BackendError) -> Void
  ) throws(BackendError) {
    let index = rows.count - inputs.count
    guard index < results.count else { return try body(rows) }
    var image: Image
    switch outputs[index] {
    case .memory(let memory):
      rows.append(RowsInMemory(place: memory.place))
      return try withOutputs(results, goes, &rows, body)
    case .rows(let sink) where goes:
      rows.append(RowsForSink(sink: sink))
      return try withOutputs(results, goes, &rows, body)
    case .image(let output): image = output.room(for: results[index])
    case .rows:
      try MemoryRoom.check(Plan.Input(results[index]))
      image = Image(uninitialized: Plan.Input(results[index]))
    case .resident:
      throw .unsupported(backend: "fast", what: "results on a device; ask for them in memory")
    }
    let bytesPerRow = image.bytesPerRow
    try image.withUnsafeMutableBytes { bytes throws(BackendError) in
      rows.append(RowsInMemory(place: PixelPlace(bytes.baseAddress, bytesPerRow: bytesPerRow)))
      try withOutputs(results, goes, &rows, body)
    }
    try outputs[index].deliver(image, cancellation)
  }
}

extension PixelMemory {
  var place: PixelPlace { PixelPlace(bytes.baseAddress, bytesPerRow: bytesPerRow) }
}

extension MutablePixelMemory {
  var place: PixelPlace { PixelPlace(bytes.baseAddress, bytesPerRow: bytesPerRow) }
}

/// Rows made as they come, and handed on as they are made: of no image more than some rows need be in
/// memory.
///
/// A Gaussian keeps the small image's last rows and a few of the full size. Chains that need
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
    _ known: CachedPlan, _ flows: [Bool], _ places: UnsafeMutablePointer<PixelPlace>,
    _ engine: RowEngine, _ memory: RowMemory, _ current: CurrentRun
  ) {
    let (plan, lowered, schedule) = (known.parted, known.lowered, known.streamed)
    self.plan = plan
    self.schedule = schedule
    workers = engine.workers
    // To wake other threads takes some ten microseconds. Guarded memory is for tests, of small images.
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
    let none = [ImageRows<Sample>?](repeating: nil, count: lowered.plan.slots.count)
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
