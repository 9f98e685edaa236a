internal import FrostglassCore
internal import Synchronization

/// Lets so many in at once, and out in the order in which they came.
///
/// Whoever is cancelled while they wait, to be let in or out, goes at once, and those behind move up.
package final class FrameOrder: Sendable {
  private let state: Mutex<State>

  private struct State {
    let atOnce: Int
    /// The next to come gets this one.
    var ticket = 0
    /// Those who have come and not left, in order: as many as may be in at once are, from the first on.
    var frames: [Frame] = []

    /// Takes one away.
    ///
    /// - Returns: what those wait for who may go on by that.
    mutating func remove(at index: Int) -> [Turn] {
      frames.remove(at: index)
      var next: [Turn] = []
      // The last of those who are in is new there, unless the one who left was not in.
      if index < atOnce, frames.count >= atOnce, let turn = frames[atOnce - 1].turn.take() {
        next.append(turn)
      }
      // The first may leave.
      if index == 0, !frames.isEmpty, let turn = frames[0].turn.take() { next.append(turn) }
      return next
    }
  }

  private struct Frame {
    let ticket: Int
    /// Of who waits: to be let in or, being in, to leave.
    var turn: Turn?
  }

  /// - Parameter atOnce: 1 or more.
  package init(atOnce: Int) { state = Mutex(State(atOnce: atOnce)) }

  /// How many are in.
  package var inside: Int { state.withLock { min($0.frames.count, $0.atOnce) } }
  /// How many wait to be let in.
  package var waiting: Int { state.withLock { max($0.frames.count - $0.atOnce, 0) } }

  /// Runs `body` when there is room, and returns after those who came before.
  ///
  /// - Parameter cancellation: what else than the end of the task ends the waiting, before and after.
  package func inOrder(
    until cancellation: Cancellation?, _ body: () async throws(BackendError) -> RunReport
  ) async throws(FrostglassError) -> RunReport {
    let cancellation = cancellation ?? Cancellation()
    do throws(BackendError) {
      let ticket = try await enter(until: cancellation)
      let ran: Result<RunReport, BackendError>
      do throws(BackendError) {
        if Task.isCancelled { throw .cancelled }
        ran = .success(try await body())
      } catch { ran = .failure(error) }
      try await leave(ticket, until: cancellation)
      return try ran.get()
    } catch { throw FrostglassError(error) }
  }

  /// Waits for room, also in a cancelled task.
  ///
  /// - Returns: a ticket for `leave`, one more than the last one's.
  package func enter() async -> Int {
    let (ticket, turn) = come()
    await turn?.wait()
    return ticket
  }

  /// Waits for those who came before, also in a cancelled task, and makes room.
  package func leave(_ ticket: Int) async {
    await turnToLeave(ticket)?.wait()
    remove(ticket)
  }

  private func enter(until cancellation: Cancellation) async throws(BackendError) -> Int {
    if Task.isCancelled { throw .cancelled }
    try cancellation.check()
    let (ticket, turn) = come()
    if let turn { try await turn.wait(until: cancellation) { [self] in giveUp(turn) } }
    return ticket
  }

  private func leave(
    _ ticket: Int, until cancellation: Cancellation
  ) async throws(BackendError) {
    if let turn = turnToLeave(ticket) {
      try await turn.wait(until: cancellation) { [self] in giveUp(turn) }
    }
    remove(ticket)
  }

  /// - Returns: the ticket, and what to wait for where there is no room yet.
  private func come() -> (ticket: Int, turn: Turn?) {
    state.withLock { state in
      let frame = Frame(
        ticket: state.ticket, turn: state.frames.count < state.atOnce ? nil : Turn())
      state.ticket += 1
      state.frames.append(frame)
      return (frame.ticket, frame.turn)
    }
  }

  /// - Returns: what to wait for; `nil` for the first.
  private func turnToLeave(_ ticket: Int) -> Turn? {
    state.withLock { state in
      let index = state.frames.firstIndex { $0.ticket == ticket }
      guard let index, index > 0 else { return nil }
      let turn = Turn()
      state.frames[index].turn = turn
      return turn
    }
  }

  private func remove(_ ticket: Int) {
    let next = state.withLock { state in
      state.frames.firstIndex { $0.ticket == ticket }.map { state.remove(at: $0) } ?? []
    }
    for turn in next { turn.tell(true) }
  }

  /// Takes one away who waits; who has been told to go on does.
  private func giveUp(_ turn: Turn) {
    let next = state.withLock { state in
      state.frames.firstIndex { $0.turn === turn }.map { state.remove(at: $0) }
    }
    guard let next else { return }
    turn.tell(false)
    for other in next { other.tell(true) }
  }
}
