public import FrostglassCore
internal import Glibc

/// Runs plans on the GPU through EGL and OpenGL ES 3.1, without a window.
///
/// The actor's executor owns the context; what crosses is values. Plans that exceed the device's
/// texture size or the byte limit run in tiles, with the same bytes.
///
/// A job that a failing device or driver stops is run again: in a fresh context, in smaller tiles, or
/// with what else of the device works. Where nothing helps it throws `BackendError.broken`.
public actor GLBackend: Backend {
  public nonisolated let name = "gl"
  /// The device that was found.
  public nonisolated let device: GLDevice
  private let executor: GLThread
  private let options: GLOptions
  private let setup: ContextSetup
  /// `nil` once the device is given up.
  private var session: GLSession?
  private var experience = GLExperience()

  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// Whether the CPU plays the GPU.
  public nonisolated var isSoftware: Bool { device.isSoftware }
  /// Renderer, platform and version in one line.
  public nonisolated var deviceDescription: String { device.description }

  /// Finds a device and starts a backend on it.
  ///
  /// - Parameter log: told what the driver says, on the backend's thread, where
  ///   `GLOptions.debug` asks for that and the driver knows `GL_KHR_debug`.
  /// - Throws: `BackendError.unavailable`, with each display's reason and the likely fix.
  public static func start(
    _ options: GLOptions = .init(), log: (@Sendable (GLMessage) -> Void)? = nil
  ) async throws(BackendError) -> GLBackend {
    let executor = try GLThread()
    do throws(DisplaySearch.Failure) {
      let session = try await executor.start { () throws(DisplaySearch.Failure) in
        try GLSession(options, ContextSetup(options, log: log))
      }
      if !session.device.isSoftware { executor.needsNoTurns() }
      return GLBackend(executor, options, session)
    } catch {
      executor.stop()
      throw error.backendError
    }
  }

  private init(_ executor: GLThread, _ options: GLOptions, _ session: sending GLSession) {
    self.executor = executor
    self.options = options
    self.device = session.device
    self.setup = session.setup
    self.session = session
  }

  // Runs where the context is current, so that the session's GL objects can be deleted; the
  // executor ends after this, its last job.
  isolated deinit {
    executor.stop()
  }

  public func execute(_ plan: Plan, _ inputs: [Image]) async throws(BackendError) -> Image {
    try run(plan, inputs) { _ in }
  }

  public func execute(
    _ plan: Plan, _ inputs: [Image], telling tell: @Sendable (Recovery) -> Void
  ) async throws(BackendError) -> Image {
    try run(plan, inputs, tell)
  }

  private func run(
    _ plan: Plan, _ inputs: [Image], _ tell: (Recovery) -> Void
  ) throws(BackendError) -> Image {
    try plan.check(inputs)
    return try rescuing(plan, tell) { session throws(GLFailure) in try session.run(plan, inputs) }
  }

  /// Does work for a plan, again where the device fails, as long as something can be done about it.
  ///
  /// - Parameter work: leaves nothing behind that is of the session.
  private func rescuing<Value>(
    _ plan: Plan, _ tell: (Recovery) -> Void, _ work: (GLSession) throws(GLFailure) -> Value
  ) throws(BackendError) -> Value {
    var rescue = GLRescue()
    while true {
      let failure: GLFailure
      do throws(GLFailure) {
        guard let session else { throw .unsupported(hopeless) }
        let value = try work(session)
        experience.endedWell(afterLoss: rescue.hasLost)
        return value
      } catch { failure = error }
      let remedy = try remedy(for: failure, plan, &rescue)
      tell(Recovery(backend: name, failure: "\(failure)", remedy: remedy))
      if case .freshContext = remedy { try renew() } else { session?.adapt(to: experience) }
    }
  }

  /// - Throws: where nothing is to be done about a failure.
  private func remedy(
    for failure: GLFailure, _ plan: Plan, _ rescue: inout GLRescue
  ) throws(BackendError) -> Recovery.Remedy {
    guard let session else { throw .broken(backend: name, what: hopeless) }
    guard failure.isOfDevice else { throw failure.backendError }
    if let remedy = rescue.remedy(for: failure, session.circumstances(of: plan), &experience) {
      return remedy
    }
    experience.surrenders += 1
    if experience.isHopeless { self.session = nil }
    throw failure.backendError
  }

  /// Replaces the session by a new one on the same device. The old one goes first: its end leaves
  /// the thread without a context.
  private func renew() throws(BackendError) {
    let peak = session?.runner.pool.ledger.peak ?? 0
    session?.context.waitForResetToEnd()
    session = nil
    var options = options
    options.device = .only(device.platform)
    do throws(DisplaySearch.Failure) {
      session = try GLSession(options, setup, after: experience, peak: peak)
    } catch {
      throw .broken(backend: name, what: "no new context on \(deviceDescription): \(error.words)")
    }
  }

  private var hopeless: String {
    "\(deviceDescription) has failed too often and is not used any more"
  }

  /// What the backend's textures and buffers take.
  public var textureStatistics: TexturePoolStatistics {
    session?.runner.pool.statistics ?? TexturePoolStatistics()
  }

  /// Frees the textures that are kept for the next plan.
  public func trim() {
    session?.runner.pool.trim()
  }

  /// How a plan would run, without running it.
  package func tiling(of plan: Plan) throws(BackendError) -> TilingReport {
    do throws(GLFailure) {
      guard let session else { throw .unsupported(hopeless) }
      return try session.tiling(of: plan)
    } catch { throw error.backendError }
  }

  /// How often the driver was asked and made to fail, for tests.
  package var faultCounts: [GLFaults.Point: (asked: Int, struck: Int)] {
    guard let faults = setup.faults else { return [:] }
    return faults.asked.reduce(into: [:]) { counts, entry in
      counts[entry.key] = (entry.value, faults.struck[entry.key] ?? 0)
    }
  }
}
