internal import FrostglassCore

/// Rows on their way from a run to an encoder, some at a time; of an animation, those of one frame
/// after another.
final class RowQueue: @unchecked Sendable {
  private let bytesPerRow: Int
  private let rowsPerFrame: Int
  /// Rows that may wait.
  private let capacity: Int
  private let bytes: UnsafeMutableRawPointer
  private let state = Monitor(State())

  private struct State {
    var written = 0
    var read = 0
    var isStopped = false
    /// How long who writes has waited for who reads, and the other way round.
    var writing: Duration = .zero
    var reading: Duration = .zero
  }

  /// - Parameters:
  ///   - bytesPerRow: rows have no gaps.
  ///   - rowsPerFrame: of a still all.
  init(bytesPerRow: Int, rowsPerFrame: Int) {
    self.bytesPerRow = bytesPerRow
    self.rowsPerFrame = rowsPerFrame
    capacity = Self.capacity
    bytes = UnsafeMutableRawPointer.allocate(byteCount: capacity * bytesPerRow, alignment: 64)
  }

  deinit { bytes.deallocate() }

  /// Rows that may wait: enough for both sides to go on while the other one sleeps.
  static let capacity = 64

  /// How long rows could not be written, as those before were not read yet.
  var timeWriterWaited: Duration { state.withLock { $0.writing } }
  /// How long rows could not be read, as they were not written yet.
  var timeReaderWaited: Duration { state.withLock { $0.reading } }

  /// Ends both sides.
  func stop() { state.change { $0.isStopped = true } }

  /// Copies the next row to an encoder.
  ///
  /// - Throws: `BackendError.cancelled` once it was stopped.
  func read(into target: UnsafeMutableRawPointer) throws(BackendError) {
    let place = wait(\.reading) {
      $0.read < $0.written
    } then: {
      $0.read % capacity
    }
    guard let place else { throw .cancelled }
    target.copyMemory(from: bytes + place * bytesPerRow, byteCount: bytesPerRow)
    state.change { $0.read += 1 }
  }

  /// Takes the rows of a frame, counted from 0, once those before are there.
  func rows(of frame: Int) -> any RowSink { Rows(queue: self, first: frame * rowsPerFrame) }

  private struct Rows: RowSink {
    let queue: RowQueue
    /// The first row's number among those of all frames.
    let first: Int

    func write(_ rows: Range<Int>, _ bytes: UnsafeRawBufferPointer) throws {
      var (row, left) = (first + rows.lowerBound, bytes[...])
      while !left.isEmpty {
        let count = try queue.write(row, UnsafeRawBufferPointer(rebasing: left))
        row += count
        left = left.dropFirst(count * queue.bytesPerRow)
      }
    }
  }

  /// Takes as many rows as there is room for, at least one, and wakes the other side once for them.
  ///
  /// - Returns: how many.
  private func write(
    _ row: Int, _ source: UnsafeRawBufferPointer
  ) throws(BackendError) -> Int {
    let room = wait(\.writing) { [capacity] in
      $0.written == row && row - $0.read < capacity
    } then: { [capacity] in
      capacity - (row - $0.read)
    }
    guard let room, let start = source.baseAddress else { throw .cancelled }
    let count = min(room, source.count / bytesPerRow)
    for index in 0..<count {
      (bytes + (row + index) % capacity * bytesPerRow).copyMemory(
        from: start + index * bytesPerRow, byteCount: bytesPerRow)
    }
    state.change { $0.written = row + count }
    return count
  }

  /// - Returns: `nil` once it was stopped.
  private func wait(
    _ duration: WritableKeyPath<State, Duration>, until holds: (State) -> Bool,
    then place: (State) -> Int
  ) -> Int? {
    // The clock is read where there is something to wait for.
    var start: ContinuousClock.Instant?
    return state.wait(until: { state in
      if state.isStopped || holds(state) { return true }
      start = start ?? .now
      return false
    }) { state in
      if let start { state[keyPath: duration] += start.duration(to: .now) }
      return state.isStopped ? nil : place(state)
    }
  }
}
