import Frostglass
import FrostglassBackends
import FrostglassCPU
import Glibc
import Synchronization
import TestSupport
import Testing

/// Animations on backends that take whole pictures: several frames at a time, results in order.
@Suite struct WholeFramesTests {
  private let recipe = Recipe([.gaussian(sigma: 3)])

  /// Frames of noise, all different.
  private func film(_ frames: Int) throws -> [UInt8] {
    try StillEncoder().encode(
      TestImages.noise(24, 16 * frames),
      metadata: StillMetadata(
        animation: StillAnimation(delays: [Int](repeating: 50, count: frames))),
      as: .webp)
  }

  private func job(_ film: [UInt8], _ output: String) -> Job {
    Job(
      source: .bytes(film), recipe: recipe, sink: .file(output, overwrite: true), format: .webp)
  }

  private func pipeline(_ backend: any Backend, fallback: (any Backend)? = nil) -> Pipeline {
    Pipeline(
      selector: BackendSelector(
        BackendSelector.Selection(backend: backend, fallback: fallback, reason: "test")))
  }

  private func output() -> String {
    "/tmp/frostglass-frames-\(UInt64.random(in: 0 ... .max)).webp"
  }

  @Test func threeAreInFlightAndResultsInOrder() async throws {
    let (film, one, other) = (try film(8), output(), output())
    defer { for path in [one, other] { unlink(path) } }
    let backend = Crowd()
    let told = Told()
    let report = try await pipeline(backend).run(
      job(film, one), frameDone: { count, frames in told.add(count, frames) })
    #expect(backend.counts == Crowd.Counts(begun: 8, ended: 8, most: 3))
    #expect(told.counts == (1...8).map { [$0, 8] })
    #expect(report.frames == 8 && report.backend == "crowd")
    // Told with every frame, said once.
    #expect(report.recoveries.map(\.remedy) == [.freshContext])
    try await Pipeline(backend: .reference).run(job(film, other))
    let (bytes, expected) = (try pixels(one), try pixels(other))
    #expect(bytes == expected)
    #expect(Set(bytes).count == 8)
  }

  /// Each frame of a file.
  private func pixels(_ path: String) throws -> [[UInt8]] {
    let decoder = StillDecoder()
    let reader = try decoder.allFrames(of: decoder.reader(of: .file(path)))
    return try (0..<reader.header.frames).map { try reader.frame($0).bytes }
  }

  @Test func aFailureStopsTheRest() async throws {
    let (film, path) = (try film(20), output())
    let backend = Crowd(failingAt: 4)
    await #expect(throws: FrostglassError.self) { try await pipeline(backend).run(job(film, path)) }
    #expect((5...7).contains(backend.counts.begun))
    #expect(backend.counts.begun == backend.counts.ended)
    #expect(access(path, F_OK) != 0)
  }

  @Test func theFallbackTakesWhatFails() async throws {
    let (film, path) = (try film(8), output())
    defer { unlink(path) }
    let backend = Crowd(failingAt: 4)
    let report = try await pipeline(backend, fallback: FastBackend(threads: 1)).run(job(film, path))
    #expect(report.recoveries.map(\.remedy) == [.freshContext, .otherBackend("fast")])
    #expect(backend.counts.begun == 8)
  }
}

/// What is told of frames that are done.
private final class Told: Sendable {
  private let list = Mutex<[[Int]]>([])

  var counts: [[Int]] { list.withLock { $0 } }

  func add(_ count: Int, _ frames: Int) { list.withLock { $0.append([count, frames]) } }
}

/// A backend whose jobs wait for company, and end in another order than they began.
private final class Crowd: Backend {
  struct Counts: Equatable {
    var begun = 0
    var ended = 0
    /// The most at once.
    var most = 0
  }

  let name = "crowd"
  private let failing: Int?
  private let state = Mutex(Counts())

  init(failingAt index: Int? = nil) { failing = index }

  var counts: Counts { state.withLock { $0 } }

  func execute(_ plan: Plan, _ inputs: [Image]) async throws(BackendError) -> Image {
    let index = state.withLock { state in
      state.begun += 1
      state.most = max(state.most, state.begun - state.ended)
      return state.begun - 1
    }
    defer { state.withLock { $0.ended += 1 } }
    if index == failing { throw .broken(backend: name, what: "no device") }
    // The first of three waits for another's end; alone it would wait for ever, so it gives up.
    for _ in 0..<20_000 where index % 3 == 0 {
      if state.withLock({ $0.ended > index }) { break }
      await Task.yield()
    }
    return try await ReferenceBackend().execute(plan, inputs)
  }

  func execute(
    _ plan: Plan, _ inputs: [Image], telling tell: @Sendable (Recovery) -> Void
  ) async throws(BackendError) -> Image {
    tell(Recovery(backend: name, failure: "the context was lost", remedy: .freshContext))
    return try await execute(plan, inputs)
  }
}
