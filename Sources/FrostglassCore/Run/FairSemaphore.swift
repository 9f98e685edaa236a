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
