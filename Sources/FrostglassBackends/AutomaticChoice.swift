internal import FrostglassCPU

/// Decides for each plan whether the CPU or a GPU runs it, see `BackendRule`.
///
/// For machines that may have a GPU, which is started when that pays, and not before.
actor AutomaticChoice {
  typealias Selection = BackendSelector.Selection

  private enum GPU {
    case unstarted
    case working(GraphicsHost.Started)
    /// Unusable; `reason` is for logs, `warning` for the user.
    case useless(reason: String, warning: String)
  }

  private let options: BackendOptions
  private let host: GraphicsHost
  private let fast: FastBackend
  /// The number of the fast backend's workers in words, for messages.
  private let workers: String
  private var gpu = GPU.unstarted
  private var starting: Task<GPU, Never>?
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

  /// Chooses the backend for a plan.
  ///
  /// - Parameters:
  ///   - plan: the plan; `nil` for the many that will come.
  ///   - times: the number of times it will run.
  func selection(for plan: Plan?, times: Int) async -> Selection {
    let isStarted = startedBackend != nil
    let rule = BackendRule(
      plan, jobs: plan == nil ? 1000 : max(options.expectedJobs - jobs, times, 1),
      threads: fast.threads * max(options.jobsAtOnce, 1),
      // It is for the start; what was started has no more of it to pay.
      regret: isStarted ? 0 : regret, isStarted: isStarted)
    jobs += 1
    if rule.usesGL { await start() }
    switch gpu {
    case .useless(let reason, let warning):
      return Selection(backend: fast, reason: reason, warning: warning)
    case .working(let started) where rule.usesGL:
      return Selection(
        backend: started.backend, fallback: fast,
        reason: "\(rule.words); \(started.description)")
    case .unstarted, .working:
      if !isStarted { regret += rule.savings * Double(times) }
      return Selection(backend: fast, reason: "\(rule.words); \(workers)")
    }
  }

  /// Learns how a plan has failed on the GPU: one that does not work any more is let go.
  func failed(_ error: BackendError) {
    guard error.isOfBackend, case .working = gpu else { return }
    gpu = .useless(
      reason: "the GPU has failed; \(workers)",
      warning: "the GPU is not used any more: \(error). Using the CPU")
  }

  /// Starts the GPU once, however many plans wait for it.
  private func start() async {
    let task = starting ?? Task { [host, options] in await Self.start(host, options) }
    starting = task
    let outcome = await task.value
    if case .unstarted = gpu { gpu = outcome }
  }

  private static func start(_ host: GraphicsHost, _ options: BackendOptions) async -> GPU {
    let started: GraphicsHost.Started
    do { started = try await host.start(options) } catch {
      return .useless(
        reason: "the GPU does not start",
        warning: "a GPU device is present but unusable: \(error). Using the CPU")
    }
    guard started.isSoftware else { return .working(started) }
    return .useless(
      reason: "only a software renderer answers (\(started.description))",
      warning: "a GPU device is present, but only a software renderer answers; "
        + "using the CPU. `frostglass doctor` says what to do")
  }
}
