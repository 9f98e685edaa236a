internal import CKernels
internal import FrostglassCore
internal import Glibc
internal import Synchronization

/// A plan prepared for runs: the programs that compute rows, their order, and their memory.
///
/// Whole images are computed in strips, one per thread at a time. Streamed rows are computed as they
/// arrive, and delivered as they are made. One run follows another; each has the
/// bytes of the whole image computed at once.
///
/// Not checked, as what programs read and write is behind pointers: a run holds `turnstile`.
final class Executor: @unchecked Sendable {
  let known: CachedPlan
  /// For each input, then each result, true if its rows come or go one after another.
  let flows: [Bool]
  /// Bytes of its rows.
  let bytes: Int
  /// Bytes that passes take besides while it runs.
  let bytesBeside: Int
  /// The reason why it cannot run; `nil` where there is memory for its rows.
  private let shortage: BackendError?
  private let plan: Plan
  private let shapes: [(rows: Int, rowBytes: Int)]
  /// The places of inputs, then those of results.
  private let places: UnsafeMutablePointer<PixelPlace>
  private let memory: [RowMemory]
  private let current: CurrentRun
  private let work: Work
  private let turnstile = Mutex<Void>(())
  private let workers: Workers
  /// Room for inputs and results that come and go as rows, or are made elsewhere; made when they first do.
  private var kept: [UnsafeMutableRawPointer?]

  /// A way to make the results.
  private enum Work {
    case strips(StripStages)
    case stream(RowStream)
  }

  /// - Parameters:
  ///   - known: of a valid plan.
  ///   - flows: for each input, then each result, true if its rows come or go; of inputs at most
  ///     `plan.streamedInput`.
  init(_ known: CachedPlan, flows: [Bool], on engine: RowEngine) {
    self.known = known
    self.flows = flows
    plan = known.parted
    shapes = plan.rowShapes
    workers = engine.workers
    places = UnsafeMutablePointer.allocate(capacity: flows.count)
    places.initialize(repeating: PixelPlace(), count: flows.count)
    kept = [UnsafeMutableRawPointer?](repeating: nil, count: flows.count)
    let current = CurrentRun()
    self.current = current
    let memory: [RowMemory]
    if flows.contains(true) {
      memory = [engine.newMemory()]
      work = .stream(RowStream(known, flows, places, engine, memory[0], current))
      bytesBeside = memory[0].noted
    } else {
      var strips = StripStages(known, places, engine, current)
      memory = strips.memory
      bytesBeside = strips.bytesBeside
      if memory.contains(where: { $0.shortage != nil }) { strips.removeAll() }
      work = .strips(strips)
    }
    bytes = memory.reduce(0) { $0 + $1.byteCount }
    shortage = memory.lazy.compactMap(\.shortage).first
    self.memory = shortage == nil ? memory : []
  }

  deinit {
    for place in kept { free(place) }
    places.deallocate()
  }

  /// True if there is memory for its rows.
  var canRun: Bool { shortage == nil }

  /// - Throws: `BackendError.failed` where there was no memory for the rows.
  func check() throws(BackendError) { if let shortage { throw shortage } }

  /// Runs the plan in this thread and the workers'; others wait until it has.
  ///
  /// - Parameters:
  ///   - rows: of all inputs, then of all results. Where `flows` says nothing of it, rows may come and go,
  ///     too: all of them before and after.
  ///   - progress: told how much of whole images is done.
  func run(
    _ rows: [any RowIO], _ cancellation: Cancellation?, _ progress: ((Double) -> Void)? = nil
  ) throws(BackendError) {
    try turnstile.withLock { _ throws(BackendError) in
      for (index, rows) in rows.enumerated() {
        if let place = rows.place { places[index] = place }
      }
      switch work {
      case .stream(let stream):
        current.begin(cancellation)
        defer { current.end() }
        try stream.run(rows, cancellation)
      case .strips(let strips):
        try gather(rows, cancellation)
        try run(strips, cancellation, progress)
        try cancellation?.check()
        try handOver(rows, cancellation)
      }
    }
  }

  /// Computes one frame of a plan with one input and one result, whose rows are in memory, without
  /// allocating.
  func run(
    _ frame: PixelMemory, into result: MutablePixelMemory, _ cancellation: Cancellation?
  ) throws(BackendError) {
    guard case .strips(let strips) = work else { return }
    try turnstile.withLock { _ throws(BackendError) in
      (places[0], places[1]) = (frame.place, result.place)
      try run(strips, cancellation, nil)
    }
  }

  private func run(
    _ strips: StripStages, _ cancellation: Cancellation?, _ progress: ((Double) -> Void)?
  ) throws(BackendError) {
    let index = plan.inputs.count
    let target = places[index]
    let isAside = !strips.canWriteIntoInputs && plan.isInPlace({ places[$0] }, target)
    if isAside { places[index] = try keep(index) }
    current.begin(cancellation, progress)
    strips.run(workers, isAside: isAside, progress.map { _ in current.tell })
    if isAside {
      let made = OutputRows(plan.result, at: places + index).fixed
      places[index] = target
      if !current.isCancelled { strips.put(made, workers) }
    }
    current.end()
  }

  /// Has all rows come that are not in memory.
  private func gather(
    _ rows: [any RowIO], _ cancellation: Cancellation?
  ) throws(BackendError) {
    for (index, rows) in rows.enumerated() where rows.place == nil {
      places[index] = try keep(index)
      guard index < plan.inputs.count else { continue }
      try forSomeRows(of: index) { ring, some throws(BackendError) in
        try cancellation?.check()
        try ring.read(some, from: rows, cancellation)
      }
    }
  }

  /// Has all rows go that do not stay in memory.
  private func handOver(
    _ rows: [any RowIO], _ cancellation: Cancellation?
  ) throws(BackendError) {
    for index in plan.inputs.count..<rows.count where rows[index].place == nil {
      try forSomeRows(of: index) { ring, some throws(BackendError) in
        try cancellation?.check()
        try ring.write(some, to: rows[index], cancellation)
      }
    }
  }

  /// Calls `body` with some of an image's rows after others: few enough that who cancels waits for
  /// nothing.
  private func forSomeRows(
    of index: Int, _ body: (KeptRows, Range<Int>) throws(BackendError) -> Void
  ) throws(BackendError) {
    let shape = shapes[index]
    let ring = KeptRows(place: places[index], capacity: shape.rows, rowBytes: shape.rowBytes)
    for first in stride(from: 0, to: shape.rows, by: 16) {
      try body(ring, first..<min(first + 16, shape.rows))
    }
  }

  /// Memory for an image, the same from frame to frame.
  private func keep(_ index: Int) throws(BackendError) -> PixelPlace {
    let (rows, rowBytes) = shapes[index]
    guard let memory = kept[index] ?? aligned_alloc(64, (rows * rowBytes + 63) & ~63) else {
      throw .noRows(rows * rowBytes)
    }
    kept[index] = memory
    return PixelPlace(memory, bytesPerRow: rowBytes)
  }
}

/// Executors that wait for their plan to be run again.
struct IdleExecutors: Sendable {
  private var executors: [Executor] = []

  /// At most so many wait, and all but the last one have at most so many bytes.
  private static let most = (count: 8, bytes: 16 << 20)

  /// Returns the known facts of a plan that one of them runs.
  func known(_ plan: Plan) -> CachedPlan? { executors.last { $0.known.plan == plan }?.known }

  /// Takes one out that runs a plan in the same way; where there is none, others make room for a new one.
  ///
  /// - Returns: also those that are to go, not to be let go of under a lock.
  mutating func take(_ known: CachedPlan, flows: [Bool]) -> (found: Executor?, gone: [Executor]) {
    if let index = executors.lastIndex(where: { $0.known === known && $0.flows == flows }) {
      return (executors.remove(at: index), [])
    }
    var gone: [Executor] = []
    while executors.reduce(0, { $0 + $1.bytes }) > Self.most.bytes {
      gone.append(executors.removeFirst())
    }
    return (nil, gone)
  }

  /// Puts one back.
  ///
  /// - Returns: one that is to go, not to be let go of under a lock.
  mutating func put(_ executor: Executor) -> Executor? {
    executors.append(executor)
    return executors.count > Self.most.count ? executors.removeFirst() : nil
  }
}

/// Runs plans row by row, and keeps threads between them, and the memory of whole images.
final class RowEngine: Sendable {
  let kernels: fgk_row_kernels
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
  private let last = Mutex<CachedPlan?>(nil)

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
  func known(_ plan: Plan) -> CachedPlan? {
    last.withLock { $0 }.flatMap { $0.plan == plan ? $0 : nil }
      ?? idle.withLock { $0.known(plan) }
  }

  /// Finds out about a plan.
  func made(_ plan: Plan) -> CachedPlan {
    CachedPlan(plan, strips: workers.count, usesReference: usesReference)
  }

  /// Takes note of a plan, as the next one is often the same.
  ///
  /// - Parameter plan: a valid one.
  func learn(_ plan: Plan) -> CachedPlan {
    let known = made(plan)
    last.withLock { $0 = known }
    return known
  }

  /// Runs a plan in this thread and the workers'.
  ///
  /// Inputs in rows are computed as they come, if the plan reads them once; outputs in rows likewise.
  /// Everything else is computed in strips.
  func run(_ known: CachedPlan, _ io: PixelIO) throws(BackendError) {
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
  func memory(of known: CachedPlan, byRows: Bool) -> Int {
    let plan = known.parted
    let executor = executor(
      known,
      flows: plan.inputs.indices.map { byRows && $0 == plan.streamedInput }
        + plan.results.map { _ in byRows })
    // A cached plan has been validated.
    if last.withLock({ $0 === known }) { keep(executor) }
    return executor.bytes + executor.bytesBeside
  }

  private func executor(_ known: CachedPlan, flows: [Bool]) -> Executor {
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
