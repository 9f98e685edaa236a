internal import CFrostglass
internal import FrostglassC
internal import FrostglassCore
internal import Glibc

/// Work of other threads, for which a thread of C's waits.
///
/// A forked process has only the thread that forked it: where its parent may have begun such work, it is
/// refused, and never waited for.
enum Waiting {
  /// The process that was the first to ask for it.
  private static let home = getpid()

  /// Why nothing may begin here; `nil` where it may.
  static var obstacle: String? {
    getpid() == home
      ? nil
      : "this process was forked from one that has used files or a GPU, and has not its threads"
  }

  /// - Throws: in a process that was forked from one that has done such work.
  static func check() throws(Failure) {
    if let obstacle {
      throw Failure(FG_UNAVAILABLE, "\(obstacle); use them in the parent, or start a program")
    }
  }

  /// Waits for what Swift's own threads do.
  ///
  /// - Parameters:
  ///   - progress: told in this thread; where it asks for the end, the task is cancelled.
  ///   - body: gets what it tells how much is done, 0 to 1.
  static func wait<Value: Sendable>(
    telling progress: Progress? = nil,
    for body: @escaping @Sendable (_ tell: @escaping @Sendable (Double) -> Void) async -> Value
  ) -> Value {
    let state = Monitor(WorkState<Value>())
    let task = Task.detached {
      let value = await body { done in state.change { $0.done = max($0.done, done) } }
      state.change { $0.value = value }
    }
    // At most once each.
    var (told, isTelling) = (0.0, progress != nil)
    if let progress, !progress.tell(0) {
      task.cancel()
      isTelling = false
    }
    while true {
      let (value, done) = state.wait(until: {
        $0.value != nil || isTelling && $0.done > told && $0.done < 1
      }) { ($0.value, $0.done) }
      if let value { return value }
      told = done
      if let progress, !progress.tell(done) {
        task.cancel()
        isTelling = false
      }
    }
  }
}

/// How far such work has come.
private struct WorkState<Value: Sendable>: Sendable {
  var value: Value?
  var done = 0.0
}
