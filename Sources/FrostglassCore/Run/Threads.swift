internal import Glibc
internal import Synchronization

/// Threads for work that computes or waits for long and would block Swift's cooperative pool.
///
/// There are as many threads as run at once. Idle ones wait for the next work, and end with this object. A task that
/// prefers this executor runs its steps there, each on any idle thread.
///
/// Where the system gives no more threads, the caller does the work before it goes on. So all work is done, but in
/// sequence, even where it was meant to run concurrently: most live frames are then dropped, as the newest is looked
/// for when the last is read. Works that wait for each other would then wait forever; they run until they are
/// cancelled, and fail without a thread, unless the caller says that the work waits for no other.
package final class ThreadPool: TaskExecutor {
  /// Something to be done, once.
  package typealias Work = @Sendable () -> Void

  private let queue = Monitor(Queue())
  private let newThread: @Sendable (_ body: @escaping Work) -> Bool

  private struct Queue {
    /// Each for a thread that waits.
    var work: [Work] = []
    /// Threads that wait, those that have been left work for among them.
    var idle = 0
    var ends = false
  }

  /// - Parameter newThread: runs what it is given on a thread of its own, or says that there is none.
  package init(
    newThread: @escaping @Sendable (_ body: @escaping Work) -> Bool = { BackgroundThread.start($0) }
  ) {
    self.newThread = newThread
  }

  deinit { queue.change { $0.ends = true } }

  /// Runs `body` on a thread of its own, and waits for it without one.
  package func run<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<Value, Failure>, Never>) in
      start {
        continuation.resume(returning: Result(catching: body))
      }
    }
    return try result.get()
  }

  /// Runs `body` on a thread of its own, and waits for it without one: no longer than until the work
  /// is cancelled, though `body` then goes on until it notices.
  ///
  /// - Parameters:
  ///   - failure: makes an error from the reason of the cancellation, or from the lack of a thread.
  ///   - mayLeave: asked once it is cancelled; false waits for `body`, whose effects are visible.
  ///   - orHere: true runs it in the caller where there is no thread for it; it then goes on to its end.
  package func run<Value: Sendable, Failure: Error>(
    until cancellation: Cancellation, _ failure: @escaping @Sendable (BackendError) -> Failure,
    mayLeave: @escaping @Sendable () -> Bool = { true }, orHere: Bool = false,
    _ body: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<Value, Failure>, Never>) in
      let first = Answer(continuation)
      let work: Work = { first.give(Result(catching: body)) }
      guard startApart(work) else {
        do throws(BackendError) {
          try cancellation.check()
          guard orHere else {
            throw .interrupted(
              reason: "no thread could be started for it; allow more, or end other programs")
          }
          work()
        } catch { first.give(.failure(failure(error))) }
        return
      }
      // Weak, as the cancellation retains this action.
      cancellation.onCancel { [weak cancellation] in
        guard mayLeave() else { return }
        do throws(BackendError) { try cancellation?.check() } catch {
          first.give(.failure(failure(error)))
        }
      }
    }
    return try result.get()
  }

  /// The first of several answers counts.
  private final class Answer<Value: Sendable, Failure: Error>: Sendable {
    private let waiting: Mutex<CheckedContinuation<Result<Value, Failure>, Never>?>

    init(_ continuation: CheckedContinuation<Result<Value, Failure>, Never>) {
      waiting = Mutex(continuation)
    }

    func give(_ result: Result<Value, Failure>) {
      let continuation = waiting.withLock { waiting in
        defer { waiting = nil }
        return waiting
      }
      continuation?.resume(returning: result)
    }
  }

  /// Runs `body` on a thread of its own without waiting for its end; where there is no thread, in the caller.
  package func start(_ body: @escaping Work) {
    if !startApart(body) { body() }
  }

  /// Runs `body` on a thread of its own, or returns false where there is no thread.
  private func startApart(_ body: @escaping Work) -> Bool {
    // It is left only for a thread that has nothing else to do. A new one begins with it, so that it never
    // lies where the thread of another work takes it, or is missed.
    let isTaken = queue.change { queue in
      guard queue.idle > queue.work.count else { return false }
      queue.work.append(body)
      return true
    }
    if isTaken { return true }
    // Let go of when it is done, which the thread may outlive for long.
    let first = Monitor<Work?>(body)
    return newThread { [queue] in
      if let work = first.withLock({ $0.take() }) { work() }
      while let work = Self.next(queue) { work() }
    }
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    start { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  private static func next(_ queue: Monitor<Queue>) -> Work? {
    queue.withLock { $0.idle += 1 }
    return queue.wait(until: { !$0.work.isEmpty || $0.ends }) { queue in
      queue.idle -= 1
      return queue.work.isEmpty ? nil : queue.work.removeFirst()
    }
  }
}

/// A thread of its own, for what must go on while every thread of the task pool works.
package enum BackgroundThread {
  /// Runs `body` on a thread of its own and does not wait for its end.
  ///
  /// - Returns: true if there is a thread for it; otherwise `body` never runs.
  @discardableResult
  package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    let box = Unmanaged.passRetained(Box(body))
    var thread = pthread_t()
    let status = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
        return nil
      }, box.toOpaque())
    guard status == 0 else {
      box.release()
      return false
    }
    pthread_detach(thread)
    return true
  }

  private final class Box: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}

/// A value that threads and tasks share, and can wait for to change.
///
/// `wait` is for threads that may wait; tasks of Swift's cooperative pool `suspend`.
package final class Monitor<State>: @unchecked Sendable {
  private var state: State
  /// Tasks that wait, each for a condition of its own.
  private var suspended:
    [(holds: @Sendable (State) -> Bool, task: CheckedContinuation<Void, Never>)] = []
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  package init(_ state: sending State) {
    self.state = state
    pthread_mutex_init(mutex, nil)
    // A monotonic clock, which is never adjusted.
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(changed, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    pthread_cond_destroy(changed)
    mutex.deallocate()
    changed.deallocate()
  }

  /// Reads or changes the value, and wakes no waiter.
  package func withLock<Value>(_ body: (inout State) -> Value) -> Value {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&state)
  }

  /// Changes the value, and wakes all threads that wait, and the tasks whose condition it meets.
  package func change<Value>(_ body: (inout State) throws -> Value) rethrows -> Value {
    var ready: [CheckedContinuation<Void, Never>] = []
    // Last, as a resumed task may need the value.
    defer { for task in ready { task.resume() } }
    pthread_mutex_lock(mutex)
    defer {
      suspended.removeAll { waiter in
        guard waiter.holds(state) else { return false }
        ready.append(waiter.task)
        return true
      }
      pthread_cond_broadcast(changed)
      pthread_mutex_unlock(mutex)
    }
    return try body(&state)
  }

  /// Suspends the task until the value is as wanted; another may have changed it again by then.
  package func suspend(until holds: @escaping @Sendable (State) -> Bool) async {
    await withCheckedContinuation { task in
      let isThere = withLock { state in
        if holds(state) { return true }
        suspended.append((holds, task))
        return false
      }
      if isThere { task.resume() }
    }
  }

  /// Waits until the value is as wanted.
  ///
  /// - Parameter body: receives the value before any other thread can change it. Its changes wake no waiter.
  package func wait<Value>(
    until holds: (State) -> Bool, then body: (inout State) -> Value
  ) -> Value {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while !holds(state) { pthread_cond_wait(changed, mutex) }
    return body(&state)
  }

  /// Waits until the value is as wanted, or until it is too late.
  ///
  /// - Returns: true if the value was as wanted; it is looked at once at least.
  package func wait(
    upTo deadline: ContinuousClock.Instant, until holds: (State) -> Bool
  ) -> Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while !holds(state) {
      // Deadlines count time in system sleep, condition variables do not.
      let left = ContinuousClock.now.duration(to: deadline)
      guard left > .zero else { return false }
      var moment = timespec(in: left)
      pthread_cond_timedwait(changed, mutex, &moment)
    }
    return true
  }
}

extension timespec {
  /// Makes the time after a duration by `CLOCK_MONOTONIC`; a thousand years ahead at most.
  fileprivate init(in duration: Duration) {
    self.init()
    clock_gettime(CLOCK_MONOTONIC, &self)
    let (seconds, attoseconds) = duration.components
    let nanoseconds = tv_nsec + Int(attoseconds / 1_000_000_000)
    tv_sec += Int(min(seconds, 31_556_952_000)) + nanoseconds / 1_000_000_000
    tv_nsec = nanoseconds % 1_000_000_000
  }
}

/// Asks a run to stop: at once, or at a certain time.
///
/// Runs look at it for every few rows, tile and submission, and stop within some ten milliseconds
/// with `BackendError.cancelled` or `.deadlineExceeded`. A run whose `Task` is cancelled stops by
/// itself.
///
///     let cancellation = Cancellation(deadline: .now + .seconds(2))
public final class Cancellation: Sendable {
  /// The time when an unfinished run stops; `nil` for never.
  public let deadline: ContinuousClock.Instant?
  private let flag = Atomic(false)
  private let actions = Mutex(Actions())

  /// The actions to run once the run should stop.
  private struct Actions {
    var last = 0
    var due: [(number: Int, action: @Sendable () -> Void)] = []

    mutating func add(_ action: @escaping @Sendable () -> Void) -> Int {
      last += 1
      due.append((last, action))
      return last
    }

    mutating func remove(_ number: Int) { due.removeAll { $0.number == number } }
  }

  /// Not cancelled.
  ///
  /// - Parameter deadline: the time when unfinished work is given up; `nil` for never.
  public init(deadline: ContinuousClock.Instant? = nil) { self.deadline = deadline }

  /// Stops the run.
  public func cancel() {
    flag.store(true, ordering: .relaxed)
    act()
  }

  /// True if the run should stop, for either reason.
  public var isCancelled: Bool {
    flag.load(ordering: .relaxed) || deadline.map { $0 <= .now } ?? false
  }

  /// - Throws: `BackendError.cancelled` or `.deadlineExceeded` where the run should stop.
  public func check() throws(BackendError) {
    if flag.load(ordering: .relaxed) { throw .cancelled }
    if let deadline, deadline <= .now { throw .deadlineExceeded }
  }

  /// Runs an action once the run should stop; at once where it should already.
  ///
  /// At a deadline `whileTaskRuns(actsAtDeadline:_:)` and `whileWaiting(orElse:_:)` run it.
  package func onCancel(_ action: @escaping @Sendable () -> Void) {
    add(action)
  }

  /// - Returns: the number by which it is taken back.
  @discardableResult
  private func add(_ action: @escaping @Sendable () -> Void) -> Int {
    let number = actions.withLock { $0.add(action) }
    if isCancelled { act() }
    return number
  }

  private func act() {
    let due = actions.withLock { actions in
      defer { actions.due = [] }
      return actions.due
    }
    for (_, action) in due { action() }
  }

  /// Runs `body`, and cancels this when the task is cancelled meanwhile.
  ///
  /// - Parameter actsAtDeadline: whether what is to be done once it should stop is also done at the deadline,
  ///   by a thread that waits for it: Swift's own would be late where all of them are busy. Where there is no
  ///   thread to be had, work goes on until it looks.
  package func whileTaskRuns<Value: Sendable, Failure: Error>(
    actsAtDeadline: Bool = false, _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let isOver = deadline.flatMap { actsAtDeadline ? alarm(at: $0) : nil }
    defer { isOver?.change { $0 = true } }
    let result = await withTaskCancellationHandler {
      await Result(body)
    } onCancel: {
      cancel()
    }
    return try result.get()
  }

  /// Runs `body`, which waits for something, and has `end` called once the run should stop or the task is
  /// cancelled: at the deadline too, and at once where that is so already.
  ///
  /// A cancelled task cancels nothing else here, and nothing is kept of what has waited, so that all frames of
  /// a video may have one cancellation.
  ///
  /// - Parameter end: ends the waiting; may be called more than once, by any thread.
  package func whileWaiting<Value: Sendable>(
    orElse end: @escaping @Sendable () -> Void, _ body: () async -> Value
  ) async -> Value {
    let isOver = deadline.map { alarm(at: $0) }
    let number = add(end)
    defer {
      actions.withLock { $0.remove(number) }
      isOver?.change { $0 = true }
    }
    return await withTaskCancellationHandler {
      await body()
    } onCancel: {
      end()
    }
  }

  /// - Returns: a monitor that ends the alarm when it becomes true.
  private func alarm(at deadline: ContinuousClock.Instant) -> Monitor<Bool> {
    let isOver = Monitor(false)
    BackgroundThread.start {
      if !isOver.wait(upTo: deadline, until: { $0 }) { self.act() }
    }
    return isOver
  }
}

extension Result {
  /// The value or the error of what takes its time, as `init(catching:)` for what does not.
  package init(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws(Failure) -> Success
  ) async {
    do throws(Failure) { self = .success(try await body()) } catch { self = .failure(error) }
  }
}

/// A counting semaphore for tasks. It admits a limited number of them, of a limited total weight, in the order of their
/// arrival, and if wanted lets them leave in that order.
///
/// It never admits a later waiter first, so those inside came before all that wait. A waiter that is cancelled or late
/// leaves at once, and those behind it move up.
package final class FairSemaphore: Sendable {
  /// The number of a task at the semaphore, one more than the last one's.
  package typealias Ticket = Int

  private let state: Monitor<State>

  private struct State {
    let places: Int
    let budget: Int
    var nextTicket = 0
    /// Those that have come and not left, in order; the first of them are inside.
    var entries: [(ticket: Ticket, weight: Int)] = []
    var inside = 0
    /// The total weight of those inside.
    var weight = 0
    /// Lower tickets have been let in.
    var firstWaiting = 0
    /// Waiters that were taken away and do not know yet.
    var abandoned: Set<Ticket> = []

    func admits(_ weight: Int) -> Bool {
      inside < places && (inside == 0 || weight <= budget - self.weight)
    }

    mutating func admit() {
      while inside < entries.count, admits(entries[inside].weight) {
        weight += entries[inside].weight
        firstWaiting = entries[inside].ticket + 1
        inside += 1
      }
    }

    mutating func add(_ weight: Int) -> Ticket {
      defer { nextTicket += 1 }
      entries.append((nextTicket, weight))
      admit()
      return nextTicket
    }

    /// - Returns: true if it was there.
    @discardableResult
    mutating func remove(_ ticket: Ticket) -> Bool {
      guard let index = entries.firstIndex(where: { $0.ticket == ticket }) else { return false }
      let entry = entries.remove(at: index)
      if index < inside {
        inside -= 1
        weight -= entry.weight
      }
      admit()
      return true
    }
  }

  /// - Parameters:
  ///   - places: the number that may be inside, 1 or more; taken as 1 below.
  ///   - budget: the largest total weight of those inside; a heavier task is admitted alone.
  package init(_ places: Int, budget: Int = .max) {
    state = Monitor(State(places: max(places, 1), budget: budget))
  }

  /// The number of tickets that are inside.
  package var inside: Int { state.withLock { $0.inside } }
  /// The total weight of those inside.
  package var weight: Int { state.withLock { $0.weight } }
  /// The number of tickets that wait to enter.
  package var waiting: Int { state.withLock { $0.entries.count - $0.inside } }

  /// Enters if there is room, without waiting.
  package func enterNow() -> Ticket? {
    state.withLock { state in
      state.inside == state.entries.count && state.admits(0) ? state.add(0) : nil
    }
  }

  /// Waits for room and enters, also in a cancelled task.
  package func enter() async -> Ticket {
    let ticket = state.change { $0.add(0) }
    await state.suspend { ticket < $0.firstWaiting }
    return ticket
  }

  /// Waits for room and enters.
  ///
  /// - Throws: `BackendError.cancelled` or `.deadlineExceeded` where the run or the task is to stop before there
  ///   is room.
  package func enter(
    _ weight: Int = 0, until cancellation: Cancellation
  ) async throws(BackendError) -> Ticket {
    if Task.isCancelled { throw .cancelled }
    try cancellation.check()
    let ticket = state.change { $0.add(weight) }
    try await wait(ticket, until: cancellation) { ticket < $0.firstWaiting }
    return ticket
  }

  /// Makes room; those that wait longest get it.
  package func leave(_ ticket: Ticket) { state.change { _ = $0.remove(ticket) } }

  /// Waits until those that came before have left, also in a cancelled task.
  package func waitForEarlier(_ ticket: Ticket) async {
    await state.suspend { $0.entries.first?.ticket == ticket }
  }

  /// Waits until so many are left, also in a cancelled task.
  package func drain(to count: Int) async { await state.suspend { $0.entries.count <= count } }

  /// Runs `body` inside.
  package func whileInside<Value: Sendable>(
    until cancellation: Cancellation, _ body: () async throws(BackendError) -> Value
  ) async throws(BackendError) -> Value {
    let now = enterNow()
    let ticket = if let now { now } else { try await enter(until: cancellation) }
    defer { leave(ticket) }
    return try await body()
  }

  /// Runs `body` inside, and returns after those that came before.
  ///
  /// - Parameter cancellation: ends the waiting, before and after, as the end of the task does.
  package func inOrder<Value: Sendable>(
    until cancellation: Cancellation?, _ body: () async throws(BackendError) -> Value
  ) async throws(BackendError) -> Value {
    let cancellation = cancellation ?? Cancellation()
    let ticket = try await enter(until: cancellation)
    defer { leave(ticket) }
    let ran: Result<Value, BackendError> =
      Task.isCancelled ? .failure(.cancelled) : await Result(body)
    try await wait(ticket, until: cancellation) { $0.entries.first?.ticket == ticket }
    return try ran.get()
  }

  /// Waits, and is taken away where it is to stop before the condition holds.
  private func wait(
    _ ticket: Ticket, until cancellation: Cancellation,
    for holds: @escaping @Sendable (State) -> Bool
  ) async throws(BackendError) {
    if state.withLock({ holds($0) }) { return }
    await cancellation.whileWaiting(orElse: { [state] in
      state.change { state in
        if !holds(state), state.remove(ticket) { state.abandoned.insert(ticket) }
      }
    }) {
      await state.suspend { holds($0) || $0.abandoned.contains(ticket) }
    }
    guard state.withLock({ $0.abandoned.remove(ticket) }) != nil else { return }
    try cancellation.check()
    // Only the task was.
    throw .cancelled
  }
}
