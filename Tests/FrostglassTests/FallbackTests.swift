import Frostglass
import FrostglassBackends
import FrostglassCPU
import FrostglassCore
import FrostglassGL
import FrostglassStills
import Synchronization
import TestSupport
import Testing

/// The fallback takes over work that a backend cannot do or fails at, and the caller is notified.
@Suite struct FallbackTests {
  private let image = TestImages.noise(40, 30)
  private let chain: FilterChain = [.gaussian(sigma: 5)]

  /// A pipeline whose backend fails so, with the fast backend behind it.
  private func pipeline(_ error: BackendError, fallback: Bool = true) -> Pipeline {
    Pipeline(
      selector: BackendSelector(
        BackendSelector.Selection(
          backend: Failing(error: error), fallback: fallback ? FastBackend(threads: 1) : nil,
          reason: "test")))
  }

  @Test(arguments: [
    BackendError.broken(backend: "failing", what: "no device"),
    .unsupported(backend: "failing", what: "too large"),
    .unavailable(backend: "failing", reason: "gone", remedy: "none"),
  ])
  func anotherBackendDoesTheJob(_ error: BackendError) async throws {
    let expected = try await Pipeline(backend: .fast, threads: 1).blur(image, chain)
    var recoveries: [Recovery] = []
    let result = try await pipeline(error).blur(image, chain) { recoveries.append($0) }
    #expect(result.bytes == expected.bytes)
    #expect(recoveries.map(\.remedy) == [.freshContext, .otherBackend("fast")])
    #expect(recoveries.allSatisfy { $0.backend == "failing" })
  }

  @Test func aReportTellsOfIt() async throws {
    let job = Job(
      source: .bytes(try StillEncoder().encode(image, as: .png)), recipe: Recipe(chain),
      sink: .file("/dev/null", overwrite: true), format: .png)
    let report = try await pipeline(.broken(backend: "failing", what: "x")).run(job)
    #expect(report.backend == "fast")
    #expect(report.recoveries.map(\.remedy) == [.freshContext, .otherBackend("fast")])
    let direct = try await Pipeline(backend: .reference).run(job)
    #expect(direct.recoveries.isEmpty)
  }

  /// It hears that it is to stop once it has given all rows, and they are written: the job is done.
  @Test(arguments: [true, false])
  func whatIsStoppedAsItIsDoneTellsOfIt(isSecond: Bool) async throws {
    let output = EncodedFile()
    let late = Late(file: output)
    let failing = Failing(error: .broken(backend: "failing", what: "no device"))
    let pipeline = Pipeline(
      selector: BackendSelector(
        BackendSelector.Selection(
          backend: isSecond ? failing : late, fallback: isSecond ? late : nil, reason: "test")))
    let report = try await pipeline.run(
      Job(
        source: .bytes(try StillEncoder().encode(image, as: .png)), recipe: Recipe(chain),
        sink: .memory(output), format: .png))
    #expect(report.backend == "late")
    #expect(
      report.recoveries.map(\.remedy)
        == (isSecond ? [.freshContext, .otherBackend("late")] : [.freshContext]))
    #expect(output.bytes?.isEmpty == false)
  }

  @Test func theNextImageGoesToTheCPUAtOnce() async throws {
    let host = GraphicsHost(
      mayHaveGPU: { true },
      start: { _ async throws(BackendError) in
        GraphicsHost.Started(
          Failing(error: .broken(backend: "failing", what: "no device")), description: "made up",
          isSoftware: false)
      })
    // Many images to come, whose filter costs more than their way.
    let selector = BackendSelector(
      BackendOptions(.auto, threads: 1, expectedJobs: 1_000_000), host: host)
    let image = TestImages.noise(300, 200)
    let chain = try FilterChain(text: "bilateral(5px)")
    let job = Job(
      source: .bytes(try StillEncoder().encode(image, as: .png)), recipe: Recipe(chain),
      sink: .file("/dev/null", overwrite: true), format: .png)
    let first = try await Pipeline(selector: selector).run(job)
    #expect(first.backend == "fast" && !first.recoveries.isEmpty)
    let second = try await Pipeline(selector: selector).run(job)
    #expect(second.backend == "fast" && second.recoveries.isEmpty)
    #expect(second.warning?.contains("no device") == true)
  }

  @Test(arguments: [
    BackendError.failed(backend: "failing", what: "a mistake"),
    .inputMismatch(
      index: 0, expected: Plan.Input(TestImages.noise(1, 1)),
      got: Plan.Input(TestImages.noise(2, 2))),
  ])
  func mistakesAreNotHidden(_ error: BackendError) async throws {
    await #expect(throws: FrostglassError.self) { try await pipeline(error).blur(image, chain) }
  }

  @Test func aBackendThatWasAskedForIsNotReplaced() async throws {
    let pipeline = pipeline(.broken(backend: "failing", what: "no device"), fallback: false)
    do throws(FrostglassError) {
      _ = try await pipeline.blur(image, chain)
      Issue.record("another backend was taken")
    } catch {
      guard case .execute(.broken) = error else {
        Issue.record("\(error)")
        return
      }
    }
  }

  @Test func aDriverThatNeverWorksLeavesTheJobToTheCPU() async throws {
    var options = GLOptions()
    options.faults = GLFaults([.program: GLFaults.always])
    let gl = try await GLBackend.start(options)
    let pipeline = Pipeline(
      selector: BackendSelector(
        BackendSelector.Selection(
          backend: gl, fallback: FastBackend(threads: 1), reason: "test")))
    let expected = try await Pipeline(backend: .fast, threads: 1).blur(image, chain)
    for _ in 0..<5 {
      #expect(try await pipeline.blur(image, chain).bytes == expected.bytes)
    }
  }
}

/// A backend that makes one fault good and stops at the next.
private struct Failing: ImageBackend {
  let name = "failing"
  var error: BackendError

  func image(
    of plan: Plan, _ inputs: [Image], recovered: (Recovery) -> Void
  ) async throws(BackendError) -> Image {
    recovered(Recovery(backend: name, failure: "the context was lost", remedy: .freshContext))
    throw error
  }
}

/// A backend that makes a fault good, and is stopped once its result is written.
private struct Late: Backend {
  let name = "late"
  let file: EncodedFile

  func run(_ plan: Plan, _ io: PixelIO) async throws(BackendError) -> RunReport {
    io.recovered?(Recovery(backend: name, failure: "the context was lost", remedy: .freshContext))
    _ = try await ReferenceBackend().run(plan, io)
    await until { file.bytes != nil }
    throw .cancelled
  }
}
