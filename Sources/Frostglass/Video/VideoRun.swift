internal import FrostglassCore
internal import Synchronization

/// Frames of a stream through a renderer: read, rendered and written side by side, in order, in memory
/// for a few of them.
package final class VideoRun: Sendable {
  private let reader: FrameReader
  private let renderer: VideoRenderer
  private let sender: FrameSender
  private let rate: FrameRate?
  private let slots: [Slot]
  /// Lets as many frames in as there is memory for.
  private let room: FrameOrder
  private let callers = ThreadPool()
  private let outcome = Mutex(Outcome())

  /// Memory of one frame on its way.
  private final class Slot: @unchecked Sendable {
    let frame: UnsafeMutableRawBufferPointer
    let result: UnsafeMutableRawBufferPointer

    init(_ frameBytes: Int, _ resultBytes: Int) {
      frame = .allocate(byteCount: frameBytes, alignment: 64)
      result = .allocate(byteCount: resultBytes, alignment: 64)
    }

    deinit {
      frame.deallocate()
      result.deallocate()
    }
  }

  private struct Outcome {
    var frames = 0
    var recoveries: [Recovery] = []
    var error: VideoError?
  }

  /// - Parameters:
  ///   - rate: when frames are shown; `nil` is as the reader's first line says.
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
    slots = (0..<max(atOnce, 1)).map { _ in Slot(bytes, renderer.resultBytes) }
    room = FrameOrder(atOnce: slots.count)
  }

  /// Runs to the end of the stream, or to the first failure; frames before it are written.
  ///
  /// - Parameter progress: told the number of frames that are written, after each.
  /// - Returns: how many frames there were, and what the device survived.
  /// - Throws: `VideoError`.
  package func run(
    progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws(VideoError) -> (frames: Int, recoveries: [Recovery]) {
    try await callers.run { [sender] () throws(VideoError) in try sender.begin() }
    var last: Task<Void, Never>?
    var failure: VideoError?
    for number in 1... {
      let ticket = await room.enter()
      let slot = slots[ticket % slots.count]
      guard outcome.withLock({ $0.error == nil }) else { break }
      let line: [UInt8]?
      do throws(VideoError) {
        line = try await callers.run { [reader] () throws(VideoError) in
          try reader.next(number, into: slot.frame)
        }
      } catch {
        failure = error
        break
      }
      guard let line else { break }
      let before = last
      last = Task { [self] in
        let rendered = await rendered(slot, number)
        await before?.value
        await write(line, slot, rendered, number)
        await room.leave(ticket)
        progress(number)
      }
    }
    await last?.value
    if failure == nil, let masks = renderer.masks {
      let frames = outcome.withLock(\.frames)
      let last = frames > 0 ? FrameMoment(index: frames - 1, rate: rate) : nil
      do throws(VideoError) { try masks.finish(after: last) } catch { failure = error }
    }
    return try outcome.withLock { outcome throws(VideoError) in
      // What came first is what happened.
      if let error = outcome.error ?? failure { throw error }
      return (outcome.frames, outcome.recoveries)
    }
  }

  private func rendered(_ slot: Slot, _ number: Int) async -> Result<[Recovery], VideoError> {
    do throws(VideoError) {
      return .success(
        try await renderer.render(
          UnsafeRawBufferPointer(slot.frame), into: slot.result,
          at: FrameMoment(index: number - 1, rate: rate)))
    } catch { return .failure(error) }
  }

  /// Writes a frame, unless one before it failed.
  private func write(
    _ line: [UInt8], _ slot: Slot, _ rendered: Result<[Recovery], VideoError>, _ number: Int
  ) async {
    guard outcome.withLock({ $0.error == nil }) else { return }
    do throws(VideoError) {
      let recoveries = try rendered.get()
      let count = slot.frame.count
      try await callers.run { [sender] () throws(VideoError) in
        try sender.send(line, UnsafeRawBufferPointer(rebasing: slot.result[..<count]))
      }
      outcome.withLock {
        $0.frames = number
        $0.recoveries += recoveries
      }
    } catch { outcome.withLock { $0.error = error } }
  }
}
