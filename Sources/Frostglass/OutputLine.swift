internal import FrostglassCore
internal import FrostglassStills
internal import Synchronization

/// One of a job's outputs: a queue of rows between run and encoder, which publishes the file
/// when all outputs are complete.
final class OutputLine: Sendable {
  let output: Job.Output
  let format: StillFormat
  /// The plan for a frame in this output alone.
  let plan: Plan
  /// Frames that will be written: more than 1 for an animation.
  let frames: Int
  /// The size of what is written.
  let size: Size
  let queue: RowQueue
  /// True if bytes are written directly to where they are read, so that no file is published.
  let isInPlace: Bool
  private let edges = SoftEdges()
  private let colorCount: ColorCount?

  /// True if the format made partly transparent pixels fully transparent or opaque.
  var hasHardEdges: Bool { edges.wereFound }
  /// True if a GIF has no room for the colors outside a mask, so that they change there too.
  var changesOutside: Bool {
    output.encoding.keptColors?.areLost ?? colorCount?.isExceeded ?? false
  }

  /// - Throws: `FrostglassError` for what can be refused before any pixel is decoded.
  init(_ output: Job.Output, of reader: StillReader, frames inFile: Int) throws(FrostglassError) {
    let header = reader.header
    var output = output
    isInPlace = output.sink.isInPlace
    format = try mapped(
      FrostglassError.encode, output.sink.format(output.format, input: header.format))
    frames = format.canAnimate ? inFile : 1
    plan = try output.recipe.plan(for: Plan.Input(header), as: format)
    let result = plan.result.rect.size
    size = output.encoding.resize?.size(of: result) ?? result
    try mapped(FrostglassError.encode, format.checkSize(size, frames: frames))
    let hasMask = output.recipe.options.mask != nil
    let isResized = header.size != header.fileSize || size != result
    if format == .gif, !isResized, hasMask || output.recipe.chain.filters.isEmpty {
      output.encoding.keptColors = reader.keptColors(frames: frames)
    }
    self.output = output
    colorCount =
      format == .gif && hasMask && !isResized && output.encoding.keptColors == nil
      ? ColorCount(rowsPerFrame: plan.result.rect.height) : nil
    queue = RowQueue(
      bytesPerRow: plan.result.rect.width * plan.result.format.bytesPerPixel,
      rowsPerFrame: plan.result.rect.height)
  }

  /// The size of all frames that are read, stacked vertically, before resizing.
  var imageSize: Size {
    let size = plan.result.rect.size
    return Size(width: size.width, height: size.height * frames)
  }

  /// The largest size that a frame has on its way to another one; `nil` where it keeps its own.
  var largest: Size? { output.encoding.resize?.largest(of: plan.result.rect.size) }

  /// About how many bytes the rows that wait and the encoder take.
  var memory: Int {
    let result = plan.result
    // A frame, what it becomes, and that as rows.
    let resizing =
      largest.map { (result.rect.area + 2 * $0.area) * result.format.bytesPerPixel } ?? 0
    return RowQueue.capacity * result.rect.width * result.format.bytesPerPixel + resizing
      + StillEncoder(output.encoding).memory(
        size, frames: frames, result.format, as: format, byRows: true)
  }

  /// Writes the file from the rows that come.
  func encode(
    _ metadata: StillMetadata?, _ cancellation: Cancellation, _ progress: ProgressMeter,
    together others: OutputOrder,
    accepting: (@Sendable () throws(FrostglassError) -> Void)?
  ) throws(FrostglassError) {
    var metadata = metadata
    // A still has no frame durations.
    if frames == 1 { metadata?.animation = nil }
    let size = plan.result.rect.size
    let channels = plan.result.format.layout.channels
    let looksForEdges = format == .gif && plan.result.format == .rgba8
    var rows = StillRows(
      size: Size(width: size.width, height: size.height * frames), format: plan.result.format
    ) { [queue, edges, colorCount] row in
      try queue.read(into: row)
      colorCount?.look(at: row, pixels: size.width, channels: channels)
      if looksForEdges { edges.look(at: row, pixels: size.width) }
      progress.rowDone()
    } finish: { [isInPlace] in
      try cancellation.check()
      try accepting?()
      try others.wait(isInPlace: isInPlace)
    }
    if let tell = output.telling {
      rows.telling = { [plan] digest in try tell(plan.inputs[0].size, digest) }
    }
    try StillEncoder(output.encoding).write(
      rows, metadata: metadata, as: format, to: output.sink)
    others.publish(isInPlace: isInPlace)
  }
}

/// The order in which the outputs of a job are published: none before all are whole, and those written in place,
/// such as a pipe, before files get their names, as writing may fail.
final class OutputOrder: Sendable {
  private let whole: AllOrNone
  private let inPlace: AllOrNone

  init(_ outputs: [OutputLine]) {
    whole = AllOrNone(outputs.count)
    inPlace = AllOrNone(outputs.count(where: \.isInPlace))
  }

  /// The total time that finished outputs waited for others.
  var waited: Duration { whole.waited + inPlace.waited }

  /// Stops the outputs, unless all are whole.
  ///
  /// - Returns: true if no further file is published. Once all outputs are whole, publishing continues.
  @discardableResult
  func stop() -> Bool {
    let (waits, isPart) = (inPlace.stop(), whole.stop())
    return waits || isPart
  }

  /// Waits until an output that is whole may be seen.
  ///
  /// - Throws: `BackendError.cancelled` where another failed.
  func wait(isInPlace: Bool) throws(BackendError) {
    try whole.arrive()
    if !isInPlace { try inPlace.wait() }
  }

  /// Notes that an output is where it belongs.
  func publish(isInPlace: Bool) { if isInPlace { inPlace.count() } }
}

extension StillEncoder {
  /// Writes an image whose rows are made meanwhile, with the errors of those who make them in a job's terms.
  ///
  /// - Throws: `FrostglassError.encode`, or what ended the making of rows; then nothing was written.
  func write(
    _ rows: StillRows, metadata: StillMetadata?, as format: StillFormat, to sink: StillSink
  ) throws(FrostglassError) {
    do {
      try encode(rows, metadata: metadata, as: format, to: sink)
    } catch let error as EncodeError {
      throw .encode(error)
    } catch let error as BackendError {
      throw FrostglassError(error)
    } catch let error as FrostglassError {
      throw error
    } catch let error as VipsFailure {
      throw .encode(.cannotEncode(format: format, reason: error.reason))
    } catch {
      throw .encode(.cannotEncode(format: format, reason: "\(error)"))
    }
  }
}

/// A flag set once an image has partly transparent pixels.
final class SoftEdges: Sendable {
  private let found = Atomic(false)

  var wereFound: Bool { found.load(ordering: .relaxed) }

  /// Looks through a row of 8-bit RGBA, unless there is no need any more.
  func look(at row: UnsafeRawPointer, pixels: Int) {
    guard !wereFound else { return }
    let samples = row.assumingMemoryBound(to: UInt8.self)
    for x in 0..<pixels where samples[4 * x + 3] != 0 && samples[4 * x + 3] != 255 {
      found.store(true, ordering: .relaxed)
      return
    }
  }

  /// Looks through an image; only those of 8-bit RGBA have such pixels.
  func look(at image: Image) {
    guard !wereFound, image.format == .rgba8 else { return }
    image.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      for y in 0..<image.size.height {
        look(at: start + y * image.bytesPerRow, pixels: image.size.width)
      }
    }
  }
}

/// Lets several go on once all of them have come so far, or none.
final class AllOrNone: Sendable {
  private let state: Monitor<State>

  private struct State {
    /// The number of participants still missing.
    var missing: Int
    var isStopped = false
    /// The total time that finished participants waited.
    var waited: Duration = .zero
  }

  init(_ count: Int) { state = Monitor(State(missing: count)) }

  /// The total time that finished participants waited.
  var waited: Duration { state.withLock { $0.waited } }

  /// Stops all participants, unless all have arrived.
  ///
  /// - Returns: true if they are stopped.
  @discardableResult
  func stop() -> Bool {
    state.change { state in
      if state.missing > 0 { state.isStopped = true }
      return state.isStopped
    }
  }

  /// Counts a participant that has arrived and need not wait.
  func count() { state.change { if !$0.isStopped { $0.missing -= 1 } } }

  /// Waits for the others.
  ///
  /// - Throws: `BackendError.cancelled` once it was stopped.
  func arrive() throws(BackendError) {
    count()
    try wait()
  }

  /// Waits for all others.
  ///
  /// - Throws: as `arrive`.
  func wait() throws(BackendError) {
    let start = ContinuousClock.now
    let goesOn = state.wait(until: { $0.missing == 0 || $0.isStopped }) { state in
      state.waited += start.duration(to: .now)
      return state.missing == 0
    }
    guard goesOn else { throw .cancelled }
  }
}

/// Rows on their way from a run to an encoder, some at a time; of an animation, those of one frame
/// after another.
final class RowQueue: Sendable {
  private let bytesPerRow: Int
  private let rowsPerFrame: Int
  /// Rows that may wait.
  private let capacity: Int
  /// Each side touches only rows that `State` leaves to it.
  private let memory: OwnedMemory
  private let state = Monitor(State())

  private struct State {
    var written = 0
    var read = 0
    var isStopped = false
    /// The time the writer waited for the reader, and the reader for the writer.
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
    memory = OwnedMemory(capacity * bytesPerRow)
  }

  /// Rows that may wait: enough for both sides to go on while the other one sleeps.
  static let capacity = 64

  /// The time rows could not be written because earlier ones were not read yet.
  var timeWriterWaited: Duration { state.withLock { $0.writing } }
  /// The time rows could not be read because they were not written yet.
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
    UnsafeMutableRawBufferPointer(start: target, count: bytesPerRow)
      .copyMemory(from: UnsafeRawBufferPointer(row(at: place)))
    state.change { $0.read += 1 }
  }

  /// A row's memory.
  private func row(at place: Int) -> UnsafeMutableRawBufferPointer {
    let start = place * bytesPerRow
    return UnsafeMutableRawBufferPointer(rebasing: memory.bytes[start..<start + bytesPerRow])
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

  /// Writes as many rows as there is room for, at least one, and wakes the reader once for them.
  ///
  /// - Returns: the number of rows written.
  private func write(
    _ row: Int, _ source: UnsafeRawBufferPointer
  ) throws(BackendError) -> Int {
    let room = wait(\.writing) { [capacity] in
      $0.written == row && row - $0.read < capacity
    } then: { [capacity] in
      capacity - (row - $0.read)
    }
    guard let room else { throw .cancelled }
    let count = min(room, source.count / bytesPerRow)
    for index in 0..<count {
      self.row(at: (row + index) % capacity).copyMemory(
        from: UnsafeRawBufferPointer(
          rebasing: source[index * bytesPerRow..<(index + 1) * bytesPerRow]))
    }
    state.change { $0.written = row + count }
    return count
  }

  /// - Returns: `nil` once it was stopped.
  private func wait(
    _ duration: WritableKeyPath<State, Duration>, until holds: (State) -> Bool,
    then place: (State) -> Int
  ) -> Int? {
    // Read the clock only when waiting.
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
