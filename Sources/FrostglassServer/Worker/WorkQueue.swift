internal import FrostglassConfinement
internal import Glibc
internal import Synchronization

/// Orders on their way from the pool to its threads, which wait with `poll`, as they also watch their children.
///
/// A byte in the socket means that there may be orders, not how many, so a full socket is enough. A thread that takes
/// an order while more are left signals again.
final class WorkQueue: Sendable {
  private let state = Mutex(State())
  private let reading: Int32
  private let writing: Int32

  private struct State {
    var tickets: [WorkTicket] = []
    var isEnded = false

    /// Removes tickets that are no longer waited for.
    mutating func dropGivenUp() { tickets.removeAll { $0.ending != nil } }
  }

  /// The result of waiting.
  enum Next {
    case ticket(WorkTicket)
    /// The child said something unasked, or is gone.
    case child
    /// There will be no more orders.
    case end
  }

  /// - Throws: `SystemRefusal`.
  init() throws(SystemRefusal) {
    let ends = try SocketPair()
    (reading, writing) = (ends.first, ends.second)
    for end in [reading, writing] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
  }

  deinit {
    close(reading)
    close(writing)
  }

  /// Puts an order at the end; where there will be no more, it is given up.
  func add(_ ticket: WorkTicket) {
    let isTaken = state.withLock { state in
      guard !state.isEnded else { return false }
      // Remove canceled orders, so that they do not accumulate while all children are busy.
      state.dropGivenUp()
      state.tickets.append(ticket)
      return true
    }
    if isTaken { signal() } else { ticket.giveUp(.cancelled) }
  }

  /// Gives up what waits, and ends all threads that wait.
  func end() {
    let left = state.withLock { state in
      defer { state.tickets = [] }
      state.isEnded = true
      return state.tickets
    }
    for ticket in left { ticket.giveUp(.cancelled) }
    signal()
  }

  var isEnded: Bool { state.withLock { $0.isEnded } }

  /// Orders that wait.
  var count: Int { state.withLock { $0.tickets.count { $0.ending == nil } } }

  /// Waits for the next order, and watches a child.
  ///
  /// - Parameter milliseconds: the timeout; -1 for none.
  /// - Returns: `nil` if nothing happened.
  func next(watching child: ChildProcess?, _ milliseconds: Int32 = -1) -> Next? {
    // An entry without a descriptor is passed over.
    var entries = [
      pollfd(fd: child?.socket.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
      // Orders are for those that have a child; the end is for all.
      pollfd(fd: reading, events: Int16(POLLIN), revents: 0),
    ]
    while poll(&entries, nfds_t(entries.count), milliseconds) < 0, errno == EINTR {}
    if isEnded { return .end }
    if entries[0].revents != 0 { return .child }
    var byte: UInt8 = 0
    // Another thread may have been faster.
    guard entries[1].revents != 0, read(reading, &byte, 1) == 1 else { return nil }
    let (next, isMore) = state.withLock { state -> (Next?, Bool) in
      // The byte may have been meant for all waiting threads.
      guard !state.isEnded else { return (.end, true) }
      state.dropGivenUp()
      guard !state.tickets.isEmpty else { return (nil, false) }
      let ticket = state.tickets.removeFirst()
      return (.ticket(ticket), !state.tickets.isEmpty)
    }
    if isMore { signal() }
    return next
  }

  private func signal() {
    var byte: UInt8 = 0
    // A full socket wakes waiting threads, too.
    _ = write(writing, &byte, 1)
  }
}

/// An order in progress: waiting for a child, running in one, or over.
///
/// The first of the child's answer, the deadline and a cancellation ends it. Later ones have no effect.
package final class WorkTicket: Sendable {
  /// The time at which it is given up.
  private let deadline: ContinuousClock.Instant
  private let state: Mutex<State>
  private let wasReturned = Mutex(false)

  /// The order is here until a child has it or it is over: its files may be large, and a ticket may be in a
  /// queue long after.
  private enum State {
    case new(WorkOrder)
    case waiting(WorkOrder, CheckedContinuation<WorkAnswer, Never>)
    case running(CheckedContinuation<WorkAnswer, Never>, ChildProcess)
    case over(Ending)
  }

  /// The reason why an order is over.
  package enum Ending: Sendable {
    case answered
    case cancelled
    case late
  }

  package init(_ order: WorkOrder, deadline: ContinuousClock.Instant) {
    state = Mutex(.new(order))
    self.deadline = deadline
  }

  /// The order; `nil` once a child has it, or it is over.
  package var order: WorkOrder? {
    state.withLock { state in
      switch state {
      case .new(let order), .waiting(let order, _): order
      case .running, .over: nil
      }
    }
  }

  /// Waits for the answer.
  ///
  /// - Parameter enqueue: called once the order may be taken.
  package func answer(_ enqueue: () -> Void) async -> WorkAnswer {
    let alarm = Task.detached { [weak self, deadline] in
      try? await Task.sleep(until: deadline, clock: .continuous)
      self?.giveUp(.late)
    }
    defer { alarm.cancel() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          guard case .new(let order) = state else { return true }
          state = .waiting(order, continuation)
          return false
        }
        if isOver { continuation.resume(returning: .cancelled) } else { enqueue() }
      }
    } onCancel: {
      giveUp(.cancelled)
    }
  }

  /// Takes the order for a child.
  ///
  /// - Returns: `nil` where it is over.
  func begin(on child: ChildProcess) -> WorkOrder? {
    state.withLock { state in
      guard case .waiting(let order, let continuation) = state else { return nil }
      state = .running(continuation, child)
      return order
    }
  }

  /// Takes the order back from a child that cannot finish it, once.
  ///
  /// - Returns: false where it was taken back before, or is over.
  func returned(_ order: WorkOrder) -> Bool {
    let isFirst = wasReturned.withLock { wasReturned in
      defer { wasReturned = true }
      return !wasReturned
    }
    guard isFirst else { return false }
    return state.withLock { state in
      guard case .running(let continuation, _) = state else { return false }
      state = .waiting(order, continuation)
      return true
    }
  }

  /// Answers.
  func finish(_ answer: WorkAnswer) { end(.answered)?.0.resume(returning: answer) }

  /// Stops the work: kills the child that does it.
  package func giveUp(_ reason: Ending) {
    guard let (continuation, child) = end(reason) else { return }
    child?.kill()
    continuation.resume(returning: reason == .late ? .late : .cancelled)
  }

  /// Why it is over; `nil` while it is not.
  var ending: Ending? {
    state.withLock { if case .over(let reason) = $0 { reason } else { nil } }
  }

  /// - Returns: the waiting task, and the child at work, for the first call only.
  private func end(
    _ reason: Ending
  ) -> (CheckedContinuation<WorkAnswer, Never>, ChildProcess?)? {
    state.withLock { state in
      switch state {
      case .over: return nil
      case .new:
        state = .over(reason)
        return nil
      case .waiting(_, let continuation):
        state = .over(reason)
        return (continuation, nil)
      case .running(let continuation, let child):
        state = .over(reason)
        return (continuation, child)
      }
    }
  }
}

extension WorkAnswer {
  /// The child died of the work, or answered what no child may.
  static let crashed = Problem(
    500, "work-failed", "the work failed; the request is at fault, or we are"
  )
  .answer
  static let unavailable = Problem(503, "unavailable", "this cannot be done now").answer
  static let late = Problem(503, "out-of-time", "the work was not done in time").answer
  static let cancelled = Problem(503, "given-up", "the work was given up").answer
}
