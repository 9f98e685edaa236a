internal import FrostglassCPU
internal import FrostglassGL

/// Decides for each plan whether the CPU or a GPU runs it, by what both were measured to cost.
///
/// For machines that may have a GPU, which is started when that pays, and not before.
actor AutomaticChoice {
  typealias Selection = BackendSelector.Selection

  private enum GPU {
    case unstarted
    case working(GraphicsHost.Started)
    /// Of no use: why, and what the user should know.
    case useless(reason: String, warning: String)
  }

  private let options: BackendOptions
  private let host: GraphicsHost
  private let fast: FastBackend
  /// How messages call the fast backend's workers.
  private let workers: String
  private var gpu = GPU.unstarted
  private var starting: Task<(GPU, CostModel?), Never>?
  private var model: CostModel?
  private var jobs = 0
  private var regret = 0.0

  init(_ options: BackendOptions, host: GraphicsHost, fast: FastBackend, workers: String) {
    self.options = options
    self.host = host
    self.fast = fast
    self.workers = workers
  }

  /// The GPU's backend if it has started.
  var startedBackend: (any Backend)? {
    if case .working(let started) = gpu { started.backend } else { nil }
  }

  /// Where a plan is to run.
  ///
  /// - Parameters:
  ///   - plan: `nil` for the many that will come.
  ///   - times: how often it will run.
  func selection(for plan: Plan?, times: Int) async -> Selection {
    let coming = plan == nil ? 1000 : max(options.expectedJobs - jobs, times, 1)
    let decision = decision(for: plan, coming)
    jobs += 1
    if case .useless(let reason, let warning) = gpu {
      return Selection(backend: fast, reason: reason, warning: warning)
    }
    guard decision.usesGL else {
      if case .unstarted = gpu { regret += decision.savings * Double(times) }
      return Selection(backend: fast, reason: "\(decision.words); \(workers)")
    }
    await start()
    switch gpu {
    case .working(let started):
      // What was only assumed is known now.
      let settled = self.decision(for: plan, coming)
      guard settled.usesGL else {
        return Selection(backend: fast, reason: "\(settled.words); \(workers)")
      }
      return Selection(
        backend: started.backend, fallback: fast,
        reason: "\(decision.isMeasured ? decision.words : settled.words); \(started.description)")
    case .useless(let reason, let warning):
      return Selection(backend: fast, reason: reason, warning: warning)
    case .unstarted:
      return Selection(backend: fast, reason: workers)
    }
  }

  /// Learns how a plan has failed on the GPU: one that does not work any more is let go.
  func failed(_ error: BackendError) {
    guard error.isOfBackend, case .working = gpu else { return }
    gpu = .useless(
      reason: "the GPU has failed; \(workers)",
      warning: "the GPU is not used any more: \(error). Using the CPU")
  }

  /// Starts the GPU whether it pays or not, and measures what was not measured before.
  func measured() async -> CostModel? {
    guard host.mayHaveGPU() else { return nil }
    _ = known()
    await start()
    guard case .working = gpu else { return nil }
    return model
  }

  private func decision(for plan: Plan?, _ coming: Int) -> CostDecision {
    let isStarted = if case .working = gpu { true } else { false }
    return known().decision(
      for: plan.map { PlanWork($0) } ?? .typical, jobs: coming,
      threads: fast.threads * max(options.jobsAtOnce, 1),
      // It is for the start; what was started has no more of it to pay.
      regret: isStarted ? 0 : regret, isStarted: isStarted)
  }

  private func known() -> CostModel {
    if let model { return model }
    let place = CostModel.place(host.fingerprint(), options)
    let known = CostModel.remembered(place, in: options.gl.cacheDirectory) ?? .assumed
    model = known
    return known
  }

  /// Starts the GPU once, however many plans wait for it.
  private func start() async {
    let task =
      starting
      ?? Task { [host, options, fast, model] in
        await Self.start(host, options, fast, known: model)
      }
    starting = task
    let (outcome, measured) = await task.value
    guard case .unstarted = gpu else { return }
    gpu = outcome
    if let measured { model = measured }
  }

  private static func start(
    _ host: GraphicsHost, _ options: BackendOptions, _ fast: FastBackend, known: CostModel?
  ) async -> (GPU, CostModel?) {
    let begin = ContinuousClock.now
    let started: GraphicsHost.Started
    do throws(BackendError) { started = try await host.start(options) } catch {
      return (
        .useless(
          reason: "the GPU does not start",
          warning: "a GPU device is present but unusable: \(error). Using the CPU"), nil
      )
    }
    let startUp = begin.duration(to: .now) / .seconds(1)
    guard !started.isSoftware else {
      return (
        .useless(
          reason: "only a software renderer answers (\(started.description))",
          warning: "a GPU device is present, but only a software renderer answers; "
            + "using the CPU. `frostglass doctor` says what to do"), nil
      )
    }
    if let known, known.isOf(started.identity) { return (.working(started), nil) }
    let again = max(0, startUp - started.secondsOnce)
    guard let model = await host.measure(options, started, fast, again) else {
      return (
        .useless(
          reason: "the GPU fails",
          warning: "a GPU device is present but does not run a blur. Using the CPU"), nil
      )
    }
    model.remember(
      CostModel.place(host.fingerprint(), options), in: options.gl.cacheDirectory)
    return (.working(started), model)
  }
}
