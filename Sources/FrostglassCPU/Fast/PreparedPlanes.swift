public import FrostglassCore
internal import Synchronization

/// The plans for a picture in planes that the fast backend has made ready for frame after frame: rows and
/// the filtered picture in between have their memory. Of planes that are made of themselves alone, only
/// the parts that change are computed; everything else is copied.
public final class PreparedPlanes: PreparedYCbCrPlan {
  /// The plans that it runs.
  public let plan: YCbCrPlan
  private let toPicture: [PreparedRows]
  /// For each plane; none where nothing changes.
  private let toPlanes: [PreparedRows?]
  /// What each of the plans to the picture makes. One frame at a time has it.
  private let pictures: Mutex<[PictureMemory]>
  private let callers = ThreadPool()

  init(
    _ plan: YCbCrPlan, _ prepare: (Plan) throws(BackendError) -> PreparedRows
  ) throws(BackendError) {
    self.plan = plan
    toPicture = try plan.toPicture.map(prepare)
    var toPlanes: [PreparedRows?] = []
    for (step, part) in zip(plan.toPlanes, plan.parts) {
      guard let part else {
        toPlanes.append(nil)
        continue
      }
      let cropped: Plan
      do throws(PlanError) { cropped = try step.cropped(to: part) } catch {
        throw .failed(backend: "fast", what: "\(error)")
      }
      toPlanes.append(try prepare(cropped))
    }
    self.toPlanes = toPlanes
    pictures = Mutex(plan.toPicture.map { PictureMemory($0.result) })
  }

  /// Runs the plans on the threads of the backend.
  ///
  /// - Parameters:
  ///   - planes: as `plan.format.planes(of: plan.size)` describes them, in order.
  ///   - results: other memory, for as many planes described alike.
  /// - Throws: `BackendError`; then the results hold nothing of use.
  public func run(
    _ planes: [PixelMemory], into results: [MutablePixelMemory], cancellation: Cancellation?
  ) async throws(BackendError) -> RunReport {
    let cancellation = cancellation ?? Cancellation()
    return try await cancellation.whileTaskRuns { () async throws(BackendError) in
      try await callers.run { () throws(BackendError) in
        try self.runNow(planes, into: results, cancellation: cancellation)
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
    try plan.check(planes, results)
    try pictures.withLock { pictures throws(BackendError) in
      var made = planes
      for (step, picture) in zip(toPicture, pictures) {
        _ = try step.runNow(
          PixelIO(
            made.map { .memory($0) }, to: [.memory(picture.target)], cancellation: cancellation))
        made = [picture.source]
      }
      for (index, result) in results.enumerated() {
        let source = plan.isByPlanes ? planes[index] : made[0]
        let whole = plan.toPlanes[index].result.rect
        let part = toPlanes[index]?.plan.result.rect
        if part != whole { source.copy(to: result) }
        guard let step = toPlanes[index], let part else { continue }
        try step.runNow(
          source,
          into: plan.isByPlanes
            ? result.part(part, bytesPerPixel: source.description.format.bytesPerPixel) : result,
          cancellation: cancellation)
      }
    }
    return RunReport(backend: "fast")
  }
}

/// A picture in memory of its own.
private final class PictureMemory {
  private let description: Plan.Input
  private let bytes: UnsafeMutableRawBufferPointer

  init(_ result: Plan.Result) {
    description = Plan.Input(result)
    bytes = .allocate(byteCount: result.bytes, alignment: 64)
  }

  deinit { bytes.deallocate() }

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
