import Frostglass
import FrostglassBackends
import FrostglassCPU
import FrostglassCore
import FrostglassStills
import Glibc
import Synchronization
import TestSupport
import Testing

/// Animations on backends that take whole images: several frames at a time, results in order.
@Suite struct WholeFramesTests {
  private let recipe = Recipe([.gaussian(sigma: 3)])

  /// Frames of noise, all different.
  private func video(_ frames: Int) throws -> [UInt8] {
    try StillEncoder().encode(
      TestImages.noise(24, 16 * frames),
      metadata: StillMetadata(
        animation: StillMetadata.Animation(delays: [Int](repeating: 50, count: frames))),
      as: .webp)
  }

  private func job(_ video: [UInt8], _ output: String) -> Job {
    Job(
      source: .bytes(video), recipe: recipe, sink: .file(output, overwrite: true), format: .webp)
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
    let (video, one, other) = (try video(8), output(), output())
    defer { for path in [one, other] { unlink(path) } }
    let backend = Crowd(frames: 8)
    let told = Told()
    let report = try await pipeline(backend).run(
      job(video, one), progress: { told.add($0) })
    #expect(backend.counts == Crowd.Counts(begun: 8, ended: 8, most: 3))
    #expect(told.counts == (1...8).map { [$0, 8] })
    #expect(report.outputs.map(\.frames) == [8] && report.backend == "crowd")
    // Told with every frame, said once.
    #expect(report.recoveries.map(\.remedy) == [.freshContext])
    try await Pipeline(backend: .reference).run(job(video, other))
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
    let (video, path) = (try video(20), output())
    let backend = Crowd(frames: 20, failingAt: 4)
    await #expect(throws: FrostglassError.self) {
      try await pipeline(backend).run(job(video, path))
    }
    #expect((5...7).contains(backend.counts.begun))
    #expect(backend.counts.begun == backend.counts.ended)
    #expect(access(path, F_OK) != 0)
  }

  @Test func theFallbackTakesWhatFails() async throws {
    let (video, path) = (try video(8), output())
    defer { unlink(path) }
    let backend = Crowd(frames: 8, failingAt: 4)
    let report = try await pipeline(backend, fallback: FastBackend(threads: 1)).run(
      job(video, path))
    #expect(report.recoveries.map(\.remedy) == [.freshContext, .otherBackend("fast")])
    #expect(backend.counts.begun == 8)
  }
}

/// The progress reports so far.
private final class Told: Sendable {
  private let list = Mutex<[Job.Progress]>([])

  var all: [Job.Progress] { list.withLock { $0 } }
  /// Frames that are done and all there are, each time that another is.
  var counts: [[Int]] {
    all.filter { $0.framesDone > 0 }.map { [$0.framesDone, $0.frames] }
      .reduce(into: []) { if $0.last != $1 { $0.append($1) } }
  }

  func add(_ progress: Job.Progress) { list.withLock { $0.append(progress) } }
}

/// A backend whose jobs wait until three are there, and end in another order than they began.
final class Crowd: ImageBackend {
  struct Counts: Equatable {
    var begun = 0
    var ended = 0
    /// The most at once.
    var most = 0
  }

  let name = "crowd"
  let framesInFlight = 3
  private let frames: Int
  private let failing: Int?
  private let state = Mutex((counts: Counts(), isOpen: false))

  init(frames: Int, failingAt index: Int? = nil) {
    self.frames = frames
    failing = index
  }

  var counts: Counts { state.withLock { $0.counts } }

  func image(
    of plan: Plan, _ inputs: [Image], recovered: (Recovery) -> Void
  ) async throws(BackendError) -> Image {
    recovered(Recovery(backend: name, failure: "the context was lost", remedy: .freshContext))
    let index = begin()
    defer { state.withLock { $0.counts.ended += 1 } }
    if index == failing {
      open()
      throw .broken(backend: name, what: "no device")
    }
    let company = min(index / 3 * 3 + 3, frames)
    await wait { $0.begun >= company }
    // The first of three is not the first to end.
    if index % 3 == 0, index + 1 < company { await wait { $0.ended > index } }
    return try await ReferenceBackend().execute(plan, inputs)
  }

  private func begin() -> Int {
    state.withLock { state in
      state.counts.begun += 1
      state.counts.most = max(state.counts.most, state.counts.begun - state.counts.ended)
      return state.counts.begun - 1
    }
  }

  private func open() { state.withLock { $0.isOpen = true } }

  /// Waits for others; where none come, for some time once, then nobody waits any more.
  private func wait(_ isMet: (Counts) -> Bool) async {
    for _ in 0..<20_000 {
      if state.withLock({ $0.isOpen || isMet($0.counts) }) { return }
      try? await Task.sleep(for: .milliseconds(1))
    }
    open()
  }
}
