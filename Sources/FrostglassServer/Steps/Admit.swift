internal import Frostglass
internal import Synchronization

/// How many jobs run and wait, and how many bytes of bodies are in memory: both have an end.
package final class Gate: Sendable {
  private let pictures: Lane
  private let scenes: Lane?
  private let mostWaiting: Int
  private let mostBytes: Int
  private let state = Mutex(State())

  private struct State {
    /// Jobs that run or wait.
    var pictures = 0
    var scenes = 0
    var bytes = 0
    var isDraining = false
  }

  /// Jobs that wait for the same workers.
  private struct Lane: Sendable {
    /// How many run at once.
    let places: Int
    /// Lets waiting jobs run in order.
    let admission: Admission

    init(_ places: Int) {
      self.places = places
      admission = Admission(jobs: places, memory: .max)
    }
  }

  /// - Parameters:
  ///   - jobs: that run at once.
  ///   - scenes: that run at once beside those; with 0, scenes are jobs like others.
  ///   - waiting: that wait for all of these at most.
  ///   - bytes: of all bodies together.
  package init(jobs: Int, scenes: Int = 0, waiting: Int, bytes: Int) {
    pictures = Lane(jobs)
    self.scenes = scenes > 0 ? Lane(scenes) : nil
    mostWaiting = waiting
    mostBytes = bytes
  }

  /// Jobs that run or wait.
  package var jobs: Int { state.withLock { $0.pictures + $0.scenes } }
  /// Jobs that run.
  package var running: Int { pictures.admission.running + (scenes?.admission.running ?? 0) }
  /// Bytes of bodies in memory.
  package var bytes: Int { state.withLock { $0.bytes } }

  /// Whether there is no place.
  ///
  /// - Parameter isScene: whether it is for a scene.
  package func isFull(isScene: Bool = false) -> Bool {
    state.withLock { !hasPlace(isScene: isScene, $0) }
  }

  /// What lets a job run when it is its turn.
  func admission(isScene: Bool) -> Admission {
    (isScene ? scenes ?? pictures : pictures).admission
  }

  /// A worker that is free is for who comes, however many wait for others.
  private func hasPlace(isScene: Bool, _ state: State) -> Bool {
    if isScene, let scenes {
      if state.scenes < scenes.places { return true }
    } else if state.pictures < pictures.places {
      return true
    }
    let waiting =
      max(state.pictures - pictures.places, 0) + max(state.scenes - (scenes?.places ?? 0), 0)
    return waiting < mostWaiting
  }

  /// Whether the service is about to end.
  package var isDraining: Bool {
    get { state.withLock { $0.isDraining } }
    set { state.withLock { $0.isDraining = newValue } }
  }

  /// A place for a job.
  ///
  /// - Parameter isScene: whether it is a scene.
  /// - Throws: `Problem` with 429 where all are taken.
  package func enter(isScene: Bool = false) throws(Problem) -> Place {
    let isOwnLane = isScene && scenes != nil
    let isIn = state.withLock { state in
      guard hasPlace(isScene: isScene, state) else { return false }
      if isOwnLane { state.scenes += 1 } else { state.pictures += 1 }
      return true
    }
    guard isIn else { throw Self.full }
    return Place(gate: self, isScene: isOwnLane)
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

  fileprivate func leave(isScene: Bool) {
    state.withLock { state in
      if isScene { state.scenes -= 1 } else { state.pictures -= 1 }
    }
  }

  static var full: Problem {
    .overloaded("all workers are busy and the queue is full; come back in a moment")
  }

  static var noRoom: Problem {
    .overloaded("too many pictures are on their way; come back in a moment")
  }

  /// A job's place, which it gives back with its end.
  package final class Place: Sendable {
    private let gate: Gate
    private let isScene: Bool

    fileprivate init(gate: Gate, isScene: Bool) {
      self.gate = gate
      self.isScene = isScene
    }

    deinit { gate.leave(isScene: isScene) }
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
    guard !gate.isFull(isScene: inquiry.route == .work(.scene)) else { throw Gate.full }
  }
}
