internal import Frostglass
internal import Synchronization

/// Has the work done: waits for its turn, and no longer than it may.
package struct Run: Sendable {
  /// A worker has the same limit as the work, and better words for it, if it gets to say them.
  private let grace: Duration

  private let worker: any Worker
  private let gate: Gate

  /// - Parameter grace: how long after the limit a worker is stopped that has not ended by itself.
  package init(_ worker: any Worker, _ gate: Gate, grace: Duration = .milliseconds(500)) {
    self.worker = worker
    self.gate = gate
    self.grace = grace
  }

  /// - Parameter waited: told how long the order waited for its turn.
  /// - Throws: `Problem` where there is no place, or no time, or the client leaves.
  package func run(
    _ order: WorkOrder, waited: @escaping @Sendable (Duration) -> Void = { _ in }
  ) async throws(Problem) -> WorkAnswer {
    // Scenes wait for a worker of their own, which is no reason for pictures to wait.
    let isScene = order.operation == Operation.scene.rawValue
    let place = try gate.enter(isScene: isScene)
    let start = ContinuousClock.now
    let limit = Duration.seconds(order.limits.seconds)
    let begun = Begun()
    let answer = await Self.within(limit, begun, grace) { [worker, gate] () -> WorkAnswer? in
      try? await gate.admission(isScene: isScene).run(0) { () async throws(FrostglassError) in
        begun.flag.store(true, ordering: .relaxed)
        waited(start.duration(to: .now))
        var order = order
        order.limits.seconds = max(limit - start.duration(to: .now), .zero) / .seconds(1)
        return await worker.perform(order)
      }
    }
    withExtendedLifetime(place) {}
    // When the service ends, work is stopped whose client is still there.
    if Task.isCancelled, answer.map({ $0.status >= 500 }) ?? true, !gate.isDraining,
      start.duration(to: .now) < limit
    {
      throw Problem(499, "client-left", "the client left before its answer was there")
    }
    // What was stopped here says no more than that.
    let isLate = start.duration(to: .now) >= limit + grace
    guard let answer, !(isLate && answer.status == 503) else {
      throw Problem(
        503, "out-of-time", "the work was not done within \(order.limits.seconds) seconds",
        headers: [Field("Retry-After", "5")])
    }
    return answer
  }

  /// Whether work is at its worker.
  private final class Begun: Sendable {
    let flag = Atomic(false)
  }

  /// Cancels what takes longer, and waits for its end: what waits has nothing to say later than the limit, and
  /// leaves the queue by then. No thread waits for that, as there may be very many who do.
  private static func within<Value: Sendable>(
    _ limit: Duration, _ begun: Begun, _ grace: Duration,
    _ body: @escaping @Sendable () async -> Value
  ) async -> Value {
    let work = Task { await body() }
    let timer = Task {
      try await Task.sleep(for: limit)
      if begun.flag.load(ordering: .relaxed) { try await Task.sleep(for: grace) }
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
