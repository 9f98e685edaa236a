import FrostglassBench
import FrostglassBackends
import FrostglassCPU
import FrostglassGL
import TestSupport
import Testing

/// Many jobs on one backend.
@Suite struct SoakTests {
  private func soak(on backend: any Backend) async throws -> Soak {
    try await Soak(
      on: BackendSelector(BackendSelector.Selection(backend: backend, reason: "test")))
  }

  @Test func countsItsJobs() async throws {
    let backend = MadeUpBackend()
    var soak = try await soak(on: backend)
    for job in 1...5 {
      let row = try await soak.next()
      #expect(row.job == job && row.resident > 0 && row.gpu == TexturePoolStatistics())
    }
    #expect(backend.ran == 5)
  }

  /// A device that fails is what a soak is to find, also where the job was saved.
  @Test func endsWhereSomethingWasMadeGood() async throws {
    var soak = try await soak(on: Mending())
    let lost = BackendError.failed(
      backend: "mending", what: "the context was lost; went on in a fresh context")
    await #expect(throws: lost) { _ = try await soak.next() }
  }

  @Test func jobsAreTheSameForTheSameSeed() throws {
    var (one, other, third) = (JobMix(seed: 3), JobMix(seed: 3), JobMix(seed: 4))
    var differ = 0
    for _ in 0..<20 {
      let (job, same, another) = (try one.next(), try other.next(), try third.next())
      #expect(job.0.bytes == same.0.bytes && job.1 == same.1)
      differ += job.1 == another.1 ? 0 : 1
    }
    #expect(differ > 10)
  }
}

/// A backend that makes a failure good with each job.
private struct Mending: ImageBackend {
  let name = "mending"

  func image(
    of plan: Plan, _ inputs: [Image], recovered: (Recovery) -> Void
  ) async throws(BackendError) -> Image {
    recovered(Recovery(backend: name, failure: "the context was lost", remedy: .freshContext))
    return try await ReferenceBackend().execute(plan, inputs)
  }
}
