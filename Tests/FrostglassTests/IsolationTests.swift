import Frostglass
import FrostglassCore
import FrostglassStills
import TestSupport
import Testing

/// The library's asynchronous calls compile and run inside actors, on the main actor and without any isolation,
/// with closures that use what the caller has and nobody else may have.
@Suite struct IsolationTests {
  /// A class that is not `Sendable`.
  final class Tally {
    var count = 0
  }

  /// A service as its users write one: an actor that owns what admits jobs, and counts them.
  actor Service {
    let admission = Admission(jobs: 2, memory: 100)
    let pipeline = Pipeline(backend: .fast, threads: 1)
    let tally = Tally()
    private var done = 0

    func work() async throws -> Int {
      let local = Tally()
      let value = try await admission.run(10) { () async throws(FrostglassError) in
        done += 1
        tally.count += 1
        local.count += 1
        await Task.yield()
        done += 1
        return local
      }
      return value.count + tally.count + done
    }

    func blurred(_ image: Image) async throws -> Image {
      let told = Told()
      let file = try await admission.run(1) { () async throws(FrostglassError) in
        try await pipeline.blur(image, [.gaussian(sigma: 2)]) { _ in done += 1 }
      }
      let job = Job(
        source: .bytes(try StillEncoder().encode(image, as: .png)),
        recipe: Recipe([.gaussian(sigma: 2)]),
        sink: .memory(EncodedFile()), format: .png)
      _ = try await pipeline.run(job) { told.add($0.fraction) }
      #expect(told.count > 0)
      return file
    }

    func rendered(_ image: Image) async throws -> Image {
      let plan = try FilterChain.gaussian(sigma: 2).plan(for: Plan.Input(image))
      let renderer = try await Renderer(plan, on: pipeline)
      let output = ImageOutput()
      _ = try await renderer.render(PixelIO([.image(image)], to: [.image(output)]))
      return try #require(output.take())
    }
  }

  @Test func jobsRunInsideAnActor() async throws {
    let service = Service()
    #expect(try await service.work() == 4)
    #expect(try await service.work() == 1 + 2 + 4)
    #expect(service.admission.running == 0)
  }

  @Test @MainActor func jobsRunOnTheMainActor() async throws {
    let (admission, tally) = (Admission(jobs: 1, memory: 10), Tally())
    let made = try await admission.run(1) { () async throws(FrostglassError) -> Tally in
      MainActor.assertIsolated()
      tally.count += 1
      await Task.yield()
      MainActor.assertIsolated()
      tally.count += 1
      return tally
    }
    MainActor.assertIsolated()
    #expect(made === tally && tally.count == 2)
    await #expect(throws: FrostglassError.self) {
      try await admission.run(1) { () async throws(FrostglassError) in throw .cancelled }
    }
    #expect(admission.running == 0)
  }

  @Test func jobsRunWithoutIsolation() async throws {
    let (admission, tally) = (Admission(jobs: 1, memory: 10), Tally())
    let count = try await admission.run(1) { () async throws(FrostglassError) in
      tally.count += 1
      return tally.count
    }
    #expect(count == 1)
  }

  @Test func theOtherCallsWorkInsideAnActor() async throws {
    let image = TestImages.noise(20, 12, .rgb8)
    let service = Service()
    let expected = try await service.rendered(image)
    #expect(try await service.blurred(image).bytes == expected.bytes)
  }
}

/// Counts from any thread.
private final class Told: Sendable {
  private let counted = Monitor(0)
  var count: Int { counted.change { $0 } }
  func add(_ share: Double) { counted.change { $0 += share >= 0 ? 1 : 0 } }
}
