package import FrostglassConfinement
internal import FrostglassCore
internal import Glibc
internal import Synchronization

/// A place of a worker pool, which holds one child after another.
///
/// It has its own thread for its whole life: the kernel treats a child as an orphan once the thread that started it
/// ends.
final class WorkerSlot: Sendable {
  /// The state of its child.
  enum State: Sendable {
    case starting
    case idle
    case busy
  }

  private let options: WorkerPool.Options
  private let queue: WorkQueue
  private let record: @Sendable (WorkerEvent) -> Void
  private let check: AnswerCheck
  private let now = Monitor(Now())

  private struct Now {
    var child: ChildProcess?
    var state = State.starting
    var started = 0
    var isEnded = false
    /// The GPU memory that the child still uses.
    var gpuBytes: Int?
  }

  init(
    _ options: WorkerPool.Options, _ queue: WorkQueue,
    _ record: @escaping @Sendable (WorkerEvent) -> Void
  ) {
    self.options = options
    self.queue = queue
    self.record = record
    check = AnswerCheck(mostBytes: options.mostAnswerBytes)
  }

  var state: State { now.withLock { $0.state } }
  /// The number of children that accepted orders.
  var started: Int { now.withLock { $0.started } }
  var process: Int32? { now.withLock { $0.child?.process } }
  /// The GPU memory that its child reports as still in use, in bytes; `nil` if it has used none.
  var gpuBytes: Int? { now.withLock { $0.gpuBytes } }

  /// Kills the child. The queue has ended before.
  func end() { now.withLock { $0.child }?.kill() }

  func waitForEnd() { now.wait(until: { $0.isEnded }) { _ in } }

  /// Has children work until the queue ends.
  func run() {
    var pauses = StartPauses()
    while !queue.isEnded {
      if let milliseconds = pauses.next(wasOfUse: hasChildWork()) { pause(milliseconds) }
    }
    now.change { $0.isEnded = true }
  }

  private func pause(_ milliseconds: Int32) {
    let end = ContinuousClock.now + .milliseconds(Int(milliseconds))
    while !queue.isEnded, .now < end { usleep(20_000) }
  }

  /// Starts a child and gives it orders until it ends or has to.
  ///
  /// - Returns: true if it was of use, false if it exited before its first order.
  private func hasChildWork() -> Bool {
    let child: ChildProcess
    do {
      let words = ConfinedChild.Arguments(
        parent: getpid(), memory: options.memory, threads: options.threads, finds: options.finds,
        gpu: options.gpu, readable: options.readable
      ).words
      child = try ChildProcess(
        ChildProcess.Command(
          program: options.program, arguments: options.arguments + words,
          orderBytes: options.orderMemory, answerBytes: options.mostAnswerBytes))
    } catch {
      record(.notStarted(reason: systemWords(error.code)))
      return false
    }
    now.withLock { $0.child = child }
    defer {
      now.withLock { now in
        now.child = nil
        now.state = .starting
        now.gpuBytes = nil
      }
    }
    if queue.isEnded { child.kill() }
    let walls: Sandbox
    do {
      let limit = ContinuousClock.now + options.startLimit
      let hello = try WorkerHello(try child.socket.receive(WorkerHello.limits, until: limit))
      if let trouble = hello.trouble {
        _ = child.end()
        if !queue.isEnded { record(.notStarted(reason: trouble)) }
        return false
      }
      walls = hello.walls
    } catch {
      let end = child.end()
      if !queue.isEnded { record(.notStarted(reason: "it \(end)")) }
      return false
    }
    record(.started(process: child.process, walls: walls))
    now.withLock { now in
      now.state = .idle
      now.started += 1
    }
    let (reason, orders) = serve(child)
    record(.ended(process: child.process, reason: reason))
    return orders > 0 || !reason.isFailure
  }

  /// The time that a child is idle before its shared memory is released. Touching pages anew costs as much as writing
  /// their content.
  private static let rest = Duration.seconds(1)

  /// Gives a child orders until it is to be replaced, and ends it.
  ///
  /// - Returns: the reason, and the number of orders that it got.
  private func serve(_ child: ChildProcess) -> (end: WorkerEnd, orders: Int) {
    var orders = 0
    var memories: [Int] = []
    var lastOrder: ContinuousClock.Instant?
    while orders < max(options.ordersPerChild, 1) {
      switch queue.next(watching: child, lastOrder == nil ? -1 : Self.rest.milliseconds) {
      case nil:
        // Another may have been faster.
        guard let last = lastOrder, last.duration(to: .now) >= Self.rest else { continue }
        child.socket.forget()
        lastOrder = nil
      case .end:
        _ = child.end()
        return (.dismissed, orders)
      case .child: return (unasked(child), orders)
      case .ticket(let ticket):
        guard let order = ticket.begin(on: child) else { continue }
        now.withLock { $0.state = .busy }
        defer { now.withLock { $0.state = .idle } }
        orders += 1
        if let end = work(on: ticket, order, child) { return (end, orders) }
        lastOrder = .now
        memories = memories.suffix(2) + [child.memory]
        if let least = memories.min(), memories.count == 3, least > options.keptMemory {
          _ = child.end()
          return (.grew(bytes: least), orders)
        }
      }
    }
    _ = child.end()
    return (.served(orders: orders), orders)
  }

  /// Has an order done.
  ///
  /// - Returns: `nil` where the child can take another, or why it is gone.
  private func work(
    on ticket: WorkTicket, _ order: WorkOrder, _ child: ChildProcess
  ) -> WorkerEnd? {
    let fault: String?
    do {
      try child.socket.send(try order.frame())
      let answer = try WorkAnswer(try child.socket.receive(check.frames))
      fault = check.objection(to: answer)
      if fault == nil {
        // The worker is untrusted; no GPU has more than this.
        now.withLock { $0.gpuBytes = answer.gpuBytes.map { min(max($0, 0), 1 << 42) } }
        ticket.finish(answer)
        // If it was too late, the child has been killed.
        switch ticket.ending {
        case .answered, nil: return nil
        case .late, .cancelled: break
        }
      }
    } catch let error as FrameError {
      fault = error == .ended ? nil : error.description
    } catch { fault = "it cannot be read" }
    let end = child.end()
    let reason: WorkerEnd =
      switch (ticket.ending, fault, end) {
      case (.late, _, _): .late
      case (.cancelled, _, _): .cancelled
      case (_, let fault?, _): .lied(fault)
      case (_, nil, .code(let code)): .exited(code: code)
      case (_, nil, .signal(let signal)): queue.isEnded ? .dismissed : .signaled(signal)
      }
    guard reason == .exited(code: EX_UNAVAILABLE) else {
      ticket.finish(.crashed)
      return reason
    }
    // Another may have what it lacks.
    if ticket.returned(order) { queue.add(ticket) } else { ticket.finish(.unavailable) }
    return reason
  }

  /// A child without an order is gone, or says something.
  private func unasked(_ child: ChildProcess) -> WorkerEnd {
    var byte: UInt8 = 0
    let isGone = recv(child.socket.descriptor, &byte, 1, Int32(MSG_PEEK)) <= 0
    let end = child.end()
    guard isGone else { return .lied("it spoke without being asked") }
    return switch end {
    case .code(let code): .exited(code: code)
    case .signal(let signal): .signaled(signal)
    }
  }
}

/// The pauses before a child is started after useless ones: 0.1 s, 0.2 s, … up to 6.4 s.
package struct StartPauses {
  private var failures = 0

  package init() {}

  /// The pause before the next start, in milliseconds; `nil` for none.
  ///
  /// - Parameter wasOfUse: true if the last child accepted an order, or ended as it was told to.
  package mutating func next(wasOfUse: Bool) -> Int32? {
    failures = wasOfUse ? 0 : failures + 1
    return failures == 0 ? nil : 100 << min(Int32(failures) - 1, 6)
  }
}

/// An event in a child's life, for the log. Clients never see it.
package enum WorkerEvent: Sendable, Hashable, CustomStringConvertible {
  /// It is confined, and takes orders.
  case started(process: Int32, walls: Sandbox)
  /// It is gone; another takes its place.
  case ended(process: Int32, reason: WorkerEnd)
  /// None could be started; it will be tried again.
  case notStarted(reason: String)

  /// True if something went wrong, which an operator should be told.
  package var isNews: Bool {
    switch self {
    case .started: false
    case .ended(_, let reason): reason.isFailure
    case .notStarted: true
    }
  }

  package var description: String {
    switch self {
    case .started(let process, let walls): "worker \(process) works behind \(walls)"
    case .ended(let process, let reason): "worker \(process) \(reason)"
    case .notStarted(let reason): "a worker cannot be started: \(reason)"
    }
  }
}

/// Why a child is gone.
package enum WorkerEnd: Sendable, Hashable, CustomStringConvertible {
  /// It exited with this code, during an order or while idle.
  case exited(code: Int32)
  /// A signal ended it: a crash, the kernel for lack of memory, or another process.
  case signaled(Int32)
  /// It said something that no worker says.
  case lied(String)
  /// It was killed for an order that took too long.
  case late
  /// It was killed because its order was cancelled.
  case cancelled
  /// It has done its share of orders.
  case served(orders: Int)
  /// It kept too much memory.
  case grew(bytes: Int)
  /// The pool has ended.
  case dismissed

  package var description: String {
    switch self {
    case .exited(let code): "ended by itself with code \(code)"
    case .signaled(let signal): "was ended by signal \(signal)"
    case .lied(let what): "was killed for its answer: \(what)"
    case .late: "was killed for work that took too long"
    case .cancelled: "was killed for work that nobody wants any more"
    case .served(let orders): "was replaced after \(orders) orders"
    case .grew(let bytes): "was replaced for keeping \(bytes >> 20) MiB"
    case .dismissed: "was dismissed"
    }
  }

  /// The reason's name in metrics.
  enum Kind: String, CaseIterable {
    case crashed, lied, late, cancelled, served, grew, dismissed
  }

  var kind: Kind {
    switch self {
    case .exited, .signaled: .crashed
    case .lied: .lied
    case .late: .late
    case .cancelled: .cancelled
    case .served: .served
    case .grew: .grew
    case .dismissed: .dismissed
    }
  }

  /// True if something went wrong.
  package var isFailure: Bool {
    switch kind {
    case .crashed, .lied, .late: true
    case .cancelled, .served, .grew, .dismissed: false
    }
  }
}

/// Counters of events in children's lives since the service's start.
final class WorkerTally: Sendable {
  private struct Counts {
    var started = 0
    var ended: [WorkerEnd.Kind: Int] = [:]
    var notStarted = 0
  }

  private let counts = Mutex(Counts())

  func count(_ event: WorkerEvent) {
    counts.withLock { counts in
      switch event {
      case .started: counts.started += 1
      case .ended(_, let reason): counts.ended[reason.kind, default: 0] += 1
      case .notStarted: counts.notStarted += 1
      }
    }
  }

  var families: [MetricFamily] {
    let counts = counts.withLock { $0 }
    return [
      MetricFamily(
        "worker_starts_total", .counter, "Workers that were started.", counts.started),
      MetricFamily(
        "worker_ends_total", .counter, "Workers that are gone, by why.", by: "reason",
        WorkerEnd.Kind.allCases.map { ($0.rawValue, counts.ended[$0] ?? 0) }),
      MetricFamily(
        "worker_start_failures_total", .counter, "Workers that could not be started.",
        counts.notStarted),
    ]
  }
}
