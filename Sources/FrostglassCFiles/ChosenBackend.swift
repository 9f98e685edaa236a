// Functions are named as the header names them.
// swift-format-ignore-file: AlwaysUseLowerCamelCase
internal import CFrostglass
public import CFrostglassFiles
internal import Frostglass
internal import FrostglassBackends
internal import FrostglassC
internal import FrostglassCPU
internal import FrostglassCore

/// A runner on the backends that a selector chooses. The caller waits for them.
private struct ChosenBackend: CallerRunner {
  let selector: BackendSelector

  /// The expected runs of a plan. An engine runs its plans again and again, so starting a GPU costs little.
  private static let times = 1000

  func memory(for plan: Plan) -> Int {
    selector.options.choice == .reference
      ? max(plan.wholeMemory, plan.resultBytes) : selector.cpu.memory(for: plan, byRows: false)
  }

  func ready(_ plan: Plan) throws(BackendError) -> any RunnablePlan {
    try ready(as: plan) { backend throws(BackendError) in try backend.prepare(plan) }
  }

  func ready(_ plan: YCbCrPlan) throws(BackendError) -> any RunnablePlan {
    try ready(as: plan.first) { backend throws(BackendError) in try backend.prepare(plan) }
  }

  /// - Parameter plan: the plan that the backend is chosen for.
  private func ready(
    as plan: Plan,
    _ prepare: @escaping @Sendable (any Backend) throws(BackendError) -> any PreparedPlan
  ) throws(BackendError) -> any RunnablePlan {
    try check()
    let selector = selector
    let prepared = try Waiting.wait { _ throws(BackendError) in
      let selection = try await selector.selection(for: plan, times: Self.times)
      return try prepare(selector.backend(of: selection))
    }
    return ChosenRun(prepared: prepared, backend: self)
  }

  func check() throws(BackendError) {
    guard let obstacle = Waiting.obstacle else { return }
    throw .unavailable(
      backend: selector.options.choice.rawValue, reason: obstacle,
      remedy: "make engines on the CPU for what is forked")
  }
}

/// A plan that is prepared on a chosen backend.
private struct ChosenRun: RunnablePlan {
  let prepared: any PreparedPlan
  let backend: ChosenBackend

  func runNow(_ io: PixelIO) throws(BackendError) -> RunReport {
    try backend.check()
    // Progress is reported here, in the caller's waiting thread, which can cancel the other threads.
    let progress = io.progress
    let cancellation = io.cancellation
    var io = io
    io.progress = nil
    let (prepared, whole) = (prepared, io)
    let tell = progress.map { progress in
      { (done: Double) in
        progress(done)
        return cancellation?.isCancelled != true
      }
    }
    return try Waiting.wait(telling: tell) { _ throws(BackendError) in
      try await prepared.run(whole)
    }
  }
}

/// Creates an engine on a backend: see the header.
@c(fg_engine_create_on) @implementation
public func fg_engine_create_on(
  _ options: UnsafePointer<fg_backend_options>?, _ engine: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<CChar>?, _ errorSize: Int
) -> fg_status {
  answering(error, errorSize) {
    guard let engine else { throw Failure(FG_BAD_ARGUMENT, "the place for the engine is null") }
    engine.pointee = nil
    var given = fg_backend_options()
    if let options { given = try structure(options, "fg_backend_options") }
    guard given.reserved == 0 else {
      throw Failure(FG_BAD_ARGUMENT, "reserved of the fg_backend_options is not 0")
    }
    let backend = try choice(
      given.backend, "backend", of: [BackendChoice.auto, .fast, .gl, .reference])
    let devices = try given.devices.map { start in try text(start, "devices") }
    guard devices == nil || backend == .gl else {
      throw Failure(FG_BAD_ARGUMENT, "devices are of FG_BACKEND_GL alone")
    }
    let made = try Engine(threads: given.threads, memoryLimit: given.memory_limit) { threads in
      let pipeline = Pipeline(BackendOptions(backend, threads: threads, devices: devices))
      // Forked processes can go on if the backend is certainly the CPU.
      let cpu = backend == .fast ? pipeline.selector.cpu as? FastBackend : nil
      return (cpu ?? ChosenBackend(selector: pipeline.selector), pipeline)
    }
    engine.pointee = Handles.all.add(made)
  }
}
