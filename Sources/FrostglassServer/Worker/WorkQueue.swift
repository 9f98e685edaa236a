internal import FrostglassConfinement
internal import Glibc
internal import Synchronization

/// Orders on their way from the pool to its threads, which wait for them with `poll`, as they also
/// watch their children.
///
/// A socket holds a byte for each order: who gets a byte gets an order.
final class WorkQueue: Sendable {
  private let state = Mutex(State())
  private let reading: Int32
  private let writing: Int32

  private struct State {
    var tickets: [WorkTicket] = []
    var isEnded = false
  }

  /// What a thread waits for.
  enum Next {
    case ticket(WorkTicket)
    /// The child said something unasked, or is gone.
    case child
    /// There will be no more orders.
    case end
  }

  /// - Throws: `SocketPair.NotMade`.
  init() throws(SocketPair.NotMade) {
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
  /// - Parameter milliseconds: how long it waits at most; -1 for as long as it takes.
  /// - Returns: `nil` where nothing happened.
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
    return state.withLock { $0.tickets.isEmpty ? nil : .ticket($0.tickets.removeFirst()) }
  }

  private func signal() {
    var byte: UInt8 = 0
    // A full socket wakes whoever waits, too.
    _ = write(writing, &byte, 1)
  }
}
