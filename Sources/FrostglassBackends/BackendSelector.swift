// Plans and images are what backends are given: one import for both.
@_exported public import FrostglassCore
internal import FrostglassCPU
public import FrostglassGL

/// Starts the requested backend once, when it is first needed; for `auto`, chooses for
/// each plan.
public actor BackendSelector {
  /// A started backend and the reason for choosing it.
  public struct Selection: Sendable {
    /// The backend that runs the plan.
    public var backend: any Backend
    /// The backend for plans that `backend` cannot run; `nil` unless `auto` chose a GPU.
    public var fallback: (any Backend)?
    /// Why it was chosen, in words.
    public var reason: String
    /// Something the user should know unasked: a GPU that is there and cannot be used.
    public var warning: String?

    package init(
      backend: any Backend, fallback: (any Backend)? = nil, reason: String,
      warning: String? = nil
    ) {
      self.backend = backend
      self.fallback = fallback
      self.reason = reason
      self.warning = warning
    }
  }

  /// The options it was made with.
  public nonisolated let options: BackendOptions
  /// Workers of the fast backend.
  package nonisolated let threads: Int
  private let host: GraphicsHost
  /// Asked where there may be a GPU.
  private lazy var automatic = AutomaticChoice(
    options, host: host, fast: fast, workers: BackendSelector.workers(threads))
  private let fast: FastBackend
  private let starters = ThreadPool()
  private var starting: Task<Result<Selection, BackendError>, Never>?
  private var named: Selection?

  /// - Parameter threads: workers of the fast backend; `nil` means one per core.
  public init(_ choice: BackendChoice, threads: Int? = nil) {
    self.init(BackendOptions(choice, threads: threads))
  }

  /// A selector; nothing starts before the first plan runs.
  public init(_ options: BackendOptions) {
    self.init(options, host: .this)
  }

  package init(_ options: BackendOptions, host: GraphicsHost, started: Selection? = nil) {
    self.options = options
    self.host = host
    threads = options.threads ?? ProcessorCores.count
    fast = FastBackend(threads: threads)
    starting = started.map { selection in Task { .success(selection) } }
  }

  /// Takes what is started already, for tests.
  package init(_ selection: Selection) {
    self.init(BackendOptions(.gl, threads: 1), host: .this, started: selection)
  }

  /// Returns the backend for a plan.
  ///
  /// - Parameters:
  ///   - plan: `nil` for many blurs of full HD frames.
  ///   - times: the number of times the plan will run: the frames of an animation. 1 or more.
  /// - Throws: `BackendError.unavailable` when `gl` was asked for and does not start; `auto` never
  ///   fails.
  public func selection(
    for plan: Plan? = nil, times: Int = 1
  ) async throws(BackendError) -> Selection {
    if options.choice == .auto && host.mayHaveGPU() {
      return await automatic.selection(for: plan, times: times)
    }
    let selection = try await requested()
    named = selection
    return selection
  }

  /// Returns the backend that was asked for by name, or the only one there is.
  private func requested() async throws(BackendError) -> Selection {
    switch options.choice {
    case .reference: return Selection(backend: ReferenceBackend(), reason: "asked for")
    case .fast:
      return Selection(backend: fast, reason: "asked for; \(BackendSelector.workers(threads))")
    case .auto:
      return Selection(backend: fast, reason: "no GPU here; \(BackendSelector.workers(threads))")
    case .gl:
      // Jobs that come at once wait for the same start, which takes long.
      let task =
        starting
        ?? Task(executorPreference: starters) { [host, options] in
          await Result { () async throws(BackendError) in
            let started = try await host.start(options)
            return Selection(
              backend: started.backend, reason: "asked for; \(started.description)")
          }
        }
      starting = task
      return try await task.value.get()
    }
  }

  /// Starts the backend before the first plan, if it is clear which it is.
  ///
  /// - Returns: `nil` where it depends on the plan.
  /// - Throws: as `selection(for:times:)`.
  public func prepare() async throws(BackendError) -> Selection? {
    if options.choice == .auto && host.mayHaveGPU() { return nil }
    return try await selection()
  }

  /// True if a backend that takes whole images, not rows, may run plans.
  package nonisolated var mayTakeWholeImages: Bool {
    switch options.choice {
    case .fast: false
    case .gl, .reference: true
    case .auto: host.mayHaveGPU()
    }
  }

  /// The CPU's, for small work on the side.
  package nonisolated var cpu: any Backend { fast }

  /// Returns the backend of a selection, with its fallback behind it if it has one.
  package nonisolated func backend(of selection: Selection) -> any Backend {
    guard let fallback = selection.fallback else { return selection.backend }
    return FallbackBackend(selection.backend, before: fallback) { await self.failed($0) }
  }

  /// Learns how a plan has failed where a selection has a fallback: a backend that is itself to
  /// blame gets no later plan.
  package func failed(_ error: BackendError) async {
    await automatic.failed(error)
  }

  /// The GPU backends that have started.
  package var gpuBackends: [any Backend] {
    get async {
      let backend = options.choice == .auto ? await automatic.startedBackend : named?.backend
      return (backend as? BackendPool)?.members ?? [backend].compactMap { $0 }
    }
  }

  private static func workers(_ threads: Int) -> String {
    threads == 1 ? "1 thread" : "\(threads) threads"
  }
}

extension BackendSelector {
  /// Bytes that textures and buffers take on GPUs; `nil` where none has started.
  package func gpuMemory() async -> Int? {
    var bytes: Int?
    for case let backend as GLBackend in await gpuBackends {
      let statistics = await backend.textureStatistics
      bytes = (bytes ?? 0) + statistics.heldBytes + statistics.bufferBytes
    }
    return bytes
  }

  /// Returns lines for logs about the GPU backends that have started, each with a short name.
  ///
  /// They say which stage runs the passes and why, how many programs were compiled, and what textures took.
  package func notes() async -> [(name: String, text: String)] {
    var notes: [(name: String, text: String)] = []
    for case let backend as GLBackend in await gpuBackends {
      notes.append(("stage", "\(backend.stage)"))
      notes.append(("programs", "\(await backend.compiledPrograms) compiled"))
      notes.append(("gpu", "\(await backend.textureStatistics)"))
    }
    return notes
  }
}

/// The choice of a backend, its setup, and the work to expect.
public struct BackendOptions: Sendable, Hashable {
  /// The backend that runs plans.
  public var choice: BackendChoice
  /// Workers of the fast backend; `nil` means one per core.
  public var threads: Int?
  /// The GPUs of the gl backend, by their numbers in `frostglass doctor`'s list or parts of their
  /// names, separated by commas, or `all`; several share the work. `nil` means what `gl` says.
  public var devices: String?
  /// The index, from 0 and modulo their number, of the one GPU of `devices` to use, where other processes use the
  /// others; `nil` uses all.
  package var devicePlace: Int?
  /// The number of images that will come, as far as is known; 1 or more. `auto` starts a GPU only where that pays for
  /// them together.
  public var expectedJobs: Int
  /// The number of jobs that run at the same time, each on `threads` workers; 1 or more.
  public var jobsAtOnce: Int
  /// The options of the GPU backend.
  public var gl: GLOptions {
    get { graphics ?? GLOptions() }
    set { graphics = newValue == GLOptions() ? nil : newValue }
  }
  /// The options of the GPU backend where they are not the defaults; `nil` otherwise.
  private var graphics: GLOptions?

  /// Options; those left out have their defaults.
  public init(
    _ choice: BackendChoice = .auto, threads: Int? = nil, devices: String? = nil,
    expectedJobs: Int = 1, jobsAtOnce: Int = 1, gl: GLOptions = GLOptions()
  ) {
    self.choice = choice
    self.threads = threads
    self.devices = devices
    self.expectedJobs = expectedJobs
    self.jobsAtOnce = jobsAtOnce
    self.gl = gl
  }

  /// Options of a backend on the CPU; they ask nothing of GPUs.
  package init(onCPU choice: BackendChoice) {
    self.choice = choice
    expectedJobs = 1
    jobsAtOnce = 1
  }
}

/// The backend that runs the plans.
public enum BackendChoice: String, Sendable, Hashable, CaseIterable {
  /// A GPU where one works and is faster for the plan, else the fast CPU backend.
  case auto
  /// OpenGL ES, also where the CPU plays the GPU.
  case gl
  /// The CPU, all cores.
  case fast
  /// The CPU, the code that defines what is right.
  case reference
}

/// The functions of the machine that choosing a backend needs; tests substitute their own.
package struct GraphicsHost: Sendable {
  /// A GPU backend that has started.
  package struct Started: Sendable {
    package var backend: any Backend
    /// For messages.
    package var description: String
    /// True if the CPU emulates the GPU.
    package var isSoftware: Bool

    package init(_ backend: any Backend, description: String, isSoftware: Bool) {
      self.backend = backend
      self.description = description
      self.isSoftware = isSoftware
    }
  }

  /// Returns true if there may be a GPU; starts no driver.
  package var mayHaveGPU: @Sendable () -> Bool
  package var start: @Sendable (BackendOptions) async throws(BackendError) -> Started

  package init(
    mayHaveGPU: @escaping @Sendable () -> Bool,
    start: @escaping @Sendable (BackendOptions) async throws(BackendError) -> Started
  ) {
    self.mayHaveGPU = mayHaveGPU
    self.start = start
  }

  /// This machine.
  package static let this = GraphicsHost(
    mayHaveGPU: { GLSurvey.hasGPUDeviceNode },
    start: { options async throws(BackendError) in try await start(options) })

  private static func start(_ options: BackendOptions) async throws(BackendError) -> Started {
    var backends: [GLBackend] = []
    if let devices = options.devices {
      let listed = try await GLSurvey.take().list.devices(devices)
      let taken = options.devicePlace.map { [listed[$0 % listed.count]] } ?? listed
      for device in taken {
        var own = options.gl
        own.device = .only(device.displays[0])
        backends.append(try await GLBackend.start(own))
      }
    } else {
      backends = [try await GLBackend.start(options.gl)]
    }
    let first = backends[0]
    let several = "\(backends.count) devices: "
    return Started(
      backends.count == 1 ? first : BackendPool(first, Array(backends.dropFirst())),
      description: (backends.count == 1 ? "" : several)
        + backends.map(\.deviceDescription).joined(separator: "; "),
      isSoftware: first.isSoftware)
  }
}
