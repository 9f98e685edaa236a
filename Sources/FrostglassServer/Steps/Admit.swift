internal import Frostglass
internal import Synchronization

/// How many jobs run and wait, and how many bytes of bodies are in memory: both have an end.
package final class Gate: Sendable {
  /// Lets waiting jobs run in order.
  let admission: Admission
  private let places: Int
  private let mostBytes: Int
  private let state = Mutex((jobs: 0, bytes: 0, isDraining: false))

  /// - Parameters:
  ///   - jobs: that run at once.
  ///   - waiting: that wait for those at most.
  ///   - bytes: of all bodies together.
  package init(jobs: Int, waiting: Int, bytes: Int) {
    admission = Admission(jobs: jobs, memory: .max)
    places = jobs + waiting
    mostBytes = bytes
  }

  /// Jobs that run or wait.
  package var jobs: Int { state.withLock { $0.jobs } }
  /// Jobs that run.
  package var running: Int { admission.running }
  /// Bytes of bodies in memory.
  package var bytes: Int { state.withLock { $0.bytes } }
  package var isFull: Bool { jobs >= places }

  /// Whether the service is about to end.
  package var isDraining: Bool {
    get { state.withLock { $0.isDraining } }
    set { state.withLock { $0.isDraining = newValue } }
  }

  /// A place for a job.
  ///
  /// - Throws: `Problem` with 429 where all are taken.
  package func enter() throws(Problem) -> Place {
    let isIn = state.withLock { state in
      guard state.jobs < places else { return false }
      state.jobs += 1
      return true
    }
    guard isIn else { throw Self.full }
    return Place(gate: self)
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

  fileprivate func leave() { state.withLock { $0.jobs -= 1 } }

  static var full: Problem {
    .overloaded("all workers are busy and the queue is full; come back in a moment")
  }

  static var noRoom: Problem {
    .overloaded("too many pictures are on their way; come back in a moment")
  }

  /// A job's place, which it gives back with its end.
  package final class Place: Sendable {
    private let gate: Gate

    fileprivate init(gate: Gate) { self.gate = gate }

    deinit { gate.leave() }
  }

  /// Room for a body or for the operator's picture, which grows as it comes and is given back with its end.
  package final class Room: Sendable {
    private let gate: Gate
    private let taken = Mutex(0)

    package init(_ gate: Gate) { self.gate = gate }

    /// - Returns: `false` where there is no room for so many more.
    package func grow(by bytes: Int) -> Bool {
      guard gate.reserve(bytes) else { return false }
      taken.withLock { $0 += bytes }
      return true
    }

    deinit { gate.release(taken.withLock { $0 }) }
  }
}

/// Sends away at once whoever comes when there is no place: before any of a body was read.
package struct Admit: HeadStep {
  private let gate: Gate

  package init(_ gate: Gate) { self.gate = gate }

  package func run(_ inquiry: inout Inquiry) throws(Problem) {
    guard inquiry.route.isWork else { return }
    guard !gate.isFull else { throw Gate.full }
  }
}
