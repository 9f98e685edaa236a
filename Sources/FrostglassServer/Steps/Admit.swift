internal import Synchronization

/// Limits how many orders run at once, how many wait, and how many bytes of bodies are in memory.
///
/// Clients share workers fairly: the next place goes to the client with the least work running, and among equals to
/// the one whose last turn was longest ago. In a full queue, the client with the most waiting orders makes room for
/// one with fewer. If there are several workers, heavy work never takes all of them.
package final class AdmissionQueue: Sendable {
  /// The kind of place that an order waits for.
  package enum Kind: Sendable {
    /// Any worker for images.
    case light
    /// An image worker; one is reserved for light work.
    case heavy
    /// A worker for scenes.
    case scene
  }

  private let places: (pictures: Int, heavy: Int, scenes: Int)
  private let mostPerClient: Int
  private let mostWaiting: Int
  private let mostBytes: Int
  private let state = Mutex(State())

  private struct State {
    var running = (pictures: 0, heavy: 0, scenes: 0)
    var waiting: [Waiting] = []
    /// Clients with an order that runs or waits.
    var clients: [String: Share] = [:]
    var lastTurn = 0
    var lastWaiting = 0
    var bytes = 0
    var isDraining = false
  }

  /// A client's share of the places.
  private struct Share {
    var running = 0
    var waiting = 0
    /// Seconds of a core of what runs.
    var work = 0.0
    /// The number of the client's last turn, counted over all clients; 0 if it had none.
    var lastTurn = 0
  }

  private struct Waiting {
    let number: Int
    let client: String
    let kind: Kind
    let work: Double
    let turn: CheckedContinuation<Decision, Never>
  }

  /// The outcome of waiting.
  private enum Decision: Sendable { case place, noRoom, cancelled }

  /// - Parameters:
  ///   - jobs: the most jobs that run at once.
  ///   - scenes: the most scenes that run at once in addition; with 0, scenes are jobs like others.
  ///   - perClient: the most orders of one client that run at once.
  ///   - waiting: the most orders that wait.
  ///   - bytes: the most bytes of all bodies together.
  package init(
    jobs: Int, scenes: Int = 0, perClient: Int = .max, waiting: Int, bytes: Int
  ) {
    let jobs = max(jobs, 1)
    mostPerClient = perClient
    places = (jobs, max(jobs - 1, 1), scenes)
    mostWaiting = waiting
    mostBytes = bytes
  }

  /// Jobs that run or wait.
  package var jobs: Int {
    state.withLock { $0.running.pictures + $0.running.scenes + $0.waiting.count }
  }
  /// Jobs that run.
  package var running: Int { state.withLock { $0.running.pictures + $0.running.scenes } }
  /// Bytes of bodies in memory.
  package var bytes: Int { state.withLock { $0.bytes } }

  /// True if the service is about to end.
  package var isDraining: Bool {
    get { state.withLock { $0.isDraining } }
    set { state.withLock { $0.isDraining = newValue } }
  }

  /// Returns true if a client's order can neither run nor wait.
  package func isFull(_ kind: Kind = .light, for client: String = "") -> Bool {
    state.withLock { !isFree(kind, client, $0) && !mayWait(client, $0) }
  }

  /// Returns true if an order could run at once.
  private func isFree(_ kind: Kind, _ client: String, _ state: State) -> Bool {
    guard state.clients[client]?.running ?? 0 < mostPerClient else { return false }
    return switch kind {
    case .scene where places.scenes > 0: state.running.scenes < places.scenes
    case .light, .scene: state.running.pictures < places.pictures
    case .heavy:
      state.running.pictures < places.pictures && state.running.heavy < places.heavy
    }
  }

  private func mayWait(_ client: String, _ state: State) -> Bool {
    state.waiting.count < mostWaiting || mostGreedy(beside: client, state) != nil
  }

  /// The client that has most in the queue, and more than another would have with one more.
  private func mostGreedy(beside client: String, _ state: State) -> String? {
    let own = (state.clients[client]?.waiting ?? 0) + 1
    return state.clients.filter { $0.value.waiting > own }
      .max { $0.value.waiting < $1.value.waiting }?.key
  }

  /// Waits for a place.
  ///
  /// - Parameters:
  ///   - kind: the kind of place it needs.
  ///   - client: the client that asks.
  ///   - work: seconds of a core that it will take, as far as that is known.
  ///   - isAccepted: true if it was admitted before and waits again.
  ///   - end: the deadline, at which waiting ends as if the queue were full; `nil` for none.
  /// - Returns: `nil` where the task is cancelled.
  /// - Throws: `Problem` with 429 where there is no place to wait in.
  package func enter(
    _ kind: Kind = .light, for client: String = "", work: Double = 0, isAccepted: Bool = false,
    until end: ContinuousClock.Instant? = nil
  ) async throws(Problem) -> QueueSlot? {
    let number = state.withLock { state in
      state.lastWaiting += 1
      return state.lastWaiting
    }
    let timer = end.map { end in
      Task {
        try await Task.sleep(until: end, clock: .continuous)
        giveUp(number, .noRoom)
      }
    }
    defer { timer?.cancel() }
    let turn = await withTaskCancellationHandler {
      await withCheckedContinuation { turn in
        let waiting = Waiting(number: number, client: client, kind: kind, work: work, turn: turn)
        join(waiting, isAccepted)
        // The task may have been canceled before it was registered.
        if Task.isCancelled { giveUp(number, .cancelled) }
        // Its deadline may have passed, too.
        if let end, end <= .now { giveUp(number, .noRoom) }
      }
    } onCancel: {
      giveUp(number, .cancelled)
    }
    switch turn {
    case .place: return QueueSlot(gate: self, client: client, kind: kind, work: work)
    case .noRoom: throw Self.full
    case .cancelled: return nil
    }
  }

  private func join(_ new: Waiting, _ isAccepted: Bool) {
    let out = state.withLock { state -> Waiting? in
      if isFree(new.kind, new.client, state) || isAccepted || state.waiting.count < mostWaiting {
        wait(new, &state)
        return nil
      }
      guard let greedy = mostGreedy(beside: new.client, state),
        let last = state.waiting.lastIndex(where: { $0.client == greedy })
      else { return new }
      let out = remove(last, &state)
      wait(new, &state)
      return out
    }
    out?.turn.resume(returning: .noRoom)
    letIn()
  }

  private func wait(_ new: Waiting, _ state: inout State) {
    state.clients[new.client, default: Share()].waiting += 1
    state.waiting.append(new)
  }

  private func remove(_ index: Int, _ state: inout State) -> Waiting {
    let waiting = state.waiting.remove(at: index)
    change(waiting.client, &state) { $0.waiting -= 1 }
    return waiting
  }

  /// Changes a client's share, and forgets clients that have no orders left.
  private func change(_ client: String, _ state: inout State, _ change: (inout Share) -> Void) {
    var share = state.clients[client] ?? Share()
    change(&share)
    state.clients[client] = share.running + share.waiting > 0 ? share : nil
  }

  private func giveUp(_ number: Int, _ reason: Decision) {
    let out = state.withLock { state in
      state.waiting.firstIndex { $0.number == number }.map { remove($0, &state) }
    }
    out?.turn.resume(returning: reason)
  }

  /// Gives places to those whose turn it is.
  private func letIn() {
    let next = state.withLock { state in
      var next: [Waiting] = []
      while let index = nextIndex(state) {
        let waiting = state.waiting.remove(at: index)
        count(waiting.kind, 1, &state)
        state.lastTurn += 1
        let turn = state.lastTurn
        change(waiting.client, &state) { share in
          share.waiting -= 1
          share.running += 1
          share.work += waiting.work
          share.lastTurn = turn
        }
        next.append(waiting)
      }
      return next
    }
    for waiting in next { waiting.turn.resume(returning: .place) }
  }

  private func nextIndex(_ state: State) -> Int? {
    func rank(_ index: Int) -> (Double, Int) {
      let share = state.clients[state.waiting[index].client] ?? Share()
      return (share.work, share.lastTurn)
    }
    return state.waiting.indices
      .filter { isFree(state.waiting[$0].kind, state.waiting[$0].client, state) }
      .min { rank($0) < rank($1) }
  }

  private func count(_ kind: Kind, _ change: Int, _ state: inout State) {
    if kind == .scene, places.scenes > 0 {
      state.running.scenes += change
    } else {
      state.running.pictures += change
      if kind == .heavy { state.running.heavy += change }
    }
  }

  fileprivate func leave(_ place: QueueSlot) {
    state.withLock { state in
      count(place.kind, -1, &state)
      change(place.client, &state) { share in
        share.running -= 1
        share.work -= place.work
      }
    }
    letIn()
  }

  /// Takes room for bytes; `false` where there is none.
  fileprivate func reserve(_ bytes: Int) -> Bool {
    state.withLock { state in
      guard state.bytes + bytes <= mostBytes else { return false }
      state.bytes += bytes
      return true
    }
  }

  fileprivate func release(_ bytes: Int) { state.withLock { $0.bytes -= bytes } }

  static var full: Problem {
    .overloaded("all workers are busy and the queue is full; come back in a moment")
  }

  static var noRoom: Problem {
    .overloaded("too many images are on their way; come back in a moment")
  }

  /// A place to run in, which is given back with its end.
  package final class QueueSlot: Sendable {
    private let gate: AdmissionQueue
    fileprivate let client: String
    fileprivate let kind: Kind
    fileprivate let work: Double

    fileprivate init(gate: AdmissionQueue, client: String, kind: Kind, work: Double) {
      self.gate = gate
      self.client = client
      self.kind = kind
      self.work = work
    }

    deinit { gate.leave(self) }
  }

  /// Room for a body or for the operator's image, which grows as it comes and is given back with its end.
  package final class Room: Sendable {
    private let gate: AdmissionQueue
    private let taken = Mutex(0)

    package init(_ gate: AdmissionQueue) { self.gate = gate }

    /// - Returns: `false` where there is no room for so many more.
    package func grow(by bytes: Int) -> Bool {
      guard gate.reserve(bytes) else { return false }
      taken.withLock { $0 += bytes }
      return true
    }

    deinit { gate.release(taken.withLock { $0 }) }
  }
}

/// Rejects requests at once when the queue is full, before any of the body is read.
package struct Admit: HeadStep {
  private let gate: AdmissionQueue

  package init(_ gate: AdmissionQueue) { self.gate = gate }

  package func run(_ context: inout RequestContext) throws(Problem) {
    guard context.route.isWork else { return }
    let kind: AdmissionQueue.Kind = context.route == .work(.scene) ? .scene : .light
    guard !gate.isFull(kind, for: context.head.client) else { throw AdmissionQueue.full }
  }
}
