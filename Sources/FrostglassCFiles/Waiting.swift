internal import CFrostglass
internal import FrostglassC
internal import FrostglassCore
internal import Glibc

/// Work of other threads, for which a C caller's thread waits.
///
/// A forked process has only the thread that forked it. If its parent may have begun such work, the work is
/// refused instead of waited for forever.
enum Waiting {
  /// The first process that asked for such work.
  private static let home = getpid()

  /// The reason why no work may begin in this process; `nil` if it may.
  static var obstacle: String? {
    getpid() == home
      ? nil
      : "this process was forked from one that has used files or a GPU, and has not its threads"
  }

  /// - Throws: an error in a process that was forked from one that has done such work.
  static func check() throws {
    if let obstacle {
      throw Failure(FG_UNAVAILABLE, "\(obstacle); use them in the parent, or start a program")
    }
  }

  /// Waits for work on Swift's own threads.
  ///
  /// - Parameters:
  ///   - cancellation: cancels the task, from any thread.
  ///   - progress: called in this thread, at least every 50 milliseconds; cancels the task by returning false.
  ///   - body: the work; receives a function to report the share that is done, 0 to 1.
  static func wait<Value: Sendable, Problem: Error>(
    until cancellation: Cancellation? = nil, telling progress: ((Double) -> Bool)? = nil,
    for body:
      @escaping @Sendable (_ tell: @escaping @Sendable (Double) -> Void) async throws(Problem)
      -> Value
  ) throws(Problem) -> Value {
    let state = Monitor(WorkState<Result<Value, Problem>>())
    let task = Task.detached {
      let value = await Result { () async throws(Problem) in
        try await body { done in state.change { $0.done = max($0.done, done) } }
      }
      state.change { $0.value = value }
    }
    cancellation?.onCancel { task.cancel() }
    var isTelling = progress != nil
    func tell(_ done: Double) {
      guard isTelling, done < 1, let progress, !progress(done) else { return }
      task.cancel()
      isTelling = false
    }
    var told = 0.0
    while true {
      tell(told)
      let known = told
      _ = state.wait(upTo: .now + .milliseconds(isTelling ? 50 : 60_000)) {
        $0.value != nil || $0.done > known && $0.done < 1
      }
      let (value, done) = state.withLock { ($0.value, $0.done) }
      if let value { return try value.get() }
      told = done
    }
  }
}

/// The state of work that a caller waits for.
private struct WorkState<Value: Sendable>: Sendable {
  var value: Value?
  var done = 0.0
}
