import FrostglassBackends
import FrostglassCPU
import FrostglassGL
import Glibc
import TestSupport
import Testing

/// What `auto` starts, measures and remembers, on machines that are made up.
@Suite struct BackendSelectorTests {
  private func selector(
    _ machine: Machine, _ folder: CacheFolder?, jobs: Int = 1, devices: String? = nil,
    stage: GLOptions.Stage = .automatic
  ) -> BackendSelector {
    BackendSelector(
      BackendOptions(
        .auto, threads: 2, devices: devices, expectedJobs: jobs,
        gl: GLOptions(stage: stage, cacheDirectory: folder?.path)),
      host: machine.host)
  }

  /// A full HD frame with a narrow blur.
  private static let plan = try? FilterChain([.gaussian(sigma: 2)]).plan(
    for: Plan.Input(
      size: Size(width: 1920, height: 1080), format: .rgba8, alpha: .straight, transfer: .encoded))

  @Test func nothingHappensWithoutAGPU() async throws {
    let (machine, folder) = (Machine(mayHaveGPU: false), CacheFolder())
    let selector = selector(machine, folder, jobs: 10_000)
    let selection = try await selector.selection(for: Self.plan)
    #expect(selection.backend.name == "fast" && selection.reason == "no GPU here; 2 threads")
    #expect(try await selector.prepare()?.backend.name == "fast")
    #expect(await selector.measuredCosts() == nil)
    #expect(machine.counts == [0, 0] && folder.devices.entries.isEmpty)
    #expect(access(folder.path, F_OK) != 0)
  }

  /// Not even the driver is started, neither before nor after costs are known.
  @Test func oneSmallPhotoStartsNothing() async throws {
    let (machine, folder) = (Machine(), CacheFolder())
    for isMeasured in [false, true] {
      if isMeasured { machine.model.remember("renderD128 10de:2335", in: folder.path) }
      let selector = selector(machine, folder)
      #expect(try await selector.prepare() == nil)
      let selection = try await selector.selection(for: Self.plan)
      #expect(selection.backend.name == "fast")
      #expect(selection.reason.contains(isMeasured ? "of which 290 ms start-up" : "not measured"))
      #expect(machine.counts == [0, 0])
    }
  }

  @Test func aBatchMeasuresOnceAndUsesTheGPU() async throws {
    let (machine, folder) = (Machine(), CacheFolder())
    let first = selector(machine, folder, jobs: 1000)
    let selection = try await first.selection(for: Self.plan)
    #expect(selection.backend.name == "gl" && selection.fallback?.name == "fast")
    #expect(selection.reason.contains("made up") && selection.reason.contains("1000 pictures"))
    #expect(machine.counts == [1, 1])
    // The next process knows.
    let second = selector(machine, folder, jobs: 1000)
    #expect(try await second.selection(for: Self.plan).backend.name == "gl")
    #expect(machine.counts == [2, 1])
    #expect(await second.gpuBackends.count == 1)
  }

  @Test func jobsAtOnceShareAStart() async throws {
    let machine = Machine()
    let selector = selector(machine, nil, jobs: 1000)
    await withTaskGroup { group in
      for _ in 0..<16 {
        group.addTask { _ = try? await selector.selection(for: Self.plan) }
      }
    }
    #expect(machine.counts == [1, 1])
  }

  /// What the next start will not take does not count against the GPU.
  @Test func measuringIsNoStart() async throws {
    for seconds in [0, 1000.0] {
      let machine = Machine(secondsOnce: seconds)
      _ = try await selector(machine, nil, jobs: 1000).selection(for: Self.plan)
      #expect(seconds == 0 ? machine.startUp > 0 : machine.startUp == 0)
    }
  }

  @Test func framesAreJobsToo() async throws {
    let machine = Machine()
    let selection = try await selector(machine, nil).selection(for: Self.plan, times: 1000)
    #expect(selection.backend.name == "gl")
  }

  @Test func aSlowGPUIsStartedOnceAndLeft() async throws {
    let slow = CostModel(
      fast: CostModelTests.discrete.fast, threads: 2,
      gl: BackendCosts(startUp: 0.3, perJob: 0.1, perMegabyte: 0.01, perGiga: 1), identity: "slow")
    let (machine, folder) = (Machine(slow), CacheFolder())
    let selection = try await selector(machine, folder, jobs: 1000).selection(for: Self.plan)
    #expect(selection.backend.name == "fast")
    #expect(machine.counts == [1, 1])
    // From then on it is not even started.
    let next = try await selector(machine, folder, jobs: 1000).selection(for: Self.plan)
    #expect(next.backend.name == "fast" && machine.counts == [1, 1])
  }

  @Test func anotherDriverIsMeasuredAgain() async throws {
    let (machine, folder) = (Machine(), CacheFolder())
    var old = CostModelTests.discrete
    old.identity = "GPU, an older driver"
    old.remember("renderD128 10de:2335", in: folder.path)
    _ = try await selector(machine, folder, jobs: 1000).selection(for: Self.plan)
    #expect(machine.counts == [1, 1])
    #expect(CostModel.remembered("renderD128 10de:2335", in: folder.path) == machine.model)
  }

  /// What one device costs, or one stage, decides for no other.
  @Test func eachDeviceAndStageHasItsCosts() async throws {
    let (machine, folder) = (Machine(), CacheFolder())
    for round in 1...2 {
      _ = try await selector(machine, folder, jobs: 1000).selection(for: Self.plan)
      for devices in ["0", "1"] {
        _ = try await selector(machine, folder, jobs: 1000, devices: devices)
          .selection(for: Self.plan)
      }
      for stage in [GLOptions.Stage.fragment, .compute] {
        _ = try await selector(machine, folder, jobs: 1000, stage: stage).selection(for: Self.plan)
      }
      #expect(machine.counts == [round * 5, 5])
    }
    #expect(folder.devices.entries.count == 5)
    // Where nothing is chosen, what earlier versions kept serves on.
    #expect(CostModel.place("here", BackendOptions()) == "here")
  }

  @Test func damagedCostsAreMeasuredAgain() async throws {
    let (machine, folder) = (Machine(), CacheFolder())
    machine.model.remember("renderD128 10de:2335", in: folder.path)
    let name = try #require(folder.devices.entries.first?.name)
    let good = try #require(folder.devices.read(name, atMost: 10_000))
    for bytes in [[], Array(good.dropLast(3)), Array(good.reversed())] {
      #expect(folder.devices.write(bytes, to: name))
      let before = machine.counts[1]
      _ = try await selector(machine, folder, jobs: 1000).selection(for: Self.plan)
      #expect(machine.counts[1] == before + 1)
      #expect(folder.devices.read(name, atMost: 10_000) == good)
    }
  }

  @Test func aSoftwareRendererIsLeftAlone() async throws {
    let machine = Machine(isSoftware: true)
    let selector = selector(machine, nil, jobs: 1000)
    for _ in 0..<3 {
      let selection = try await selector.selection(for: Self.plan)
      #expect(selection.backend.name == "fast")
      #expect(selection.warning?.contains("only a software renderer") == true)
    }
    #expect(machine.counts == [1, 0])
    #expect(await selector.gpuBackends.isEmpty)
  }

  @Test func aGPUThatDoesNotStartIsReported() async throws {
    let machine = Machine(fails: true)
    let selector = selector(machine, nil, jobs: 1000)
    for _ in 0..<3 {
      let selection = try await selector.selection(for: Self.plan)
      #expect(selection.backend.name == "fast")
      #expect(selection.warning?.contains("mend it") == true)
    }
    #expect(machine.counts == [1, 0])
  }

  @Test func aGPUThatFailsIsLetGo() async throws {
    let machine = Machine()
    let selector = selector(machine, nil, jobs: 1000)
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
    #expect(machine.counts == [1, 1])
    #expect(await selector.gpuBackends.isEmpty)
  }

  /// Pictures one by one, as a program would: it starts when it would have paid.
  @Test func manyJobsStartTheGPUAfterAWhile() async throws {
    let (machine, folder) = (Machine(), CacheFolder())
    machine.model.remember("renderD128 10de:2335", in: folder.path)
    let selector = selector(machine, folder)
    var names: [String] = []
    for _ in 0..<80 { names.append(try await selector.selection(for: Self.plan).backend.name) }
    let onCPU = names.prefix { $0 == "fast" }.count
    #expect((10...70).contains(onCPU))
    #expect(names.dropFirst(onCPU).allSatisfy { $0 == "gl" })
    #expect(machine.counts == [1, 0])
  }

  /// The real thing, with the software renderer in the place of a GPU.
  @Test func costsAreMeasured() async throws {
    let gl = try await GLBackend.start()
    let started = GraphicsHost.Started(
      gl, description: "", isSoftware: false, identity: "this one")
    let model = try #require(
      await CostMeasurement.model(
        of: started, beside: FastBackend(threads: 2), size: Size(width: 400, height: 300),
        startUp: 0.1
      ) {
        try? await GLBackend.start()
      })
    #expect(model.identity == "this one" && model.threads == 2)
    #expect(model.gl.startUp >= 0.1 && model.fast.startUp == 0)
    // What exactly is for the machine to say, but nothing is for nothing.
    for costs in [model.gl, model.fast] { #expect(costs.seconds(.typical) > 0) }
    let folder = CacheFolder()
    model.remember("here", in: folder.path)
    #expect(CostModel.remembered("here", in: folder.path) == model)
    #expect(CostModel.remembered("there", in: folder.path) == nil)
    #expect(CostModel.remembered("here", in: nil) == nil)
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
