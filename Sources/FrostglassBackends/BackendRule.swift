internal import FrostglassCPU
internal import FrostglassCore

/// An estimate of where plans of one kind run faster: it compares the bytes that go to a GPU and come back, the
/// arithmetic, and the number of images to come.
///
/// Images are in memory, so nearly all the time of a frame on a GPU is the transfer there and back, whatever the
/// card. A core needs about as long to move the same bytes through a light filter. The arithmetic per byte, and the
/// number of cores that share it, therefore decide.
package struct BackendRule: Sendable, Hashable {
  /// Seconds for 10⁶ bytes there or back: 3.8 ms for 66.4 MB on an H200, while other frames move as well.
  private static let way = 57e-6
  /// Seconds for an image, however small: asking for its draws and waiting for them.
  private static let asking = 100e-6
  /// Seconds before the first image: the driver, and the programs.
  private static let start = 0.5
  /// Seconds of a core for 10⁶ bytes, and for 10⁹ multiply-adds of each channel: between what was measured with
  /// AVX-512 (0.03) and without.
  private static let core = (bytes: 50e-6, sums: 0.05)

  /// Seconds on the CPU, for all images.
  package let fast: Double
  /// Seconds on the GPU, for all images, its start included.
  package let gl: Double
  /// Seconds of the start in `gl`.
  package let startUp: Double
  /// Images that are to come.
  package let jobs: Int
  /// Seconds that earlier images would have saved on the GPU.
  package let regret: Double

  /// - Parameters:
  ///   - megabytes: that go in and come out, for each image.
  ///   - sums: 10⁹ multiply-adds per channel, for each image.
  ///   - jobs: images that are to come, this one included; 1 or more.
  ///   - threads: workers on the CPU, for all images together; 1 or more.
  ///   - regret: seconds that earlier images would have saved. When they would have paid for the start, more may
  ///     come, so the GPU is started then: that costs at most twice what knowing the future would.
  ///   - isStarted: true if the GPU has started, so that its start costs nothing more.
  package init(
    megabytes: Double, sums: Double, jobs: Int, threads: Int, regret: Double = 0,
    isStarted: Bool = false
  ) {
    let one = BackendRule.core
    fast = Double(jobs) * (megabytes * one.bytes + sums * one.sums) / Double(threads)
    startUp = isStarted ? 0 : BackendRule.start
    gl = startUp + Double(jobs) * (BackendRule.asking + megabytes * BackendRule.way)
    self.jobs = jobs
    self.regret = regret
  }

  /// - Parameter plan: `nil` is a full HD frame of RGBA in 8 bits, with a chain of a few blurs.
  package init(
    _ plan: Plan?, jobs: Int, threads: Int, regret: Double = 0, isStarted: Bool = false
  ) {
    let inputs = plan?.inputs.reduce(0) { $0 + $1.size.area * $1.format.bytesPerPixel }
    self.init(
      megabytes: plan.map { Double((inputs ?? 0) + $0.resultBytes) / 1e6 } ?? 16.6,
      sums: plan.map { $0.multiplyAddsPerPixel * Double($0.result.rect.area) / 1e9 } ?? 0.1,
      jobs: jobs, threads: threads, regret: regret, isStarted: isStarted)
  }

  /// True if the GPU is to run them.
  package var usesGL: Bool { gl < fast + regret }

  /// Seconds that each image would save on a started GPU; 0 where it would save none.
  package var savings: Double { max(0, (fast - (gl - startUp)) / Double(jobs)) }

  /// The numbers in words.
  package var words: String {
    var text = "fast: \(Self.milliseconds(fast)) expected; gl: \(Self.milliseconds(gl))"
    if startUp > 0 { text += ", of which \(Self.milliseconds(startUp)) start-up" }
    if jobs > 1 { text += "; for \(jobs) images" }
    if regret > 0 && usesGL && gl >= fast {
      text += "; earlier ones would have saved \(Self.milliseconds(regret))"
    }
    return text
  }

  private static func milliseconds(_ seconds: Double) -> String {
    let value = seconds * 1000
    return value >= 9.95 ? "\(Int(value.rounded())) ms" : "\((value * 10).rounded() / 10) ms"
  }
}

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
