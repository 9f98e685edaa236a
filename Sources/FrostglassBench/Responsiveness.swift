internal import FrostglassCore
internal import Glibc
internal import Synchronization

/// Measures how well blurs share a machine: how late another task's sleep ends, and how soon a cancelled blur does.
package enum Responsiveness {
  /// The delay of a cancelled blur.
  package struct Cancelled: Sendable {
    /// The filters that ran.
    package var filter: String
    /// The time from the cancellation until the call ended.
    package var ended: Duration
    /// Processor time of this process in half a second after that.
    package var computed: Duration
    /// `nil` where it was done before it was cancelled; else what it threw.
    package var error: String?
  }

  /// Measures how late sleeps of 20 ms end at most while something runs.
  package static func lateness(
    while body: @Sendable () async throws -> Void
  ) async throws -> Duration {
    let worst = Mutex(Duration.zero)
    let isOver = Atomic(false)
    async let sleeping: Void = {
      while !isOver.load(ordering: .relaxed) {
        let start = ContinuousClock.now
        try? await Task.sleep(for: .milliseconds(20))
        let late = start.duration(to: .now) - .milliseconds(20)
        worst.withLock { $0 = max($0, late) }
      }
    }()
    let result: Result<Void, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    isOver.store(true, ordering: .relaxed)
    await sleeping
    try result.get()
    return worst.withLock { $0 }
  }

  /// Cancels something after 300 ms.
  ///
  /// - Parameter filter: names what runs, in the result.
  package static func cancellation(
    of filter: String, _ work: @escaping @Sendable () async throws -> Void
  ) async -> Cancelled {
    let task = Task(operation: work)
    try? await Task.sleep(for: .milliseconds(300))
    let start = ContinuousClock.now
    task.cancel()
    let result = await task.result
    let ended = start.duration(to: .now)
    let used = ProcessorTime.used
    try? await Task.sleep(for: .milliseconds(500))
    let error: String? = if case .failure(let error) = result { "\(error)" } else { nil }
    return Cancelled(
      filter: filter, ended: ended, computed: ProcessorTime.used - used, error: error)
  }
}

/// The processor time of all threads of this process.
enum ProcessorTime {
  /// Since the process began.
  static var used: Duration {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
