internal import FrostglassCore

/// A file's frames as rows, each frame's after those of the one before, whoever asks for them.
final class StillFrames: @unchecked Sendable {
  private let reader: StillReader
  private let frames: Int
  private let state = Monitor(State())

  private struct State {
    /// The frame whose rows are read.
    var frame = 0
    /// Rows that were read of all frames.
    var rowsRead = 0
    /// What went wrong.
    var failure: DecodeError?
    var isStopped = false
    /// How long decoding took.
    var duration: Duration = .zero
  }

  /// - Parameters:
  ///   - reader: nobody else reads from it.
  ///   - frames: how many of them are asked for; 1 of a still.
  init(_ reader: StillReader, frames: Int) {
    self.reader = reader
    self.frames = frames
  }

  /// What went wrong.
  var failure: DecodeError? { state.withLock { $0.failure } }
  /// How long decoding took so far.
  var duration: Duration { state.withLock { $0.duration } }

  /// Ends all that reads, and what libvips computes.
  func stop() {
    state.change { $0.isStopped = true }
    reader.cancel()
  }

  /// The rows of a frame, counted from 0.
  func rows(of frame: Int) -> any RowSource { Rows(frames: self, frame: frame) }

  private struct Rows: RowSource {
    let frames: StillFrames
    let frame: Int

    func read(_ rows: Range<Int>, into target: UnsafeMutableRawPointer) throws {
      try frames.read(frame, rows, into: target)
    }

    func image() throws -> Image? { try frames.image() }

    func end() { frames.end(frame) }
  }

  private func read(
    _ frame: Int, _ rows: Range<Int>, into target: UnsafeMutableRawPointer
  ) throws {
    try begin(frame)
    let first = frame * reader.header.size.height
    try reading { reader throws(DecodeError) in
      try skip(to: first + rows.lowerBound)
      try reader.read(first + rows.lowerBound..<first + rows.upperBound, into: target)
      state.withLock { $0.rowsRead = first + rows.upperBound }
    }
    if rows.upperBound == reader.header.size.height { end(frame) }
  }

  /// A still, decoded whole.
  private func image() throws -> Image? {
    guard frames == 1 else { return nil }
    try begin(0)
    var image: Image?
    try reading { reader throws(DecodeError) in image = try reader.image() }
    return image
  }

  /// Waits until the frames before are read.
  private func begin(_ frame: Int) throws {
    let isStopped = state.wait(until: {
      $0.frame == frame || $0.failure != nil || $0.isStopped
    }) { $0.isStopped || $0.frame != frame }
    if isStopped { throw BackendError.cancelled }
  }

  private func end(_ frame: Int) {
    guard state.withLock({ $0.frame }) == frame else { return }
    reader.leaveThread()
    state.change { $0.frame += 1 }
  }

  /// Takes the time, and remembers what goes wrong.
  private func reading(_ body: (StillReader) throws(DecodeError) -> Void) throws(DecodeError) {
    let start = ContinuousClock.now
    defer { state.withLock { $0.duration += start.duration(to: .now) } }
    do throws(DecodeError) { try body(reader) } catch {
      state.change { $0.failure = $0.failure ?? error }
      throw error
    }
  }

  /// Reads what no plan has asked for: a frame's last rows, if nothing looks at them.
  private func skip(to row: Int) throws(DecodeError) {
    let rowsRead = state.withLock { $0.rowsRead }
    guard rowsRead < row else { return }
    let count = reader.header.size.width * reader.header.pixelFormat.bytesPerPixel
    let unused = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 16)
    defer { unused.deallocate() }
    for y in rowsRead..<row { try reader.read(y..<y + 1, into: unused) }
  }
}
