internal import CKernels
internal import FrostglassCore
internal import Synchronization

/// Runs plans row by row, and keeps threads between them, and the memory of whole images.
final class RowEngine: Sendable {
  let kernels: fg_row_kernels
  /// True if every pass runs on its reference kernel, which takes floats.
  let usesReference: Bool
  /// The byte that fills guarded memory; `nil` if memory is not guarded.
  let fill: UInt8?
  let workers: Workers
  /// Bytes that a worker's rows may take; less than the machine has in tests.
  private let limit: Int
  /// The memory that executors have returned.
  private let spare = SpareMemory()
  private let idle = Mutex(IdleExecutors())
  /// The most bytes of rows that a run has taken.
  let mostBytes = Atomic(0)
  /// The facts of the latest plan.
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

  /// Returns the facts of a plan; `nil` unless it is the latest or is kept ready.
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
    let plan = known.parted
    try io.withRows(of: plan.inputs, plan.results, comes: plan.streamedInput, goes: true) {
      rows throws(BackendError) in
      let executor = executor(known, flows: rows.map { $0.place == nil })
      try executor.check()
      mostBytes.max(executor.bytes, ordering: .relaxed)
      if let fill {
        try run(executor, copying: rows, guardedWith: fill, io.cancellation)
      } else {
        try executor.run(rows, io.cancellation)
        // Failed executors are not kept.
        keep(executor)
      }
    }
  }

  /// An executor that makes whole images, whether or not their rows come and go: one that waits, as finding out
  /// how much memory a plan takes leaves it, or a new one.
  func wholeExecutor(_ plan: Plan) -> Executor {
    let known = known(plan) ?? made(plan)
    return executor(known, flows: known.parted.rowShapes.map { _ in false })
  }

  /// Bytes that a run takes in addition to inputs and results: those of its executor.
  ///
  /// - Parameter byRows: true if rows come and go.
  func memory(of known: KnownPlan, byRows: Bool) -> Int {
    let plan = known.parted
    let executor = executor(
      known,
      flows: plan.inputs.indices.map { byRows && $0 == plan.streamedInput }
        + plan.results.map { _ in byRows })
    // A cached plan has been validated.
    if last.withLock({ $0 === known }) { keep(executor) }
    return executor.bytes + executor.bytesBeside
  }

  private func executor(_ known: KnownPlan, flows: [Bool]) -> Executor {
    idle.withLock { $0.take(known, flows: flows) }.found
      ?? Executor(known, flows: flows, on: self)
  }

  private func keep(_ executor: Executor) {
    // Guarded memory is filled anew for each run, and pages that cannot be touched are few in a process.
    guard executor.canRun, fill == nil else { return }
    _ = idle.withLock { $0.put(executor) }
  }

  /// Runs a plan on guarded copies of all rows that are in memory.
  private func run(
    _ executor: Executor, copying rows: [any RowIO], guardedWith fill: UInt8,
    _ cancellation: Cancellation?
  ) throws(BackendError) {
    let outside = RowMemory(guardedWith: fill)
    let shapes = executor.known.parted.rowShapes
    let inputs = executor.known.parted.inputs.count
    let copies = zip(rows, shapes).map { rows, shape in
      rows.place.map { _ in PixelPlace(rows: shape.rows, of: shape.rowBytes, in: outside) }
    }
    for (index, shape) in shapes.enumerated().prefix(inputs) {
      if let from = rows[index].place, let to = copies[index] {
        from.copy(rows: shape.rows, of: shape.rowBytes, to: to)
      }
    }
    try executor.run(
      zip(rows, copies).map { rows, copy in copy.map { RowsInMemory(place: $0) } ?? rows },
      cancellation)
    for (index, shape) in shapes.enumerated().dropFirst(inputs) {
      if let from = copies[index], let to = rows[index].place {
        from.copy(rows: shape.rows, of: shape.rowBytes, to: to)
      }
    }
  }
}
