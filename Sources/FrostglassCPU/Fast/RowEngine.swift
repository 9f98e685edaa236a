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
  /// What executors have given back.
  private let spare = SpareMemory()
  private let idle = Mutex(IdleExecutors())
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

  /// Memory of an executor.
  func newMemory() -> RowMemory { RowMemory(guardedWith: fill, from: spare, limit: limit) }

  /// What is known of a plan; `nil` unless it was learned last, or is kept ready.
  func known(_ plan: Plan) -> KnownPlan? {
    last.withLock { $0 }.flatMap { $0.plan == plan ? $0 : nil }
      ?? idle.withLock { $0.known(plan) }
  }

  /// Finds out about a plan.
  func made(_ plan: Plan) -> KnownPlan {
    KnownPlan(plan, strips: workers.count, usesReference: usesReference)
  }

  /// Takes note of a plan, as the next one is often the same.
  ///
  /// - Parameter plan: a valid one.
  func learn(_ plan: Plan) -> KnownPlan {
    let known = made(plan)
    last.withLock { $0 = known }
    return known
  }

  /// Runs a plan in this thread and the workers'.
  ///
  /// What comes as rows is computed as it comes, where the plan reads it once; so is what goes as rows.
  /// Everything else is computed in strips.
  func run(_ known: KnownPlan, _ io: PixelIO) throws(BackendError) {
    try withRows(of: known.parted, io) { rows, source, targets in
      defer { source?.end() }
      do throws(BackendError) {
        guard source == nil, !targets.contains(where: \.isSink) else {
          let executor = bands(known, comes: source != nil, go: targets.map(\.isSink))
          return .success(try run(executor, rows, source, targets, io))
        }
        return .success(try run(strips(known), rows, nil, targets, io))
      } catch { return .failure(error) }
    }
  }

  /// Runs a plan that is ready for frames in this thread and the workers'.
  func run(_ executor: StripExecutor, _ io: PixelIO) throws(BackendError) {
    try withRows(of: executor.known.parted, io) { rows, source, targets in
      defer { source?.end() }
      do throws(BackendError) {
        return .success(try executor.run(rows, source, targets, io.cancellation, io.progress))
      } catch { return .failure(error) }
    }
  }

  /// Bytes that a run takes beside its inputs and results: those of what will run it.
  ///
  /// - Parameter byRows: whether rows come and go.
  func memory(of known: KnownPlan, byRows: Bool) -> Int {
    let executor: any Executor =
      byRows
      ? bands(known, comes: true, go: known.parted.results.map { _ in true }) : strips(known)
    // A plan that is kept is taken for well formed.
    if last.withLock({ $0 === known }) { keep(executor) }
    return executor.bytes + executor.bytesBeside
  }

  private func strips(_ known: KnownPlan) -> StripExecutor {
    idle.withLock { $0.take(known) { _ in true } }.found ?? StripExecutor(known, on: self)
  }

  private func bands(_ known: KnownPlan, comes: Bool, go: [Bool]) -> BandExecutor {
    idle.withLock { $0.take(known) { $0.comes == comes && $0.go == go } }.found
      ?? BandExecutor(known, comes: comes, go: go, on: self)
  }

  private func keep(_ executor: any Executor) {
    // Guarded memory is filled anew for each run, and pages that cannot be touched are few in a process.
    guard executor.shortage == nil, fill == nil else { return }
    _ = idle.withLock { $0.put(executor) }
  }

  private func run(
    _ executor: any Executor, _ inputs: [InputRows?], _ source: (any RowSource)?,
    _ targets: [RowTarget], _ io: PixelIO
  ) throws(BackendError) {
    try executor.check()
    mostBytes.max(executor.bytes, ordering: .relaxed)
    let cancellation = io.cancellation
    guard let fill else {
      try executor.run(inputs, source, targets, cancellation, nil)
      // What broke off is not kept.
      return keep(executor)
    }
    let outside = RowMemory(guardedWith: fill)
    let copies = zip(targets, executor.known.parted.results).map { target, result in
      target.isSink ? target : .memory(OutputRows(result, in: outside))
    }
    try executor.run(
      inputs.map { $0.map { InputRows(copy: $0, in: outside) } }, source, copies, cancellation, nil)
    for case (.memory(let copy), .memory(let output)) in zip(copies, targets) {
      copy.copy(to: output)
    }
  }

  /// Calls `body` with the rows of all inputs, what brings the rows of one that are not there, and where
  /// the results go.
  private func withRows(
    of plan: Plan, _ io: PixelIO,
    _ body: ([InputRows?], (any RowSource)?, [RowTarget]) -> Result<Void, BackendError>
  ) throws(BackendError) {
    var inputs: [RowInput] = []
    for (index, input) in io.inputs.enumerated() {
      inputs.append(try rowInput(input, index, plan, io.cancellation))
    }
    var targets: [RowTarget] = []
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

  /// Calls `body` with where the results go; images are there once it has ended well.
  private func withTargets(
    _ outputs: [PixelOutput], of plan: Plan, _ targets: inout [RowTarget],
    _ body: ([RowTarget]) -> Result<Void, BackendError>
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
