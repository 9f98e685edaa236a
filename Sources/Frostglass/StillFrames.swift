internal import FrostglassCore
internal import FrostglassStills

/// The frames of a file as rows, one frame after another, for any number of readers.
final class StillFrames: Sendable {
  /// One thread at a time decodes, see `State.isApart`.
  private nonisolated(unsafe) let reader: StillReader
  private let frames: Int
  private let state = Monitor(State())

  private struct State {
    /// The frame whose rows are read.
    var frame = 0
    /// Rows that were read of all frames.
    var rowsRead = 0
    /// The error that stopped decoding.
    var failure: DecodeError?
    var isStopped = false
    /// The time decoding took.
    var duration: Duration = .zero
    /// True if a separate thread decodes for the one that waits. Nobody else may use the reader then.
    var isApart = false
    /// The result of the separate thread.
    var found: Result<Found, DecodeError>?
  }

  /// The first rows, without gaps, or all of an image.
  private enum Found: Sendable {
    case rows(OwnedMemory)
    case image(Image)
  }

  /// - Parameters:
  ///   - reader: nobody else reads from it.
  ///   - frames: the number of frames wanted; 1 for a still.
  init(_ reader: StillReader, frames: Int) {
    self.reader = reader
    self.frames = frames
  }

  /// The error that stopped decoding.
  var failure: DecodeError? { state.withLock { $0.failure } }
  /// The time decoding took so far.
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
    try reading { reader in
      let wanted = first + rows.lowerBound..<first + rows.upperBound
      if state.withLock({ $0.rowsRead }) == 0, wanted.lowerBound == 0 {
        // Some codecs decode all of an image for its first row, and do not hear that nobody waits any more.
        let count = wanted.count * rowBytes
        let found = try apart { reader throws(DecodeError) in
          let rows = OwnedMemory(count)
          if let start = rows.bytes.baseAddress { try reader.read(wanted, into: start) }
          return .rows(rows)
        }
        if case .rows(let rows) = found, let start = rows.bytes.baseAddress {
          target.copyMemory(from: start, byteCount: count)
        }
      } else {
        try skip(to: wanted.lowerBound)
        try reader.read(wanted, into: target)
      }
      state.withLock { $0.rowsRead = wanted.upperBound }
    }
    if rows.upperBound == reader.header.size.height { end(frame) }
  }

  /// A still, decoded whole.
  private func image() throws -> Image? {
    guard frames == 1 else { return nil }
    try begin(0)
    var image: Image?
    try reading { _ in
      let found = try apart { reader throws(DecodeError) in .image(try reader.image()) }
      if case .image(let decoded) = found { image = decoded }
    }
    return image
  }

  /// Lets another thread decode, and leaves it to itself where it is stopped.
  private func apart(
    _ body: @escaping @Sendable (StillReader) throws(DecodeError) -> Found
  ) throws -> Found {
    state.withLock { $0.isApart = true }
    let mayStart = BackgroundThread.start { [self] in
      let found = Result { () throws(DecodeError) in try body(reader) }
      reader.leaveThread()
      state.change { ($0.found, $0.isApart) = (found, false) }
    }
    guard mayStart else {
      defer { state.withLock { $0.isApart = false } }
      return try body(reader)
    }
    let found = state.wait(until: { $0.found != nil || $0.isStopped }) { state in
      defer { state.found = nil }
      return state.found
    }
    guard let found else { throw BackendError.cancelled }
    return try found.get()
  }

  private var rowBytes: Int {
    reader.header.size.width * reader.header.pixelFormat.bytesPerPixel
  }

  /// Waits until the frames before are read.
  private func begin(_ frame: Int) throws {
    let isStopped = state.wait(until: {
      $0.frame == frame || $0.failure != nil || $0.isStopped
    }) { $0.isStopped || $0.frame != frame }
    if isStopped { throw BackendError.cancelled }
  }

  private func end(_ frame: Int) {
    let (current, isApart) = state.withLock { ($0.frame, $0.isApart) }
    guard current == frame else { return }
    if !isApart { reader.leaveThread() }
    state.change { $0.frame += 1 }
  }

  /// Takes the time, and remembers what goes wrong.
  private func reading(_ body: (StillReader) throws -> Void) throws {
    let start = ContinuousClock.now
    defer { state.withLock { $0.duration += start.duration(to: .now) } }
    do { try body(reader) } catch let error as DecodeError {
      state.change { $0.failure = $0.failure ?? error }
      throw error
    }
  }

  /// Reads what no plan has asked for: a frame's last rows, if nothing looks at them.
  private func skip(to row: Int) throws(DecodeError) {
    let rowsRead = state.withLock { $0.rowsRead }
    guard rowsRead < row else { return }
    let unused = UnsafeMutableRawPointer.allocate(byteCount: rowBytes, alignment: 16)
    defer { unused.deallocate() }
    for y in rowsRead..<row { try reader.read(y..<y + 1, into: unused) }
  }
}
