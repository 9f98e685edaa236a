internal import Synchronization

/// Hands frames from who brings them to who takes them. One waits at most, so that nothing piles up.
///
/// One brings and one takes.
final class FrameBox<Frame: Sendable, Failure: Error>: Sendable {
  private let state = Mutex(State())

  private struct State {
    var waiting: Frame?
    /// How it ended: nothing comes behind what waits.
    var end: Result<Void, Failure>?
    /// Whether nobody takes any more.
    var isClosed = false
    var taker: CheckedContinuation<Void, Never>?
    var giver: CheckedContinuation<Void, Never>?
  }

  /// Brings a frame; the newest wins.
  ///
  /// - Returns: the frame that nobody will take: the one that waited, or this one after `finish` and `close`.
  func put(_ frame: Frame) -> Frame? {
    let (displaced, taker) = state.withLock { state in
      if state.isClosed || state.end != nil {
        return (Frame?.some(frame), CheckedContinuation<Void, Never>?.none)
      }
      defer { (state.waiting, state.taker) = (frame, nil) }
      return (state.waiting, state.taker)
    }
    taker?.resume()
    return displaced
  }

  /// Waits until no frame waits.
  ///
  /// - Returns: whether somebody takes frames.
  func room() async -> Bool {
    while true {
      let isOver = state.withLock { $0.isClosed ? true : $0.waiting == nil ? false : nil }
      if let isOver { return !isOver }
      await withCheckedContinuation { continuation in
        let isFree = state.withLock { state in
          if state.waiting == nil || state.isClosed { return true }
          state.giver = continuation
          return false
        }
        if isFree { continuation.resume() }
      }
    }
  }

  /// Says that no more frames come.
  func finish(_ end: Result<Void, Failure>) {
    let taker = state.withLock { state in
      state.end = state.end ?? end
      defer { state.taker = nil }
      return state.taker
    }
    taker?.resume()
  }

  /// Says that no more frames are taken.
  func close() {
    let waiting = state.withLock { state in
      state.isClosed = true
      state.waiting = nil
      defer { (state.taker, state.giver) = (nil, nil) }
      return [state.taker, state.giver]
    }
    for continuation in waiting { continuation?.resume() }
  }

  /// Waits for a frame and takes it.
  ///
  /// - Returns: `nil` once there are no more, and after `close`.
  /// - Throws: what `finish` was told, behind the last frame.
  func take() async throws(Failure) -> Frame? {
    while true {
      let (taken, giver) = state.withLock { state in
        let taken: Result<Frame?, Failure>?
        if state.isClosed {
          taken = .success(nil)
        } else if let frame = state.waiting {
          taken = .success(frame)
        } else {
          taken = state.end.map { $0.map { Frame?.none } }
        }
        state.waiting = nil
        defer { state.giver = nil }
        return (taken, state.giver)
      }
      giver?.resume()
      if let taken { return try taken.get() }
      await withCheckedContinuation { continuation in
        let isThere = state.withLock { state in
          if state.waiting != nil || state.end != nil || state.isClosed { return true }
          state.taker = continuation
          return false
        }
        if isThere { continuation.resume() }
      }
    }
  }
}
