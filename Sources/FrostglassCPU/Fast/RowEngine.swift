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
  /// Memory that no run is using: per run one for each worker, one for whole pictures, and one for results
  /// that are put in their places later.
  private let idle = Mutex<[[RowMemory]]>([])

  init(
    threads: Int, _ instructions: InstructionSet, usesReference: Bool, guardedWith fill: UInt8?
  ) {
    self.usesReference = usesReference
    self.fill = fill
    workers = Workers(count: threads)
    kernels = instructions.kernels
  }

  /// Runs a plan in this thread and the workers'.
  ///
  /// What comes as rows is computed as it comes, where the plan reads it once; so is what goes as rows.
  /// Everything else is computed in strips.
  ///
  /// - Parameter frames: has the plan ready; `nil` makes it ready for this run alone.
  func run(_ plan: Plan, _ io: PixelIO, with frames: FrameRows? = nil) throws(BackendError) {
    let plan = usesReference ? plan : plan.fused()
    var inputs: [RowInput] = []
    for (index, input) in io.inputs.enumerated() {
      inputs.append(try rowInput(input, index, plan, io.cancellation))
    }
    var targets: [RowStream.Target] = []
    try withTargets(io.outputs, of: plan, &targets) { targets in
      withRows(of: inputs) { rows, source in
        if let frames { return run(frames, rows, source, targets, io) }
        let outputs = targets.compactMap { target in
          if case .memory(let rows) = target { rows } else { nil }
        }
        // Rows are streamed where one of them comes or goes.
        guard source == nil, outputs.count == targets.count else {
          return stream(plan, rows, source, targets, io.cancellation)
        }
        return whole(plan, rows.compactMap { $0 }, outputs, io.cancellation)
      }
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
    _ plan: Plan, _ inputs: [InputRows?], _ source: (any RowSource)?,
    _ targets: [RowStream.Target], _ cancellation: Cancellation?
  ) -> Result<Void, BackendError> {
    defer { source?.end() }
    do throws(BackendError) {
      try RowStream(plan, on: self, inputs, source, targets, cancellation).run()
      return .success(())
    } catch { return .failure(error) }
  }

  /// Computes whole pictures in strips, on all threads.
  private func whole(
    _ plan: Plan, _ inputs: [InputRows], _ outputs: [OutputRows], _ cancellation: Cancellation?
  ) -> Result<Void, BackendError> {
    withMemory { memory in
      guard let fill else { return run(plan, inputs, outputs, memory, cancellation) }
      let outside = RowMemory(guardedWith: fill)
      let copies = plan.results.map { OutputRows($0, in: outside) }
      run(plan, inputs.map { InputRows(copy: $0, in: outside) }, copies, memory, cancellation)
      for (copy, output) in zip(copies, outputs) { copy.copy(to: output) }
    }
    do throws(BackendError) {
      try cancellation?.check()
      return .success(())
    } catch { return .failure(error) }
  }

  /// Computes all of a plan's results, or what changes of an input that is copied or is where the result
  /// goes.
  private func run(
    _ plan: Plan, _ inputs: [InputRows], _ outputs: [OutputRows], _ memory: [RowMemory],
    _ cancellation: Cancellation?
  ) {
    let isInPlace = plan.isInPlace({ inputs[$0].memory }, outputs[0].memory)
    guard !usesReference, let changed = ChangedParts(plan) else {
      let staged = StagedPlan(plan, strips: workers.count, allowsFixed: !usesReference)
      guard isInPlace, !staged.canWriteIntoInputs else {
        return run(staged, inputs, outputs, memory, cancellation)
      }
      let aside = OutputRows(plan.result, in: memory[workers.count + 1])
      run(staged, inputs, [aside], memory, cancellation)
      return put([aside], to: outputs[0], cancellation)
    }
    let copies = isInPlace ? 0 : changed.copies
    if changed.plans.isEmpty {
      workers.run(copies) { _, piece in changed.copy(inputs, outputs[0], piece: piece) }
    }
    var aside: [OutputRows] = []
    for (index, part) in changed.plans.enumerated() {
      memory[workers.count].reset()
      let isLast = index == changed.plans.count - 1
      let staged = StagedPlan(part, strips: workers.count)
      var target = outputs[0].part(part.result.rect)
      if isInPlace, !isLast || index > 0 || !staged.canWriteIntoInputs {
        target = OutputRows(part.result, in: memory[workers.count + 1])
        aside.append(target)
      }
      run(staged, inputs, [target], memory, cancellation, copies: isLast ? copies : 0) { piece in
        changed.copy(inputs, outputs[0], piece: piece)
      }
    }
    put(aside, to: outputs[0], cancellation)
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
    _ staged: StagedPlan, _ inputs: [InputRows], _ outputs: [OutputRows], _ memory: [RowMemory],
    _ cancellation: Cancellation?, copies: Int = 0, _ copy: (Int) -> Void = { _ in }
  ) {
    switch staged.plan.arithmetic(allowsFixed: !usesReference) {
    case .fixed: run(staged, Int16.self, inputs, outputs, memory, cancellation, copies, copy)
    case .float: run(staged, Float.self, inputs, outputs, memory, cancellation, copies, copy)
    }
  }

  private func run<Sample: RowSample>(
    _ staged: StagedPlan, _ samples: Sample.Type, _ inputs: [InputRows], _ outputs: [OutputRows],
    _ memory: [RowMemory], _ cancellation: Cancellation?, _ copies: Int, _ copy: (Int) -> Void
  ) {
    let plan = staged.plan
    let current = CurrentRun(cancellation)
    var complete = [PictureRows<Sample>?](repeating: nil, count: plan.slots.count)
    for stage in staged.stages {
      if let target = stage.target {
        complete[target] = PictureRows(plan.slots[target], in: memory[workers.count])
      }
      let strips = staged.strips(of: stage)
      let pictures = complete
      workers.run(strips.count + (stage.target == nil ? copies : 0)) { worker, strip in
        guard strip < strips.count else { return copy(strip - strips.count) }
        let tools = RowTools(
          kernels: kernels, usesReference: usesReference, memory: memory[worker],
          current: current)
        tools.memory.reset()
        RowStrip(
          staged, stage, rows: strips[strip], complete: pictures, inputs, outputs, tools
        ).run()
      }
    }
  }

  private func withMemory(_ body: ([RowMemory]) -> Void) {
    let memory =
      idle.withLock { $0.popLast() }
      ?? (0..<workers.count + 2).map { _ in RowMemory(guardedWith: fill) }
    for part in memory { part.reset() }
    body(memory)
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
