internal import Frostglass
internal import Synchronization

/// Has the work done: waits for its turn, and no longer than it may.
package struct Run: Sendable {
  /// A worker has the same limit as the work, and better words for it, if it gets to say them.
  private let grace: Duration

  private let worker: any Worker
  private let gate: AdmissionQueue

  /// - Parameter grace: the time after the limit at which a worker that still runs is stopped.
  package init(_ worker: any Worker, _ gate: AdmissionQueue, grace: Duration = .milliseconds(500)) {
    self.worker = worker
    self.gate = gate
    self.grace = grace
  }

  /// - Parameters:
  ///   - client: the client that asks; the queue is fair between clients.
  ///   - waited: called with the time that the order waited for its turn.
  /// - Throws: `Problem` where there is no place, or no time, or the client leaves.
  package func run(
    _ order: WorkOrder, for client: String = "",
    waited: @escaping @Sendable (Duration) -> Void = { _ in }
  ) async throws(Problem) -> WorkAnswer {
    let turn = Waiter(order, client)
    let start = ContinuousClock.now
    let limit = Duration.seconds(order.limits.seconds)
    let result = await Self.within(limit, turn, grace) {
      [self] () -> Result<WorkAnswer?, Problem> in
      do throws(Problem) { return .success(try await work(turn, until: start + limit)) } catch {
        return .failure(error)
      }
    }
    waited(turn.waited)
    let answer = try result.get()
    // At shutdown, work is stopped while its client still waits.
    if Task.isCancelled, answer.map({ $0.status >= 500 }) ?? true, !gate.isDraining,
      start.duration(to: .now) < limit
    {
      throw Problem(499, "client-left", "the client left before its answer was there")
    }
    // Work stopped by its limit answers 503 without details.
    let isLate = start.duration(to: .now) >= limit + grace
    // Work that takes too long without waiting would do so again.
    let retry = turn.waited > limit / 2 ? [Field("Retry-After", "5")] : []
    guard var answer, !(isLate && answer.status == 503) else {
      throw Problem(
        503, "out-of-time", "the work was not done within \(order.limits.seconds) seconds",
        headers: retry)
    }
    if answer.status == 503 { answer.fields += retry }
    return answer
  }

  /// Waits for a place and works there; for another one where the work turns out to be heavy.
  ///
  /// - Returns: `nil` where the task was cancelled while it waited.
  private func work(
    _ turn: Waiter, until end: ContinuousClock.Instant
  ) async throws(Problem) -> WorkAnswer? {
    var order = turn.order
    // Scenes have their own worker, and do not delay images.
    var kind: AdmissionQueue.Kind = order.operation == Operation.scene.rawValue ? .scene : .light
    var work = order.limits.lightWork ?? 1
    while true {
      turn.begun.store(false, ordering: .relaxed)
      let start = ContinuousClock.now
      let place = try await gate.enter(
        kind, for: turn.client, work: work, isAccepted: kind == .heavy)
      turn.waited += start.duration(to: .now)
      guard let place else { return nil }
      turn.begun.store(true, ordering: .relaxed)
      order.limits.seconds = max(ContinuousClock.now.duration(to: end), .zero) / .seconds(1)
      let answer = await worker.perform(order)
      withExtendedLifetime(place) {}
      guard let heavy = answer.putOff, kind == .light else { return answer }
      // Workers are untrusted: limit their estimate.
      work = min(max(heavy, 0), order.limits.maxWork ?? 3600)
      kind = .heavy
      order.limits.lightWork = nil
    }
  }

  /// An order on its way through the queue.
  private final class Waiter: Sendable {
    let order: WorkOrder
    let client: String
    /// True while it is at a worker.
    let begun = Atomic(false)
    private let time = Mutex(Duration.zero)

    init(_ order: WorkOrder, _ client: String) {
      self.order = order
      self.client = client
    }

    var waited: Duration {
      get { time.withLock { $0 } }
      set { time.withLock { $0 = newValue } }
    }
  }

  /// Cancels what takes longer, and waits for its end: what waits has nothing to say later than the limit, and
  /// leaves the queue by then. No thread waits for that, as there may be very many who do.
  private static func within<Value: Sendable>(
    _ limit: Duration, _ turn: Waiter, _ grace: Duration,
    _ body: @escaping @Sendable () async -> Value
  ) async -> Value {
    let work = Task { await body() }
    let timer = Task {
      try await Task.sleep(for: limit)
      if turn.begun.load(ordering: .relaxed) { try await Task.sleep(for: grace) }
      work.cancel()
    }
    defer { timer.cancel() }
    return await withTaskCancellationHandler {
      await work.value
    } onCancel: {
      work.cancel()
    }
  }
}
