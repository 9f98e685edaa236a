internal import CKernels
internal import FrostglassCore
internal import Glibc
internal import Synchronization

/// Threads that wait for work, so that starting it on all cores takes microseconds.
///
/// The calling thread is one of them. The others are started with the first work and end with
/// this object.
package final class Workers: Sendable {
  /// The number of threads that work at once, the caller's among them.
  package let count: Int
  private let board: Monitor<Board>
  /// Held by the caller whose tasks are done.
  private let turnstile = Mutex<Void>(())
  private let hasThreads = Atomic(false)

  /// The state that the threads share. They hold on to it and not to `Workers`, so that they end with `Workers`.
  private struct Board {
    var work: Work?
    var tasks = 0
    var next = 0
    var running = 0
    /// True if more work comes as soon as this is done.
    var continues = false
    var ends = false
    /// The threads besides the caller's.
    var sleepers: [fgk_sleeper]

    /// To be called before the other of two threads is woken. Where there are more, there are processors
    /// enough for the system to look for an idle one, and each would take system calls of its own.
    mutating func wakeElsewhere() {
      if sleepers.count == 1 { fgk_wake_elsewhere(&sleepers[0]) }
    }
  }

  /// The function to run for each task. A structure keeps the function as it is; a generic value would be wrapped in
  /// new memory each time it is passed on.
  private struct Work {
    let body: (_ worker: Int, _ task: Int) -> Void
  }

  /// A task that a thread has taken.
  private struct Task {
    let work: Work
    let number: Int
  }

  package init(count: Int) {
    self.count = max(count, 1)
    board = Monitor(Board(sleepers: Array(repeating: fgk_sleeper(), count: max(count, 1) - 1)))
  }

  deinit { board.change { $0.ends = true } }

  /// Calls `body` once for each task, on as many threads as there are, and returns when all are
  /// done. A second caller waits for the first.
  ///
  /// - Parameters:
  ///   - goesAlone: true if a second caller does its tasks itself instead of waiting.
  ///   - continues: true if the caller has more work as soon as this is done, so that threads look out for
  ///     it a moment before they sleep.
  ///   - body: gets the number of its thread, 0..<count, and the task's.
  package func run(
    _ tasks: Int, orAlone goesAlone: Bool = false, continues: Bool = false,
    _ body: (_ worker: Int, _ task: Int) -> Void
  ) {
    func alone() { for task in 0..<tasks { body(0, task) } }
    if goesAlone {
      guard count > 1, tasks > 1,
        turnstile.withLockIfAvailable({ _ in share(tasks, continues, body) }) != nil
      else { return alone() }
    } else {
      turnstile.withLock { _ in
        if count > 1, tasks > 1 { share(tasks, continues, body) } else { alone() }
      }
    }
  }

  /// The same with a body that is there already, for which no memory is taken.
  ///
  /// - Parameter meanwhile: called now and then while the caller waits for others.
  func runKept(
    _ tasks: Int, continues: Bool = false, meanwhile: (() -> Void)? = nil,
    _ body: @escaping (_ worker: Int, _ task: Int) -> Void
  ) {
    turnstile.withLock { _ in
      if count > 1, tasks > 1 {
        shareKept(tasks, continues, meanwhile: meanwhile, body)
      } else {
        for task in 0..<tasks { body(0, task) }
      }
    }
  }

  private func share(_ tasks: Int, _ continues: Bool, _ body: (Int, Int) -> Void) {
    withoutActuallyEscaping(body) { shareKept(tasks, continues, $0) }
  }

  private func shareKept(
    _ tasks: Int, _ continues: Bool, meanwhile: (() -> Void)? = nil,
    _ body: @escaping (Int, Int) -> Void
  ) {
    startThreads()
    board.change { board in
      board.work = Work(body: body)
      board.tasks = tasks
      board.next = 0
      board.continues = continues
      board.wakeElsewhere()
    }
    Self.work(as: 0, board)
    Self.lookOut(board) { $0.running == 0 }
    if let meanwhile {
      while !board.wait(upTo: .now + .milliseconds(10), until: { $0.running == 0 }) { meanwhile() }
    }
    board.wait(until: { $0.running == 0 }) { $0.work = nil }
  }

  /// Takes tasks until none is left.
  private static func work(as worker: Int, _ board: Monitor<Board>) {
    while runTask(as: worker, board) {
      let isLast = board.withLock { board in
        board.running -= 1
        return board.running == 0
      }
      if isLast { board.change { _ in } }
    }
  }

  /// Runs one task; the body is let go of before the task counts as done.
  private static func runTask(as worker: Int, _ board: Monitor<Board>) -> Bool {
    let task = board.withLock { board -> Task? in
      guard let work = board.work, board.next < board.tasks else { return nil }
      board.next += 1
      board.running += 1
      return Task(work: work, number: board.next - 1)
    }
    guard let task else { return false }
    task.work.body(worker, task.number)
    return true
  }

  private func startThreads() {
    guard !hasThreads.exchange(true, ordering: .relaxed) else { return }
    for worker in 1..<count {
      // With fewer threads it is only slower.
      BackgroundThread.start { [board] in
        repeat {
          Self.work(as: worker, board)
          Self.lookOut(board) { $0.work != nil && $0.next < $0.tasks || !$0.continues }
        } while Self.sleep(as: worker, board)
      }
    }
  }

  /// Sleeps until there is a task to take.
  ///
  /// - Returns: true if there is; otherwise the thread is to end.
  private static func sleep(as worker: Int, _ board: Monitor<Board>) -> Bool {
    func isAwaited(_ board: Board) -> Bool {
      board.ends || board.work != nil && board.next < board.tasks
    }
    board.withLock { if !isAwaited($0) { fgk_sleep_begins(&$0.sleepers[worker - 1]) } }
    return board.wait(until: isAwaited) { board in
      fgk_sleep_ends(&board.sleepers[worker - 1])
      return !board.ends
    }
  }

  /// Waits a moment without sleep, as to be woken takes some ten microseconds, a tenth of what a stage of a
  /// small frame takes.
  private static func lookOut(_ board: Monitor<Board>, until holds: (Board) -> Bool) {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    let (second, nanosecond) = (time.tv_sec, time.tv_nsec)
    while !board.withLock({ holds($0) }) {
      for _ in 0..<16 { fgk_pause() }
      clock_gettime(CLOCK_MONOTONIC, &time)
      let passed = (time.tv_sec - second) * 1_000_000_000 + time.tv_nsec - nanosecond
      if passed > longestLookOut { return }
    }
  }

  /// In nanoseconds: a few times what it takes to be woken.
  private static var longestLookOut: Int { 50_000 }
}

/// Something with threads and locks, which a forked process does not get: there it is made anew.
///
/// What the parent's had is left alone in the child, as its locks may be held for good.
package final class PerProcess<Value: Sendable>: Sendable {
  /// The address of an entry, which is kept for it.
  private let current: Atomic<UInt>
  private let make: @Sendable () -> Value

  private final class Entry: Sendable {
    let process = getpid()
    let value: Value

    init(_ value: Value) { self.value = value }
  }

  package init(_ make: @escaping @Sendable () -> Value) {
    self.make = make
    current = Atomic(UInt(bitPattern: Unmanaged.passRetained(Entry(make())).toOpaque()))
  }

  deinit {
    guard let last = Self.entry(current.load(ordering: .acquiring)) else { return }
    // Threads of another process cannot be ended.
    if last.takeUnretainedValue().process == getpid() { last.release() }
  }

  /// The one of this process.
  package var value: Value {
    while true {
      let known = current.load(ordering: .acquiring)
      if let entry = Self.entry(known)?.takeUnretainedValue(), entry.process == getpid() {
        return entry.value
      }
      let made = Unmanaged.passRetained(Entry(make()))
      let (isFirst, _) = current.compareExchange(
        expected: known, desired: UInt(bitPattern: made.toOpaque()),
        ordering: .acquiringAndReleasing)
      if !isFirst { made.release() }
    }
  }

  private static func entry(_ address: UInt) -> Unmanaged<Entry>? {
    UnsafeRawPointer(bitPattern: address).map { Unmanaged<Entry>.fromOpaque($0) }
  }
}
