public import FrostglassCore
internal import Glibc
internal import Synchronization

/// The plans for a picture in planes that the fast backend has made ready for frame after frame: rows and
/// the filtered picture in between have their memory. Where parts alone change, these are computed, and of
/// the filtered picture what they need; everything else is copied.
public final class PreparedPlanes: PreparedPlan {
  /// The plans that it runs.
  public let plan: YCbCrPlan
  private let pieces: [Piece]
  /// What each of the plans to the picture makes. One frame at a time has it.
  private let pictures: Mutex<[PictureMemory]>
  private let callers = ThreadPool()

  /// A part that is computed by itself.
  private struct Piece {
    /// The part of the filtered picture that it needs.
    var toPicture: [PreparedRows] = []
    /// For each plane; none where nothing changes.
    var toPlanes: [PreparedRows?] = []
  }

  init(
    _ plan: YCbCrPlan, _ prepare: (Plan) throws(BackendError) -> PreparedRows
  ) throws(BackendError) {
    self.plan = plan
    pictures = Mutex(
      try plan.toPicture.map { step throws(BackendError) in try PictureMemory(step.result) })
    func cropped(_ step: Plan, to part: Rect) throws(BackendError) -> Plan {
      do throws(PlanError) { return try step.cropped(to: part) } catch {
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
      for step in plan.toPicture.reversed() {
        guard let part = needed else { break }
        let own = try cropped(step, to: part)
        piece.toPicture.insert(try prepare(own), at: 0)
        needed = own.part(ofInput: 0)
      }
      pieces.append(piece)
    }
    self.pieces = pieces
  }

  /// Bytes of rows, and of the pictures in between.
  public var memory: Int {
    let rows = pieces.flatMap { $0.toPicture + $0.toPlanes.compactMap { $0 } }
    return rows.reduce(0) { $0 + $1.memory } + plan.toPicture.reduce(0) { $0 + $1.result.bytes }
  }

  /// Runs the plans on the threads of the backend, as `Backend.run(_:_:)` does.
  ///
  /// - Parameter io: a place for each plane, as `plan.inputs` and `plan.results` describe them; outputs
  ///   are other memory than inputs.
  /// - Throws: `BackendError`; then outputs hold nothing of use.
  public func run(_ io: PixelIO) async throws(BackendError) -> RunReport {
    try io.checkPlaces(plan.inputs, plan.results)
    var io = io
    let cancellation = io.cancellation ?? Cancellation()
    io.cancellation = cancellation
    return try await cancellation.whileTaskRuns { [io] () async throws(BackendError) in
      try await callers.run { () throws(BackendError) in
        try io.withMemory(self.plan.inputs, self.plan.results) {
          planes, results throws(BackendError) in
          try self.make(planes, into: results, cancellation)
        }
        return RunReport(backend: "fast")
      }
    }
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

  private func make(
    _ planes: [PixelMemory], into results: [MutablePixelMemory], _ cancellation: Cancellation?
  ) throws(BackendError) {
    try pictures.withLock { pictures throws(BackendError) in
      for (index, result) in results.enumerated()
      where plan.parts[index] != [plan.toPlanes[index].result.rect] {
        planes[index].copy(to: result)
      }
      for piece in pieces {
        var made: [PixelMemory] = []
        for (step, picture) in zip(piece.toPicture, pictures) {
          let part = picture.target.part(
            step.plan.result.rect, bytesPerPixel: picture.source.description.format.bytesPerPixel)
          _ = try step.runNow(
            PixelIO(
              (made.isEmpty ? planes : made).map { .memory($0) }, to: [.memory(part)],
              cancellation: cancellation))
          made = [picture.source]
        }
        for (index, result) in results.enumerated() {
          guard let step = piece.toPlanes[index] else { continue }
          let part = result.part(
            step.plan.result.rect,
            bytesPerPixel: planes[index].description.format.bytesPerPixel)
          let inputs = plan.inputs(ofPlane: index, made, planes)
          if inputs.count == 1 {
            try step.runNow(inputs[0], into: part, cancellation: cancellation)
          } else {
            _ = try step.runNow(
              PixelIO(
                inputs.map { .memory($0) }, to: [.memory(part)], cancellation: cancellation))
          }
        }
      }
    }
  }
}

/// A picture in memory of its own.
private final class PictureMemory {
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

extension MutablePixelMemory {
  /// The memory of a part, whose rows are as far apart.
  fileprivate func part(_ rect: Rect, bytesPerPixel: Int) -> MutablePixelMemory {
    let start = rect.y * bytesPerRow + rect.x * bytesPerPixel
    return MutablePixelMemory(
      bytes: UnsafeMutableRawBufferPointer(rebasing: bytes[start...]), bytesPerRow: bytesPerRow)
  }
}

extension PixelIO {
  /// Calls `body` with memory for each place: images are used where they are; rows are gathered before,
  /// and given afterwards.
  fileprivate func withMemory(
    _ described: [Plan.Input], _ results: [Plan.Result],
    _ body: ([PixelMemory], [MutablePixelMemory]) throws(BackendError) -> Void
  ) throws(BackendError) {
    try withSources(described, []) { sources throws(BackendError) in
      try withTargets(results, []) { targets throws(BackendError) in try body(sources, targets) }
    }
  }

  private func withSources(
    _ described: [Plan.Input], _ made: [PixelMemory],
    _ body: ([PixelMemory]) throws(BackendError) -> Void
  ) throws(BackendError) {
    guard made.count < described.count else { return try body(made) }
    let input = inputs[made.count]
    if case .memory(let memory) = input {
      return try withSources(described, made + [memory], body)
    }
    guard let image = try input.gathered(described[made.count], cancellation) else {
      throw .unsupported(
        backend: "fast", what: "input \(made.count), which is on a device; download it first")
    }
    try image.withUnsafeBytes { bytes throws(BackendError) in
      let memory = PixelMemory(
        described[made.count], bytes: bytes, bytesPerRow: image.bytesPerRow)
      try withSources(described, made + [memory], body)
    }
  }

  private func withTargets(
    _ results: [Plan.Result], _ made: [MutablePixelMemory],
    _ body: ([MutablePixelMemory]) throws(BackendError) -> Void
  ) throws(BackendError) {
    guard made.count < results.count else { return try body(made) }
    let (output, result) = (outputs[made.count], results[made.count])
    var image: Image
    switch output {
    case .memory(let memory): return try withTargets(results, made + [memory], body)
    case .image(let output): image = output.room(for: result)
    case .rows:
      try MemoryRoom.check(Plan.Input(result))
      image = Image(uninitialized: Plan.Input(result))
    case .resident:
      throw .unsupported(backend: "fast", what: "results on a device; ask for them in memory")
    }
    let bytesPerRow = image.bytesPerRow
    try image.withUnsafeMutableBytes { bytes throws(BackendError) in
      let memory = MutablePixelMemory(bytes: bytes, bytesPerRow: bytesPerRow)
      try withTargets(results, made + [memory], body)
    }
    try output.deliver(image, cancellation)
  }
}
