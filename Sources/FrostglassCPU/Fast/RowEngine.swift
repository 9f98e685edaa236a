internal import CKernels
internal import FrostglassCore
internal import Synchronization

/// Runs plans row by row, and keeps threads between them, and the memory of whole pictures.
final class RowEngine: Sendable {
  let kernels: fg_row_kernels
  /// Whether every pass runs on its reference kernel, which takes floats.
  let usesReference: Bool
  /// What guarded memory is filled with; `nil` where memory is not guarded.
  let fill: UInt8?
  let workers: Workers
  /// Bytes that a worker's rows may take; less than the machine has in tests.
  private let limit: Int
  /// What plans that were made ready for frames have given back.
  let spare = SpareMemory()
  /// Memory that no run is using: per run one for each worker, one for whole pictures, and one for results
  /// that are put in their places later.
  private let idle = Mutex<[[RowMemory]]>([])
  /// The most bytes of rows that a run has taken.
  let mostBytes = Atomic(0)
  /// What is known of the plan that was learned last.
  private let last = Mutex<KnownPlan?>(nil)

  init(
    threads: Int, _ instructions: InstructionSet, usesReference: Bool, guardedWith fill: UInt8?,
    limit: Int
  ) {
    self.limit = limit
    self.usesReference = usesReference
    self.fill = fill
    workers = Workers(count: threads)
    kernels = instructions.kernels
  }

  /// Memory for a worker, a strip or a stream.
  ///
  /// - Parameter fromSpare: whether large pieces come from what other plans have given back.
  func newMemory(fromSpare: Bool = false) -> RowMemory {
    RowMemory(guardedWith: fill, from: fromSpare ? spare : nil, limit: limit)
  }

  /// What is known of a plan; `nil` unless it is the one that was learned last.
  func known(_ plan: Plan) -> KnownPlan? {
    last.withLock { $0 }.flatMap { $0.plan == plan ? $0 : nil }
  }

  /// Takes note of a plan, as the next one is often the same.
  ///
  /// - Parameter plan: a valid one.
  func learn(_ plan: Plan) -> KnownPlan {
    let known = KnownPlan(plan, strips: workers.count, usesReference: usesReference)
    last.withLock { $0 = known }
    return known
  }

  /// Runs a plan in this thread and the workers'.
  ///
  /// What comes as rows is computed as it comes, where the plan reads it once; so is what goes as rows.
  /// Everything else is computed in strips.
  func run(_ known: KnownPlan, _ io: PixelIO) throws(BackendError) {
    try withRows(of: known.fused, io) { rows, source, targets in
      let outputs = targets.compactMap { target in
        if case .memory(let rows) = target { rows } else { nil }
      }
      // Rows are streamed where one of them comes or goes.
      guard source == nil, outputs.count == targets.count else {
        return stream(known, rows, source, targets, io.cancellation)
      }
      do throws(BackendError) {
        return .success(try whole(known, rows.compactMap { $0 }, outputs, io.cancellation))
      } catch { return .failure(error) }
    }
  }

  /// Runs a plan that is ready for frames in this thread and the workers'.
  func run(_ frames: FrameRows, _ io: PixelIO) throws(BackendError) {
    try withRows(of: frames.plan, io) { rows, source, targets in
      run(frames, rows, source, targets, io)
    }
  }

  /// Calls `body` with the rows of all inputs, what brings the rows of one that are not there, and where
  /// the results go.
  private func withRows(
    of plan: Plan, _ io: PixelIO,
    _ body: ([InputRows?], (any RowSource)?, [RowStream.Target]) -> Result<Void, BackendError>
  ) throws(BackendError) {
    var inputs: [RowInput] = []
    for (index, input) in io.inputs.enumerated() {
      inputs.append(try rowInput(input, index, plan, io.cancellation))
    }
    var targets: [RowStream.Target] = []
    try withTargets(io.outputs, of: plan, &targets) { targets in
      withRows(of: inputs) { rows, source in body(rows, source, targets) }
    }.get()
  }

  /// An input made ready: its rows are there, or come from a source.
  private enum RowInput {
    case image(Image)
    case memory(PixelMemory)
    case source(any RowSource)
  }

  private func rowInput(
    _ input: PixelInput, _ index: Int, _ plan: Plan, _ cancellation: Cancellation?
  ) throws(BackendError) -> RowInput {
    switch input {
    case .image(let image): return .image(image)
    case .memory(let memory): return .memory(memory)
    case .rows(let source) where plan.streamedInput == index: return .source(source)
    case .rows:
      if let image = try input.gathered(plan.inputs[index], cancellation) { return .image(image) }
    case .resident: break
    }
    throw .unsupported(
      backend: "fast", what: "input \(index), which is on a device; download it first")
  }

  private func run(
    _ frames: FrameRows, _ inputs: [InputRows?], _ source: (any RowSource)?,
    _ targets: [RowStream.Target], _ io: PixelIO
  ) -> Result<Void, BackendError> {
    defer { source?.end() }
    do throws(BackendError) {
      return .success(try frames.run(inputs, source, targets, io.cancellation, io.progress))
    } catch { return .failure(error) }
  }

  /// Calls `body` with where the results go; images are there once it has ended well.
  private func withTargets(
    _ outputs: [PixelOutput], of plan: Plan, _ targets: inout [RowStream.Target],
    _ body: ([RowStream.Target]) -> Result<Void, BackendError>
  ) -> Result<Void, BackendError> {
    guard targets.count < outputs.count else { return body(targets) }
    let result = plan.results[targets.count]
    switch outputs[targets.count] {
    case .rows(let sink): targets.append(.sink(sink))
    case .memory(let memory):
      guard let start = memory.bytes.baseAddress else { return .success(()) }
      targets.append(
        .memory(OutputRows(result, bytesPerRow: memory.bytesPerRow, bytes: start)))
    case .image(let output):
      var image = output.room(for: result)
      let bytesPerRow = image.bytesPerRow
      let ran = image.withUnsafeMutableBytes { bytes in
        guard let start = bytes.baseAddress else { return Result<Void, BackendError>.success(()) }
        targets.append(.memory(OutputRows(result, bytesPerRow: bytesPerRow, bytes: start)))
        return withTargets(outputs, of: plan, &targets, body)
      }
      if case .success = ran { output.put(image) }
      return ran
    case .resident:
      return .failure(
        .unsupported(backend: "fast", what: "results on a device; ask for them in memory"))
    }
    return withTargets(outputs, of: plan, &targets, body)
  }

  private func stream(
    _ known: KnownPlan, _ inputs: [InputRows?], _ source: (any RowSource)?,
    _ targets: [RowStream.Target], _ cancellation: Cancellation?
  ) -> Result<Void, BackendError> {
    defer { source?.end() }
    do throws(BackendError) {
      try RowStream(known, on: self, inputs, source, targets, cancellation).run()
      return .success(())
    } catch { return .failure(error) }
  }

  /// Computes whole pictures in strips, on all threads.
  private func whole(
    _ known: KnownPlan, _ inputs: [InputRows], _ outputs: [OutputRows],
    _ cancellation: Cancellation?
  ) throws(BackendError) {
    try withMemory { memory throws(BackendError) in
      guard let fill else { return try run(known, inputs, outputs, memory, cancellation) }
      let outside = RowMemory(guardedWith: fill)
      let copies = known.fused.results.map { OutputRows($0, in: outside) }
      try run(
        known, inputs.map { InputRows(copy: $0, in: outside) }, copies, memory, cancellation)
      for (copy, output) in zip(copies, outputs) { copy.copy(to: output) }
    }
    try cancellation?.check()
  }

  /// Bytes that whole pictures of a plan take beside inputs and results.
  func memory(of known: KnownPlan) -> Int {
    let parts = bytes(of: known)
    return (parts.map(\.pictures).max() ?? 0)
      + (parts.map { $0.strip * workers.count + $0.beside }.max() ?? 0)
  }

  private func bytes(of known: KnownPlan) -> [PartBytes] {
    known.bytes { part in
      RowFrames.bytes(of: part, self, inputs: known.fused.inputs, results: known.fused.results)
    }
  }

  /// Computes all of a plan's results, or what changes of an input that is copied or is where the result
  /// goes.
  private func run(
    _ known: KnownPlan, _ inputs: [InputRows], _ outputs: [OutputRows],
    _ memory: [RowMemory], _ cancellation: Cancellation?
  ) throws(BackendError) {
    let isInPlace = known.fused.isInPlace({ inputs[$0].memory }, outputs[0].memory)
    let stages = known.stages
    let isAside = isInPlace && !stages.canWriteIntoInputs
    let copies = isInPlace ? 0 : stages.changed?.copies ?? 0
    let copy = { (piece: Int) in stages.changed?.copy(inputs, outputs[0], piece: piece) ?? () }
    if stages.parts.isEmpty { workers.run(copies) { _, piece in copy(piece) } }
    var aside: [OutputRows] = []
    for (index, (part, bytes)) in zip(stages.parts, self.bytes(of: known)).enumerated() {
      for worker in memory[..<workers.count] { worker.reset(reserving: bytes.strip) }
      memory[workers.count].reset(reserving: bytes.pictures)
      var targets = outputs
      if isAside {
        targets = [OutputRows(part.plan.result, in: memory[workers.count + 1])]
        aside += targets
      } else if stages.changed != nil {
        targets = [outputs[0].part(part.plan.result.rect)]
      }
      try check(memory)
      let isLast = index == stages.parts.count - 1
      try run(part, inputs, targets, memory, cancellation, copies: isLast ? copies : 0, copy)
    }
    put(aside, to: outputs[0], cancellation)
  }

  /// Before anything is run in it.
  private func check(_ memory: [RowMemory]) throws(BackendError) {
    for part in memory { if let shortage = part.shortage { throw shortage } }
  }

  /// Copies parts of a result that were made elsewhere.
  private func put(
    _ parts: [OutputRows], to output: OutputRows, _ cancellation: Cancellation?
  ) {
    if cancellation?.isCancelled ?? false { return }
    workers.run(parts.count * workers.count) { _, task in
      let part = parts[task / workers.count]
      part.copy(part.rect, to: output, piece: task % workers.count, of: workers.count)
    }
  }

  /// - Parameters:
  ///   - copies: so many pieces are copied beside the last strips, or after them.
  private func run(
    _ part: PictureStages.Part, _ inputs: [InputRows], _ outputs: [OutputRows],
    _ memory: [RowMemory], _ cancellation: Cancellation?, copies: Int = 0,
    _ copy: (Int) -> Void = { _ in }
  ) throws(BackendError) {
    switch part.lowered.arithmetic {
    case .fixed: try run(part, Int16.self, inputs, outputs, memory, cancellation, copies, copy)
    case .float: try run(part, Float.self, inputs, outputs, memory, cancellation, copies, copy)
    }
  }

  private func run<Sample: RowSample>(
    _ part: PictureStages.Part, _ samples: Sample.Type, _ inputs: [InputRows],
    _ outputs: [OutputRows], _ memory: [RowMemory], _ cancellation: Cancellation?, _ copies: Int,
    _ copy: (Int) -> Void
  ) throws(BackendError) {
    let current = CurrentRun(cancellation)
    var complete = [PictureRows<Sample>?](repeating: nil, count: part.plan.slots.count)
    for stage in part.stages {
      if let target = stage.target {
        complete[target] = PictureRows(part.plan.slots[target], in: memory[workers.count])
        try check(memory)
      }
      let (strips, pictures, isLast) = (stage.strips.count, complete, stage.target == nil)
      workers.run(strips + (isLast ? copies : 0), continues: !isLast) { worker, strip in
        guard strip < strips else { return copy(strip - strips) }
        let tools = RowTools(
          kernels: kernels, usesReference: usesReference, memory: memory[worker],
          current: current)
        tools.memory.reset()
        RowStrip(
          part.lowered, stage.schedule(of: strip), complete: pictures, inputs, outputs, tools
        ).run()
      }
      try check(memory)
    }
  }

  private func withMemory(
    _ body: ([RowMemory]) throws(BackendError) -> Void
  ) throws(BackendError) {
    let memory =
      idle.withLock { $0.popLast() }
      ?? (0..<workers.count + 2).map { _ in newMemory() }
    for part in memory { part.reset() }
    // What ran short is not kept.
    try body(memory)
    mostBytes.max(memory.reduce(0) { $0 + $1.byteCount }, ordering: .relaxed)
    // Pages that cannot be touched are few in a process.
    if fill != nil { for part in memory { part.reset() } }
    idle.withLock { $0.append(memory) }
  }

  /// Calls `body` with the rows of all inputs, and what brings the rows of one that are not there.
  private func withRows(
    of inputs: [RowInput],
    _ body: ([InputRows?], (any RowSource)?) -> Result<Void, BackendError>
  ) -> Result<Void, BackendError> {
    var rows: [InputRows?] = []
    rows.reserveCapacity(inputs.count)
    return withRows(of: inputs, &rows, nil, body)
  }

  private func withRows(
    of inputs: [RowInput], _ rows: inout [InputRows?], _ source: (any RowSource)?,
    _ body: ([InputRows?], (any RowSource)?) -> Result<Void, BackendError>
  ) -> Result<Void, BackendError> {
    guard rows.count < inputs.count else { return body(rows, source) }
    switch inputs[rows.count] {
    case .image(let image):
      return image.withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress else { return .success(()) }
        rows.append(InputRows(image, start))
        return withRows(of: inputs, &rows, source, body)
      }
    case .memory(let memory):
      guard let start = memory.bytes.baseAddress else { return .success(()) }
      let (size, format) = (memory.description.size, memory.description.format)
      rows.append(
        InputRows(
          format: format, width: size.width, height: size.height, capacity: size.height,
          bytesPerRow: memory.bytesPerRow, bytes: start))
      return withRows(of: inputs, &rows, source, body)
    case .source(let source):
      // The stream makes room for them.
      rows.append(nil)
      return withRows(of: inputs, &rows, source, body)
    }
  }
}

extension Plan {
  /// The input whose rows can be computed as they come: the only one, or one of several that is read in
  /// one way. Others may be read again later, as in a scene that shows a picture twice.
  var streamedInput: Int? {
    inputs.indices.first { index in
      steps.count { step in
        if case .load(let load) = step.pass { load.input == index } else { false }
      } <= 1
    }
  }
}
