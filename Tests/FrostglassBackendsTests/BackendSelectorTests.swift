import FrostglassBackends
import Testing

/// The backends that `auto` starts and uses, on made-up machines.
@Suite struct BackendSelectorTests {
  private func selector(_ machine: Machine, jobs: Int = 1) -> BackendSelector {
    BackendSelector(BackendOptions(.auto, threads: 2, expectedJobs: jobs), host: machine.host)
  }

  /// A full HD frame with a narrow blur.
  private static let plan = try? FilterChain([.gaussian(sigma: 2)]).plan(
    for: Plan.Input(
      size: Size(width: 1920, height: 1080), format: .rgba8, alpha: .straight, transfer: .encoded))

  @Test func nothingHappensWithoutAGPU() async throws {
    let machine = Machine(mayHaveGPU: false)
    let selector = selector(machine, jobs: 10_000)
    let selection = try await selector.selection(for: Self.plan)
    #expect(selection.backend.name == "fast" && selection.reason == "no GPU here; 2 threads")
    #expect(try await selector.prepare()?.backend.name == "fast")
    #expect(machine.starts == 0)
  }

  /// Not even the driver is started.
  @Test func oneSmallPhotoStartsNothing() async throws {
    let machine = Machine()
    let selector = selector(machine)
    #expect(try await selector.prepare() == nil)
    let selection = try await selector.selection(for: Self.plan)
    #expect(selection.backend.name == "fast")
    #expect(selection.reason.contains("of which 500 ms start-up; 2 threads"))
    #expect(machine.starts == 0)
  }

  @Test func aBatchUsesTheGPU() async throws {
    let machine = Machine()
    let selector = selector(machine, jobs: 1000)
    let selection = try await selector.selection(for: Self.plan)
    #expect(selection.backend.name == "gl" && selection.fallback?.name == "fast")
    #expect(selection.reason.contains("made up") && selection.reason.contains("1000 images"))
    #expect(machine.starts == 1)
    #expect(await selector.gpuBackends.count == 1)
    // What has started has no more start to pay for.
    let next = try await selector.selection(for: Self.plan)
    #expect(next.backend.name == "gl" && !next.reason.contains("start-up"))
    #expect(machine.starts == 1)
  }

  @Test func jobsAtOnceShareAStart() async throws {
    let machine = Machine()
    let selector = selector(machine, jobs: 1000)
    await withTaskGroup { group in
      for _ in 0..<16 {
        group.addTask { _ = try? await selector.selection(for: Self.plan) }
      }
    }
    #expect(machine.starts == 1)
  }

  @Test func framesAreJobsToo() async throws {
    let selection = try await selector(Machine()).selection(for: Self.plan, times: 1000)
    #expect(selection.backend.name == "gl")
  }

  /// A copy gains nothing by its way to the GPU, however often it comes.
  @Test func lightWorkStaysOnTheCPU() async throws {
    let machine = Machine()
    let plan = try FilterChain([.saturation(1.2)]).plan(
      for: Plan.Input(
        size: Size(width: 1920, height: 1080), format: .rgba8, alpha: .opaque, transfer: .encoded))
    let selection = try await selector(machine, jobs: 100_000).selection(for: plan)
    #expect(selection.backend.name == "fast" && machine.starts == 0, "\(selection.reason)")
  }

  @Test func aSoftwareRendererIsLeftAlone() async throws {
    let machine = Machine(isSoftware: true)
    let selector = selector(machine, jobs: 1000)
    for _ in 0..<3 {
      let selection = try await selector.selection(for: Self.plan)
      #expect(selection.backend.name == "fast")
      #expect(selection.warning?.contains("only a software renderer") == true)
    }
    #expect(machine.starts == 1)
    #expect(await selector.gpuBackends.isEmpty)
  }

  @Test func aGPUThatDoesNotStartIsReported() async throws {
    let machine = Machine(fails: true)
    let selector = selector(machine, jobs: 1000)
    for _ in 0..<3 {
      let selection = try await selector.selection(for: Self.plan)
      #expect(selection.backend.name == "fast")
      #expect(selection.warning?.contains("mend it") == true)
    }
    #expect(machine.starts == 1)
  }

  @Test func aGPUThatFailsIsLetGo() async throws {
    let machine = Machine()
    let selector = selector(machine, jobs: 1000)
    #expect(try await selector.selection(for: Self.plan).backend.name == "gl")
    // A plan that is too large is no fault of the GPU's.
    await selector.failed(.unsupported(backend: "gl", what: "too large"))
    #expect(try await selector.selection(for: Self.plan).backend.name == "gl")
    await selector.failed(.broken(backend: "gl", what: "it fell off the bus"))
    for _ in 0..<3 {
      let selection = try await selector.selection(for: Self.plan)
      #expect(selection.backend.name == "fast" && selection.fallback == nil)
      #expect(selection.reason.contains("the GPU has failed"))
      #expect(selection.warning?.contains("it fell off the bus") == true)
    }
    #expect(machine.starts == 1)
    #expect(await selector.gpuBackends.isEmpty)
  }

  /// Images one by one, as a program would: it starts when it would have paid.
  @Test func manyJobsStartTheGPUAfterAWhile() async throws {
    let machine = Machine()
    let selector = selector(machine)
    var names: [String] = []
    for _ in 0..<800 { names.append(try await selector.selection(for: Self.plan).backend.name) }
    let onCPU = names.prefix { $0 == "fast" }.count
    #expect((200...700).contains(onCPU))
    #expect(names.dropFirst(onCPU).allSatisfy { $0 == "gl" })
    #expect(machine.starts == 1)
  }

  @Test func devicesAreStartedByName() async throws {
    let selector = BackendSelector(BackendOptions(.gl, devices: "all"))
    #expect(try await selector.selection().backend.name == "gl")
    #expect(await selector.gpuBackends.count >= 1)
    let notes = await selector.notes()
    #expect(notes.map(\.name).starts(with: ["stage", "programs"]))
    let wrong = BackendSelector(BackendOptions(.gl, devices: "no such GPU"))
    await #expect(throws: BackendError.self) { try await wrong.selection() }
  }
}
