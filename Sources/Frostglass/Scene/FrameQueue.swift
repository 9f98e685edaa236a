internal import FrostglassCore

/// Hands frames from who makes them to the threads that write them, a few at a time.
///
/// Who makes them waits without a thread; who writes them, in a thread of its own, waits in it.
package final class FrameQueue: Sendable {
  package struct Frame: Sendable {
    /// Counted from 0.
    package var index: Int
    package var image: Image

    package init(index: Int, image: Image) {
      self.index = index
      self.image = image
    }
  }

  /// Frames that may wait before no more are asked for.
  private let capacity: Int
  private let state: Monitor<State>

  private struct State {
    var waiting: [Frame] = []
    var ends = false
    var error: FrostglassError?
    var writers: Int
    /// Whether the result is about to have its place.
    var isCommitted = false
    /// Who waits for room, or for the writers' end.
    var maker: CheckedContinuation<Void, Never>?

    mutating func fail(_ error: FrostglassError) {
      if self.error == nil { self.error = error }
      waiting = []
      wakeMaker(if: !ends)
    }

    mutating func wakeMaker(if holds: Bool) {
      guard holds, let waiting = maker else { return }
      maker = nil
      waiting.resume()
    }
  }

  /// - Parameter writers: threads that will take frames, and `leave`.
  package init(capacity: Int, writers: Int) {
    self.capacity = capacity
    state = Monitor(State(writers: writers))
  }

  /// Gives a frame, and waits until another may be made; one caller at a time.
  ///
  /// - Throws: what a writer met with.
  package func put(_ frame: Frame) async throws(FrostglassError) {
    state.change { if $0.error == nil { $0.waiting.append(frame) } }
    await wait { [capacity] in $0.waiting.count < capacity || $0.error != nil }
    if let error = state.withLock({ $0.error }) { throw error }
  }

  /// Waits until the writers have written everything and left.
  ///
  /// - Throws: what a writer met with.
  package func finish() async throws(FrostglassError) {
    state.change { $0.ends = true }
    await wait { $0.writers == 0 }
    if let error = state.withLock({ $0.error }) { throw error }
  }

  /// The next frame; `nil` when there are no more, or something failed.
  package func take() -> Frame? {
    state.wait(until: { !$0.waiting.isEmpty || $0.ends || $0.error != nil }) { state in
      guard state.error == nil, !state.waiting.isEmpty else { return nil }
      let frame = state.waiting.removeFirst()
      state.wakeMaker(if: state.waiting.count < capacity && !state.ends)
      return frame
    }
  }

  /// Asks for the last time before the result has its place: who stops everything afterward is too late.
  ///
  /// For the only writer of one file. Numbered ones have their places one by one, and are stopped until
  /// the last writer has left.
  ///
  /// - Throws: what has stopped everything.
  package func commit() throws(FrostglassError) {
    let error = state.withLock { state in
      state.isCommitted = state.error == nil
      return state.error
    }
    if let error { throw error }
  }

  /// Stops everything; the first error counts.
  package func fail(_ error: FrostglassError) {
    state.change { $0.fail(error) }
  }

  /// Gives up what is not written yet.
  package func stop() {
    state.change { if !$0.isCommitted, $0.writers > 0 { $0.fail(.cancelled) } }
  }

  /// A writer is done.
  package func leave() {
    state.change { state in
      state.writers -= 1
      state.wakeMaker(if: state.writers == 0)
    }
  }

  private func wait(until holds: (State) -> Bool) async {
    await withCheckedContinuation { continuation in
      let goesOn = state.withLock { state in
        if holds(state) { return true }
        precondition(state.maker == nil, "one caller gives frames")
        state.maker = continuation
        return false
      }
      if goesOn { continuation.resume() }
    }
  }
}
