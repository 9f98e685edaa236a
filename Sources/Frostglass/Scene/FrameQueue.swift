internal import FrostglassCore
internal import Synchronization

/// A bounded producer/consumer queue of frames.
///
/// The producer waits without a thread. Each consumer waits in a thread of its own.
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

  private let frames: BoundedQueue<Frame, FrostglassError>
  private let state: Monitor<State>

  private struct State {
    var writers: Int
    /// True if the result is about to be published.
    var isCommitted = false
  }

  /// - Parameters:
  ///   - capacity: frames that may wait before no more are asked for.
  ///   - writers: threads that will take frames, and `leave`.
  package init(capacity: Int, writers: Int) {
    frames = BoundedQueue(capacity: capacity)
    state = Monitor(State(writers: writers))
  }

  /// Gives a frame, and waits until another may be made; one caller at a time.
  ///
  /// - Throws: what a writer met with.
  package func put(_ frame: Frame) async throws(FrostglassError) {
    frames.put(frame)
    _ = try await frames.waitForRoom()
  }

  /// Waits until the writers have written everything and left.
  ///
  /// - Throws: what a writer met with.
  package func finish() async throws(FrostglassError) {
    frames.finish()
    await state.suspend { $0.writers == 0 }
    try frames.check()
  }

  /// The next frame; `nil` when there are no more.
  ///
  /// - Throws: what has stopped everything.
  package func take() throws(FrostglassError) -> Frame? { try frames.takeBlocking() }

  /// Asks for the last time before the result has its place: who stops everything afterward is too late.
  ///
  /// For the only writer of one file. Numbered ones have their places one by one, and are stopped until
  /// the last writer has left.
  ///
  /// - Throws: what has stopped everything.
  package func commit() throws(FrostglassError) {
    state.withLock { $0.isCommitted = true }
    try frames.check()
  }

  /// Stops everything; the first error counts.
  package func fail(_ error: FrostglassError) { frames.close(.failure(error)) }

  /// Gives up what is not written yet.
  package func stop() {
    state.withLock { if !$0.isCommitted, $0.writers > 0 { fail(.cancelled) } }
  }

  /// A writer is done.
  package func leave() { state.change { $0.writers -= 1 } }
}
