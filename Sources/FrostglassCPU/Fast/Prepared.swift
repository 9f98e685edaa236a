public import FrostglassCore
internal import Glibc
internal import Synchronization

/// A plan that the fast backend has made ready for frame after frame: what is computed when is settled,
/// and rows have their memory.
///
/// From the caller's memory to the caller's memory nothing is planned or allocated per frame, as long as
/// all passes have row kernels; in floats median, cell and gather passes make small
/// images of the rows they read. Frames that come at once are computed one after another, each on all
/// threads.
public final class PreparedRows: PreparedPlan {
  /// The plan that it runs.
  public let plan: Plan
  private let executor: PerProcess<Executor>
  private let callers = ThreadPool()

  /// - Parameter plan: a valid one.
  init(_ plan: Plan, on engine: PerProcess<RowEngine>) {
    self.plan = plan
    executor = PerProcess { engine.value.wholeExecutor(plan) }
  }

  /// Bytes of rows.
  public var memory: Int { executor.value.bytes }

  /// - Throws: `BackendError.failed` where there was no memory for the rows.
  func check() throws(BackendError) { try executor.value.check() }

  /// Runs the plan on the threads of the backend, as `Backend.run(_:_:)` does.
  ///
  /// - Throws: `BackendError`; then outputs hold nothing of use.
  public func run(_ io: PixelIO) async throws(BackendError) -> RunReport {
    try await io.run(on: callers) { io throws(BackendError) in try self.runNow(io) }
  }

  /// Runs the plan in this thread and the backend's, without Swift concurrency.
  public func runNow(_ io: PixelIO) throws(BackendError) -> RunReport {
    try io.endingSources { io throws(BackendError) in
      try io.checkPlaces(plan)
      try io.cancellation?.check()
      let executor = executor.value
      try executor.check()
      let parted = executor.known.parted
      try io.withRows(of: parted.inputs, parted.results, comes: parted.streamedInput, goes: true) {
        rows throws(BackendError) in
        try executor.run(rows, io.cancellation, io.progress)
      }
    }
    return RunReport(backend: "fast")
  }

  /// Runs a plan with one input and one result in this thread and the backend's, without Swift
  /// concurrency and without allocating.
  ///
  /// - Parameters:
  ///   - frame: as the plan's input is described.
  ///   - result: the frame's memory, or another that does not overlap it.
  public func runNow(
    _ frame: PixelMemory, into result: MutablePixelMemory, cancellation: Cancellation? = nil
  ) throws(BackendError) {
    guard plan.inputs.count == 1, plan.results.count == 1 else {
      throw .failed(backend: "fast", what: "one frame for a plan with several inputs or results")
    }
    try frame.check(plan.inputs[0])
    try result.check(plan.result)
    try cancellation?.check()
    let executor = executor.value
    try executor.check()
    try executor.run(frame, into: result, cancellation)
    try cancellation?.check()
  }
}

/// The plans for an image in planes that the fast backend has made ready for frame after frame: rows and
/// the filtered image in between have their memory. Where parts alone change, these are computed, and of
/// the filtered image what they need; everything else is copied.
public final class PreparedPlanes: PreparedPlan {
  /// The plans that it runs.
  public let plan: YCbCrPlan
  private let pieces: [Piece]
  /// The memory of each filtered image. One frame at a time holds it.
  private let pictures: Mutex<[ImageMemory]>
  private let callers = ThreadPool()

  /// A part that is computed alone.
  private struct Piece {
    /// The part of the filtered image that it needs.
    var toImage: [PreparedRows] = []
    /// For each plane; none where nothing changes.
    var toPlanes: [PreparedRows?] = []
  }

  init(
    _ plan: YCbCrPlan, _ prepare: (Plan) throws(BackendError) -> PreparedRows
  ) throws(BackendError) {
    self.plan = plan
    pictures = Mutex(
      try plan.toImage.map { step throws(BackendError) in try ImageMemory(step.result) })
    func cropped(_ step: Plan, to part: Rect) throws(BackendError) -> Plan {
      do { return try step.cropped(to: part) } catch {
        throw .failed(backend: "fast", what: "\(error)")
      }
    }
    var pieces: [Piece] = []
    for place in 0..<(plan.parts.map(\.count).max() ?? 0) {
      var piece = Piece()
      var needed: Rect?
      for (step, parts) in zip(plan.toPlanes, plan.parts) {
        guard place < parts.count, !parts[place].isEmpty else {
          piece.toPlanes.append(nil)
          continue
        }
        let own = try cropped(step, to: parts[place])
        piece.toPlanes.append(try prepare(own))
        if !plan.isByPlanes, let read = own.part(ofInput: 0) {
          needed = needed?.union(read) ?? read
        }
      }
      for step in plan.toImage.reversed() {
        guard let part = needed else { break }
        let own = try cropped(step, to: part)
        piece.toImage.insert(try prepare(own), at: 0)
        needed = own.part(ofInput: 0)
      }
      pieces.append(piece)
    }
    self.pieces = pieces
  }

  /// Bytes of rows, and of the images in between.
  public var memory: Int {
    let rows = pieces.flatMap { $0.toImage + $0.toPlanes.compactMap { $0 } }
    return rows.reduce(0) { $0 + $1.memory } + plan.toImage.reduce(0) { $0 + $1.result.bytes }
  }

  /// Runs the plans on the threads of the backend, as `Backend.run(_:_:)` does.
  ///
  /// - Parameter io: a place for each plane, as `plan.inputs` and `plan.results` describe them; outputs
  ///   are other memory than inputs.
  /// - Throws: `BackendError`; then outputs hold nothing of use.
  public func run(_ io: PixelIO) async throws(BackendError) -> RunReport {
    try await io.run(on: callers) { io throws(BackendError) in try self.runNow(io) }
  }

  /// Runs the plans in this thread and the backend's, without Swift concurrency.
  public func runNow(_ io: PixelIO) throws(BackendError) -> RunReport {
    try io.endingSources { io throws(BackendError) in
      try io.checkPlaces(plan.inputs, plan.results)
      try io.cancellation?.check()
      let (inputs, results) = (plan.inputs, plan.results)
      try io.withRows(of: inputs, results) { rows throws(BackendError) in
        let places = rows.compactMap(\.place)
        try make(
          zip(inputs, places).map { PixelMemory($0, at: $1) },
          into: zip(results, places.dropFirst(inputs.count)).map { MutablePixelMemory($0, at: $1) },
          io.cancellation, io.progress)
      }
    }
    return RunReport(backend: "fast")
  }

  /// Runs the plans in this thread and the backend's, without Swift concurrency.
  ///
  /// - Parameters:
  ///   - planes: as `plan.format.planes(of: plan.size)` describes them, in order.
  ///   - results: other memory, for as many planes described alike.
  public func runNow(
    _ planes: [PixelMemory], into results: [MutablePixelMemory], cancellation: Cancellation? = nil
  ) throws(BackendError) -> RunReport {
    try PixelIO(planes.map { .memory($0) }, to: results.map { .memory($0) })
      .checkPlaces(plan.inputs, plan.results)
    try make(planes, into: results, cancellation)
    return RunReport(backend: "fast")
  }

  private static func run(
    _ step: PreparedRows, _ inputs: [PixelMemory], into result: MutablePixelMemory,
    _ cancellation: Cancellation?, _ progress: (@Sendable (Double) -> Void)?
  ) throws(BackendError) {
    var io = PixelIO(
      inputs.map { .memory($0) }, to: [.memory(result)], cancellation: cancellation)
    io.progress = progress
    _ = try step.runNow(io)
  }

  /// Tells how much is done of all steps, while one of them runs.
  private static func share(
    _ done: Int, of count: Int, _ progress: (@Sendable (Double) -> Void)?
  ) -> (@Sendable (Double) -> Void)? {
    guard let progress else { return nil }
    return { progress((Double(done) + $0) / Double(count)) }
  }

  private func make(
    _ planes: [PixelMemory], into results: [MutablePixelMemory], _ cancellation: Cancellation?,
    _ progress: (@Sendable (Double) -> Void)? = nil
  ) throws(BackendError) {
    let count = pieces.reduce(0) { count, piece in
      count + piece.toImage.count + piece.toPlanes.compactMap(\.self).count
    }
    try pictures.withLock { pictures throws(BackendError) in
      var done = 0
      for (index, result) in results.enumerated()
      where plan.parts[index] != [plan.toPlanes[index].result.rect] {
        planes[index].copy(to: result)
      }
      for piece in pieces {
        var made: [PixelMemory] = []
        for (step, picture) in zip(piece.toImage, pictures) {
          let part = picture.target.part(
            step.plan.result.rect, bytesPerPixel: picture.source.description.format.bytesPerPixel)
          try Self.run(
            step, made.isEmpty ? planes : made, into: part, cancellation,
            Self.share(done, of: count, progress))
          done += 1
          made = [picture.source]
        }
        for (index, result) in results.enumerated() {
          guard let step = piece.toPlanes[index] else { continue }
          let part = result.part(
            step.plan.result.rect,
            bytesPerPixel: planes[index].description.format.bytesPerPixel)
          let inputs = plan.inputs(ofPlane: index, made, planes)
          if inputs.count == 1, progress == nil {
            try step.runNow(inputs[0], into: part, cancellation: cancellation)
          } else {
            try Self.run(
              step, inputs, into: part, cancellation, Self.share(done, of: count, progress))
          }
          done += 1
        }
      }
    }
  }
}

/// An image in memory of its own.
private final class ImageMemory {
  private let description: Plan.Input
  private let bytes: UnsafeMutableRawBufferPointer

  /// - Throws: `BackendError.failed` where there is no memory for it.
  init(_ result: Plan.Result) throws(BackendError) {
    guard let start = aligned_alloc(64, (result.bytes + 63) & ~63) else {
      throw .noRows(result.bytes)
    }
    description = Plan.Input(result)
    bytes = UnsafeMutableRawBufferPointer(start: start, count: result.bytes)
  }

  deinit { free(bytes.baseAddress) }

  var target: MutablePixelMemory {
    MutablePixelMemory(bytes: bytes, bytesPerRow: description.bytesPerRow)
  }

  var source: PixelMemory { PixelMemory(description, bytes: UnsafeRawBufferPointer(bytes)) }
}

extension PixelMemory {
  fileprivate init(_ description: Plan.Input, at place: PixelPlace) {
    let gaps = place.bytesPerRow * (description.size.height - 1)
    self.init(
      description,
      bytes: UnsafeRawBufferPointer(
        start: place.bytes, count: gaps + description.bytesPerRow), bytesPerRow: place.bytesPerRow)
  }
}

extension MutablePixelMemory {
  fileprivate init(_ result: Plan.Result, at place: PixelPlace) {
    let source = PixelMemory(Plan.Input(result), at: place)
    self.init(
      bytes: UnsafeMutableRawBufferPointer(mutating: source.bytes), bytesPerRow: place.bytesPerRow)
  }

  /// The memory of a part, whose rows are as far apart.
  fileprivate func part(_ rect: Rect, bytesPerPixel: Int) -> MutablePixelMemory {
    let start = rect.y * bytesPerRow + rect.x * bytesPerPixel
    return MutablePixelMemory(
      bytes: UnsafeMutableRawBufferPointer(rebasing: bytes[start...]), bytesPerRow: bytesPerRow)
  }
}
