public import FrostglassCore

/// The CPU backend for everyday work: strips of the picture, one worker per core.
///
/// Each strip is the plan cropped to some rows, so the bytes are those of the whole.
public struct FastBackend: Backend {
  public let name = "fast"
  /// Strips computed at once; 1 or more.
  public let threads: Int

  /// - Parameter threads: at least 1; taken as 1 below.
  public init(threads: Int) { self.threads = max(threads, 1) }

  /// Most bytes of intermediate pictures per worker.
  private static let workerBytes = 512 << 20

  public func execute(_ plan: Plan, _ inputs: [Image]) async throws(BackendError) -> Image {
    try plan.check(inputs)
    let strips = StripSchedule(plan, workers: threads, bytes: Self.workerBytes).strips
    var result = Image(
      zeros: plan.result.rect.size, format: plan.result.format, alpha: plan.result.alpha,
      transfer: plan.result.transfer)
    let finished = await withTaskGroup(of: (Int, Image?).self) { group in
      var next = 0
      func start(_ group: inout TaskGroup<(Int, Image?)>) {
        guard next < strips.count else { return }
        let strip = strips[next]
        next += 1
        group.addTask {
          (strip.result.rect.y - plan.result.rect.y, ReferenceKernels.run(strip, inputs))
        }
      }
      for _ in 0..<threads { start(&group) }
      while let (top, image) = await group.next() {
        guard let image else { return false }
        result.replaceRows(from: top, with: image)
        start(&group)
      }
      return true
    }
    guard finished else { throw .failed(backend: name, what: "a strip has no result") }
    return result
  }
}

extension Image {
  /// Copies the rows of `strip`, as wide as this image and without gaps, to `top` and below.
  fileprivate mutating func replaceRows(from top: Int, with strip: Image) {
    let start = top * bytesPerRow
    bytes.replaceSubrange(start..<start + strip.bytes.count, with: strip.bytes)
  }
}
