internal import FrostglassCore

/// Runs plans on the reference's kernels, in strips side by side.
struct FloatStrips {
  let threads: Int

  /// Most bytes of intermediate pictures per worker.
  private static let workerBytes = 512 << 20

  func run(
    _ plan: Plan, _ inputs: [Image], into result: inout Image
  ) async throws(BackendError) {
    let strips = StripSchedule(plan, workers: threads, bytes: Self.workerBytes).strips
    var image = result
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
      while let (top, strip) = await group.next() {
        guard let strip else { return false }
        image.replaceRows(from: top, with: strip)
        start(&group)
      }
      return true
    }
    guard finished else { throw .failed(backend: "fast", what: "a strip has no result") }
    result = image
  }
}

extension Image {
  /// Copies the rows of `strip`, as wide as this image and without gaps, to `top` and below.
  fileprivate mutating func replaceRows(from top: Int, with strip: Image) {
    let start = top * bytesPerRow
    bytes.replaceSubrange(start..<start + strip.bytes.count, with: strip.bytes)
  }
}
