internal import Synchronization

/// The inputs and outputs of a run, and its cancellation.
public struct PixelIO: Sendable {
  /// The inputs, in the plan's order.
  public var inputs: [PixelInput]
  /// The outputs, in the order of the plan's results.
  public var outputs: [PixelOutput]
  /// The cancellation that stops the run early; `nil` if only canceling its task does.
  public var cancellation: Cancellation?
  /// Called for each recovered device failure, when it happens.
  public var recovered: (@Sendable (Recovery) -> Void)?
  /// Called regularly with the share of work done, 0 to 1, by the thread that runs a prepared plan
  /// on the CPU, while it computes.
  package var progress: (@Sendable (Double) -> Void)?

  /// Inputs and outputs of one run, in the plan's order.
  public init(
    _ inputs: [PixelInput], to outputs: [PixelOutput], cancellation: Cancellation? = nil
  ) {
    self.inputs = inputs
    self.outputs = outputs
    self.cancellation = cancellation
  }

  /// Checks that a plan is well formed, so that no step reads what is not there, and that inputs and
  /// outputs are the ones it was made for.
  ///
  /// - Throws: `BackendError.inputMismatch` or `.failed`.
  public func check(_ plan: Plan) throws(BackendError) {
    do { try plan.validate(for: .none) } catch {
      throw .unfit("\(error)")
    }
    try checkPlaces(plan)
  }

  /// Checks that inputs and outputs are the ones a plan was made for.
  package func checkPlaces(_ plan: Plan) throws(BackendError) {
    try checkPlaces(plan.inputs, plan.results)
  }

  /// Checks that inputs and outputs are as they are described.
  package func checkPlaces(
    _ described: [Plan.Input], _ results: [Plan.Result]
  ) throws(BackendError) {
    guard inputs.count == described.count else {
      throw .unfit("\(inputs.count) images for a plan with \(described.count) inputs")
    }
    for (index, (expected, input)) in zip(described, inputs).enumerated() {
      try input.check(expected, index)
    }
    guard outputs.count == results.count else {
      let accepted = results.count == 1 ? "one result" : "\(results.count) results"
      throw .unfit("\(outputs.count) outputs for a plan with \(accepted)")
    }
    for (output, result) in zip(outputs, results) { try output.check(result) }
  }
}

/// The source of one of a plan's inputs.
public enum PixelInput: Sendable {
  /// An image in memory.
  case image(Image)
  /// The caller's memory.
  case memory(PixelMemory)
  /// Rows, read one after another.
  case rows(any RowSource)
  /// An image on the backend's device.
  case resident(any ResidentImage)

  /// True if the image is on the backend's device.
  package var isResident: Bool { if case .resident = self { true } else { false } }

  fileprivate func check(_ expected: Plan.Input, _ index: Int) throws(BackendError) {
    switch self {
    case .rows: return
    case .memory(let memory): try memory.check(expected, index)
    case .image(let image):
      try expected.check(
        Plan.Input(image), index, bytes: image.byteCount, of: image.neededBytes)
    case .resident(let picture): try expected.check(picture.input, index, bytes: 0, of: 0)
    }
  }

  /// The whole image in memory; `nil` for one on a device.
  ///
  /// Waits for rows, and reads them in this thread.
  package func gathered(
    _ input: Plan.Input, _ cancellation: Cancellation?
  ) throws(BackendError) -> Image? {
    switch self {
    case .image(let image): return image
    case .resident: return nil
    case .memory(let memory):
      try MemoryRoom.check(input)
      var image = Image(uninitialized: input)
      image.fillRows { y, row in
        row.copyMemory(from: memory.row(y))
        return true
      }
      return image
    case .rows(let source):
      defer { source.end() }
      var failure: BackendError?
      do {
        if let image = try source.image(), Plan.Input(image) == input { return image }
      } catch { throw .interrupted(error, cancellation) }
      try MemoryRoom.check(input)
      var image = Image(uninitialized: input)
      image.fillRows { y, row in
        guard let start = row.baseAddress else { return false }
        do {
          try cancellation?.check()
          try source.read(y..<y + 1, into: start)
        } catch { failure = .interrupted(error, cancellation) }
        return failure == nil
      }
      if let failure { throw failure }
      return image
    }
  }
}

/// The destination of one of a plan's results.
public enum PixelOutput: Sendable {
  /// An image, available after the run.
  case image(ImageOutput)
  /// The caller's memory.
  case memory(MutablePixelMemory)
  /// Rows, delivered one after another.
  case rows(any RowSink)
  /// An image that stays on the backend's device.
  case resident(ResidentOutput)

  /// True if the result stays on the backend's device.
  package var isResident: Bool { if case .resident = self { true } else { false } }

  fileprivate func check(_ result: Plan.Result) throws(BackendError) {
    switch self {
    case .memory(let memory): try memory.check(result)
    case .image(let output): try output.check(result)
    case .rows, .resident: return
    }
  }

  /// Hands over a whole result, where this is not one on a device; rows in this thread.
  package func deliver(_ image: Image, _ cancellation: Cancellation?) throws(BackendError) {
    switch self {
    case .resident: return
    case .image(let output): output.put(image)
    case .memory(let memory):
      image.forEachRows(of: 1) { rows, bytes in
        memory.row(rows.lowerBound).copyMemory(from: bytes)
        return true
      }
    case .rows(let sink):
      var failure: BackendError?
      image.forEachRows(of: 16) { rows, bytes in
        do {
          try cancellation?.check()
          try sink.write(rows, bytes)
        } catch { failure = .interrupted(error, cancellation) }
        return failure == nil
      }
      if let failure { throw failure }
    }
  }
}

/// Samples in the caller's memory, which must not change until the run ends.
public struct PixelMemory: Sendable {
  /// Size, format, alpha and transfer of the pixels.
  public let description: Plan.Input
  /// `bytesPerRow * (height - 1) + width * bytesPerPixel` bytes or more.
  public nonisolated(unsafe) let bytes: UnsafeRawBufferPointer
  /// Distance between the starts of two rows, in bytes; at least `width * bytesPerPixel`.
  public let bytesPerRow: Int

  /// - Parameter bytesPerRow: `nil` means rows without gaps.
  public init(_ description: Plan.Input, bytes: UnsafeRawBufferPointer, bytesPerRow: Int? = nil) {
    self.description = description
    self.bytes = bytes
    self.bytesPerRow = bytesPerRow ?? description.bytesPerRow
  }

  /// Checks that it matches a plan's input.
  package func check(_ expected: Plan.Input, _ index: Int = 0) throws(BackendError) {
    let needed = description.bytesNeeded(with: bytesPerRow)
    try expected.check(description, index, bytes: bytes.count, of: needed ?? 0)
    // With a smaller stride, rows would be read from outside the memory.
    guard needed != nil else {
      throw .unfit(
        "input \(index) has rows of \(bytesPerRow) bytes; \(description.size) pixels of "
          + "\(description.format) need rows of \(description.bytesPerRow) or more, within memory")
    }
  }

  /// Copies all rows to memory of the same size; padding between rows stays.
  package func copy(to result: MutablePixelMemory) {
    let height = description.size.height
    // Rows without gaps are copied at once: memcpy is faster for long pieces.
    if bytesPerRow == description.bytesPerRow, result.bytesPerRow == bytesPerRow {
      let whole = bytesPerRow * height
      UnsafeMutableRawBufferPointer(rebasing: result.bytes[..<whole])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<whole]))
      return
    }
    for y in 0..<height {
      let row = row(y)
      UnsafeMutableRawBufferPointer(
        rebasing: result.bytes[y * result.bytesPerRow..<y * result.bytesPerRow + row.count]
      ).copyMemory(from: row)
    }
  }

  fileprivate func row(_ y: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      rebasing: bytes[y * bytesPerRow..<y * bytesPerRow + description.bytesPerRow])
  }
}

/// The caller's memory for a result; do not access it until the run ends.
public struct MutablePixelMemory: Sendable {
  /// `bytesPerRow * (height - 1) + width * bytesPerPixel` bytes or more; others are not touched.
  public nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer
  /// Distance between the starts of two rows, in bytes; at least `width * bytesPerPixel`.
  public let bytesPerRow: Int

  /// Memory that is written to.
  ///
  /// - Parameters:
  ///   - bytes: at least `bytesPerRow` times the height, and valid until the run ends.
  ///   - bytesPerRow: from one row's first byte to the next's; at least a row's pixels.
  public init(bytes: UnsafeMutableRawBufferPointer, bytesPerRow: Int) {
    self.bytes = bytes
    self.bytesPerRow = bytesPerRow
  }

  /// Checks that there is room for a result.
  package func check(_ result: Plan.Result) throws(BackendError) {
    let input = Plan.Input(result)
    let needed = input.bytesNeeded(with: bytesPerRow)
    if let needed, bytes.count >= needed { return }
    throw .unfit(
      "the output has \(bytes.count) bytes in rows of \(bytesPerRow); "
        + "\(result.rect.size) pixels of \(result.format) need "
        + "\(needed.map { "\($0) in " } ?? "")rows of \(input.bytesPerRow) or more")
  }

  fileprivate func row(_ y: Int) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: bytes[(y * bytesPerRow)...])
  }
}

/// A source of an image's rows, from the top.
///
/// One thread at a time calls it, not always the same one, and never one of Swift's cooperative pool, so a
/// source may block.
public protocol RowSource: Sendable {
  /// Reads the next rows.
  ///
  /// - Parameter target: memory for them, without gaps.
  /// - Throws: anything; the run ends with `BackendError.interrupted`.
  func read(_ rows: Range<Int>, into target: UnsafeMutableRawPointer) throws

  /// Returns the whole image, before any row is read; `nil` if reading rows is as fast.
  func image() throws -> Image?

  /// Called once, after the last row: by the thread that read, or by another if none was read.
  func end()
}

extension RowSource {
  /// Returns `nil`: rows are read.
  public func image() throws -> Image? { nil }
  /// Does nothing.
  public func end() {}
}

/// A receiver of a result's rows, from the top.
///
/// One thread at a time calls it, not always the same one, and never one of Swift's cooperative pool,
/// so a sink may block.
public protocol RowSink: Sendable {
  /// Receives the next rows, counted from 0.
  ///
  /// - Parameter bytes: the rows, without gaps; valid until this returns.
  /// - Throws: anything; the run ends with `BackendError.interrupted`.
  func write(_ rows: Range<Int>, _ bytes: UnsafeRawBufferPointer) throws
}

/// An image that a backend keeps on its device.
public protocol ResidentImage: Sendable {
  /// The description of the image.
  var input: Plan.Input { get }
}

/// The output of a result on a device.
public final class ResidentOutput: Sendable {
  private let kept = Mutex<(any ResidentImage)?>(nil)

  /// Empty until a run fills it.
  public init() {}

  /// The image; `nil` before the run and after a failed one.
  public var picture: (any ResidentImage)? { kept.withLock { $0 } }

  package func put(_ picture: any ResidentImage) { kept.withLock { $0 = picture } }
}

extension Plan.Input {
  /// The description of an image with a plan's result.
  package init(_ result: Plan.Result) {
    self.init(
      size: result.rect.size, format: result.format, alpha: result.alpha,
      transfer: result.transfer)
  }

  /// Bytes of a row without gap.
  package var bytesPerRow: Int {
    let (bytes, isMore) = size.width.multipliedReportingOverflow(by: format.bytesPerPixel)
    return isMore ? .max : bytes
  }

  /// Bytes up to the end of the last row, for rows of this stride.
  ///
  /// - Returns: `nil` if rows would overlap, or the number of bytes overflows.
  fileprivate func bytesNeeded(with bytesPerRow: Int) -> Int? {
    guard bytesPerRow >= self.bytesPerRow else { return nil }
    let (gaps, isTooFar) = bytesPerRow.multipliedReportingOverflow(by: size.height - 1)
    let (needed, isTooMuch) = gaps.addingReportingOverflow(self.bytesPerRow)
    return isTooFar || isTooMuch ? nil : needed
  }

  /// Checks that an input is as it is described here, and that its bytes are there.
  fileprivate func check(
    _ got: Plan.Input, _ index: Int, bytes: Int, of needed: Int
  ) throws(BackendError) {
    guard got == self else { throw .inputMismatch(index: index, expected: self, got: got) }
    guard bytes >= needed else {
      throw .unfit("input \(index) has \(bytes) bytes, it needs \(needed)")
    }
  }
}

extension Image {
  package init(uninitialized input: Plan.Input) {
    self.init(
      uninitialized: input.size, format: input.format, alpha: input.alpha,
      transfer: input.transfer)
  }

  init(zeros input: Plan.Input) {
    self.init(zeros: input.size, format: input.format, alpha: input.alpha, transfer: input.transfer)
  }

  /// Calls `body` for each row, from the top, until it returns false.
  fileprivate mutating func fillRows(_ body: (Int, UnsafeMutableRawBufferPointer) -> Bool) {
    let (stride, count) = (bytesPerRow, size.width * format.bytesPerPixel)
    let height = size.height
    withUnsafeMutableBytes { all in
      for y in 0..<height {
        let row = UnsafeMutableRawBufferPointer(rebasing: all[y * stride..<y * stride + count])
        guard body(y, row) else { return }
      }
    }
  }

  /// Calls `body` for some rows after others, from the top, until it returns false; rows have no gaps.
  fileprivate func forEachRows(of most: Int, _ body: (Range<Int>, UnsafeRawBufferPointer) -> Bool) {
    let count = size.width * format.bytesPerPixel
    let step = bytesPerRow == count ? most : 1
    withUnsafeBytes { all in
      for first in stride(from: 0, to: size.height, by: step) {
        let rows = first..<min(first + step, size.height)
        let start = first * bytesPerRow
        let part = UnsafeRawBufferPointer(rebasing: all[start..<start + rows.count * count])
        guard body(rows, part) else { return }
      }
    }
  }
}

extension PixelIO {
  /// Runs something, and ends the row sources that it did not reach: each is ended once, wherever the run
  /// stops.
  package func endingSources<Value>(
    _ body: (PixelIO) throws(BackendError) -> Value
  ) throws(BackendError) -> Value {
    let (io, sources) = endable()
    defer { for source in sources { source.end() } }
    return try body(io)
  }

  /// Runs something that stops when the calling task is canceled, and ends its row sources as `endingSources(_:)` does.
  package func untilCancelled<Value: Sendable>(
    _ body: (PixelIO, Cancellation) async throws(BackendError) -> Value
  ) async throws(BackendError) -> Value {
    let cancellation = cancellation ?? Cancellation()
    var (io, sources) = endable()
    io.cancellation = cancellation
    defer { for source in sources { source.end() } }
    return try await cancellation.whileTaskRuns { [io] () async throws(BackendError) in
      try await body(io, cancellation)
    }
  }

  /// Runs something in a thread of its own until the calling task is canceled.
  package func run<Value: Sendable>(
    on threads: ThreadPool, _ body: @escaping @Sendable (PixelIO) throws(BackendError) -> Value
  ) async throws(BackendError) -> Value {
    try await untilCancelled { io, _ async throws(BackendError) in
      // Sources that nobody read are ended in the thread, too: they may block.
      try await threads.run { () throws(BackendError) in try io.endingSources(body) }
    }
  }

  private func endable() -> (io: PixelIO, sources: [EndedOnce]) {
    var io = self
    var sources: [EndedOnce] = []
    for (index, input) in inputs.enumerated() {
      guard case .rows(let source) = input else { continue }
      let once = EndedOnce(source)
      sources.append(once)
      io.inputs[index] = .rows(once)
    }
    return (io, sources)
  }

  /// A row source that is ended only once.
  private final class EndedOnce: RowSource {
    private let source: any RowSource
    private let isEnded = Atomic(false)

    init(_ source: any RowSource) { self.source = source }

    func read(_ rows: Range<Int>, into target: UnsafeMutableRawPointer) throws {
      try source.read(rows, into: target)
    }

    func image() throws -> Image? { try source.image() }

    func end() {
      if !isEnded.exchange(true, ordering: .relaxed) { source.end() }
    }
  }

  /// Returns the same inputs and outputs, with rows and the caller's memory as images, so that a run can be
  /// repeated.
  ///
  /// - Parameter described: the descriptions of the inputs.
  package func gathered(
    _ described: [Plan.Input], on threads: ThreadPool
  ) async throws(BackendError) -> PixelIO {
    let isGathered = inputs.allSatisfy { input in
      switch input {
      case .image, .resident: true
      case .memory, .rows: false
      }
    }
    // The backend refuses missing inputs.
    guard !isGathered || inputs.count > described.count else { return self }
    let inputs = try await run(on: threads) { io throws(BackendError) in
      guard io.inputs.count <= described.count else {
        throw .unfit("\(io.inputs.count) images for a plan with \(described.count) inputs")
      }
      return try zip(io.inputs, described).map { input, described throws(BackendError) in
        try input.gathered(described, io.cancellation).map { .image($0) } ?? input
      }
    }
    var io = self
    io.inputs = inputs
    return io
  }
}

/// The output of a result in memory, with memory that may be reused for it.
public final class ImageOutput: Sendable {
  private let image: Mutex<Image?>

  /// - Parameter image: its memory is used again where it has the result's size and format. A result
  ///   goes to the caller's memory that it may show even where a backend needs memory of its own.
  public init(reusing image: consuming Image? = nil) { self.image = Mutex(image) }

  /// Takes the image out; `nil` before the run, after one that failed, and the second time.
  public func take() -> Image? {
    image.withLock { image in
      defer { image = nil }
      return image
    }
  }

  /// Hands over a result.
  ///
  /// Where there still is an image in the caller's memory, the result goes there.
  package func put(_ made: consuming Image) {
    let made = made
    image.withLock { image in
      guard var room = image, room.isInCallersMemory, Plan.Input(room) == Plan.Input(made) else {
        image = made
        return
      }
      image = nil
      room.copyRows(of: made)
      image = room
    }
  }

  /// An image of its own that was to be used again; one in the caller's memory stays.
  package func takeOwned() -> Image? {
    image.withLock { image in
      guard let room = image, !room.isInCallersMemory else { return nil }
      image = nil
      return room
    }
  }

  /// Refuses a result that there is no memory for.
  func check(_ result: Plan.Result) throws(BackendError) {
    let isThere = image.withLock { $0.map { $0.isReady(for: result) } ?? false }
    if !isThere { try MemoryRoom.check(Plan.Input(result)) }
  }

  /// An image to write a result to; what was there before where that fits.
  package func room(for result: Plan.Result) -> Image {
    if let image = take(), image.isReady(for: result) { return image }
    return Image(uninitialized: Plan.Input(result))
  }
}

extension Image {
  /// Returns true if a result can be written into this image as it is.
  fileprivate func isReady(for result: Plan.Result) -> Bool {
    Plan.Input(self) == Plan.Input(result)
      && byteCount >= neededBytes
  }

  /// Takes over the pixels of an image of the same size and format.
  fileprivate mutating func copyRows(of other: Image) {
    let (from, to) = (other.bytesPerRow, bytesPerRow)
    let (length, height) = (size.width * format.bytesPerPixel, size.height)
    withUnsafeMutableBytes { target in
      other.withUnsafeBytes { source in
        for y in 0..<height {
          UnsafeMutableRawBufferPointer(rebasing: target[y * to..<y * to + length])
            .copyMemory(from: .init(rebasing: source[y * from..<y * from + length]))
        }
      }
    }
  }
}
