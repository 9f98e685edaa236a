internal import FrostglassCore
internal import Synchronization

/// Frames of a stream through a renderer: read, rendered and written side by side, in order, in memory
/// for a few of them.
package final class VideoRun: Sendable {
  private let reader: FrameReader
  private let renderer: VideoRenderer
  private let sender: FrameSender
  private let rate: FrameRate?
  private let slots: [FrameSlot]
  private let callers = ThreadPool()
  private let outcome = Mutex(Outcome())

  /// A frame on its way.
  private struct Frame: Sendable {
    /// From 0.
    let index: Int
    /// Came before it.
    let line: [UInt8]
    let slot: FrameSlot
  }

  private struct Outcome {
    var frames = 0
    var recoveries: [Recovery] = []
  }

  /// - Parameters:
  ///   - rate: the frame rate; `nil` takes it from the stream's first line.
  ///   - atOnce: frames that are on their way together: one is read, one is written, and the others are
  ///     rendered.
  package init(
    _ reader: FrameReader, _ renderer: VideoRenderer, _ sender: FrameSender,
    rate: FrameRate? = nil, atOnce: Int = 3
  ) {
    self.rate = rate ?? reader.header?.rate
    self.reader = reader
    self.renderer = renderer
    self.sender = sender
    let bytes = renderer.layout.byteCount(of: renderer.size)
    slots = (0..<max(atOnce, 1)).map { _ in FrameSlot(bytes, renderer.resultBytes) }
  }

  /// Runs to the end of the stream, or to the first failure; frames before it are written.
  ///
  /// - Parameter progress: told the number of frames that are written, after each.
  /// - Returns: the number of frames, and the device failures that were recovered from.
  /// - Throws: `VideoError`.
  package func run(
    progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws(VideoError) -> (frames: Int, recoveries: [Recovery]) {
    try await callers.run { [sender] () throws(VideoError) in try sender.begin() }
    try await FrameLoop(atOnce: slots.count).run { [self] index throws(VideoError) in
      let slot = slots[index % slots.count]
      return try await callers.run { [reader] () throws(VideoError) in
        try reader.next(index + 1, into: slot.frame).map { line in
          Frame(index: index, line: line, slot: slot)
        }
      }
    } work: { [self] frame throws(VideoError) in
      try await renderer.render(
        UnsafeRawBufferPointer(frame.slot.frame), into: frame.slot.result,
        at: FrameMoment(index: frame.index, rate: rate))
    } write: { [self] frame, recoveries throws(VideoError) in
      try await callers.run { [sender] () throws(VideoError) in
        let slot = frame.slot
        try sender.send(
          frame.line, UnsafeRawBufferPointer(rebasing: slot.result[..<slot.frame.count]))
      }
      outcome.withLock {
        $0.frames += 1
        $0.recoveries += recoveries
      }
      progress(frame.index + 1)
    }
    let (frames, recoveries) = outcome.withLock { ($0.frames, $0.recoveries) }
    try renderer.masks?.finish(
      after: frames > 0 ? FrameMoment(index: frames - 1, rate: rate) : nil)
    return (frames, recoveries)
  }
}
