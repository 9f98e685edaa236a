public import FrostglassCore

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
  /// Which part of the device runs the passes, and why.
  public nonisolated let stage: StageChoice
  private let executor: GLThread
  private let options: GLOptions
  private let setup: ContextSetup
  /// `nil` once the device is given up.
  private(set) var session: GLSession?
  /// How many sessions there were before this one.
  private var generation = 0
  private var experience = GLExperience()
  /// Calls whose work the device has or is about to get.
  private let flights: Turns
  /// Calls that fetch their results.
  private let landings = Turns(1)

  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// Whether the CPU plays the GPU.
  public nonisolated var isSoftware: Bool { device.isSoftware }
  /// Renderer, platform and version in one line.
  public nonisolated var deviceDescription: String { device.description }

  /// Finds a device and starts a backend on it.
  ///
  /// - Parameter log: told what the driver says of its own accord, on the backend's thread, where
  ///   `GLOptions.debug` asks for that and the driver knows `GL_KHR_debug`; `nil` is standard error.
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
    flights = Turns(options.framesInFlight)
    self.executor = executor
    self.options = options
    self.setup = session.setup
    self.device = session.device
    self.stage = session.stage
    self.session = session
  }

  // Runs where the context is current, so that the session's GL objects can be deleted; the
  // executor ends after this, its last job.
  isolated deinit {
    executor.stop()
  }

  /// Runs a plan.
  ///
  /// On a GPU, calls that run at the same time overlap: while it works on one, others bring their
  /// images and fetch their results, up to `GLOptions.framesInFlight`.
  public func execute(_ plan: Plan, _ inputs: [Image]) async throws(BackendError) -> Image {
    try await run(plan, inputs, into: ResultMemory()) { _ in }
  }

  public func execute(
    _ plan: Plan, _ inputs: [Image], telling tell: @Sendable (Recovery) -> Void
  ) async throws(BackendError) -> Image {
    try await run(plan, inputs, into: ResultMemory(), tell)
  }

  public func execute(
    _ plan: Plan, _ inputs: [Image], into result: inout Image
  ) async throws(BackendError) {
    let count = result.bytes.count
    let memory = ResultMemory(of: &result)
    do throws(BackendError) { result = try await run(plan, inputs, into: memory) { _ in } } catch {
      result.bytes = [UInt8](repeating: 0, count: count)
      throw error
    }
  }

  /// Runs a plan, again where the device fails, as long as something can be done about it.
  private func run(
    _ plan: Plan, _ inputs: [Image], into memory: ResultMemory,
    _ tell: @Sendable (Recovery) -> Void
  ) async throws(BackendError) -> Image {
    try plan.check(inputs)
    freeReleasedPictures()
    var rescue = GLRescue()
    while true {
      let started = generation
      let failure: GLFailure
      do throws(GLFailure) {
        let image = try await attempt(plan, inputs, into: memory)
        experience.endedWell(afterLoss: rescue.hasLost)
        return image
      } catch { failure = error }
      let remedy: Recovery.Remedy
      if case .lost = failure, started != generation, session != nil {
        // Another call has met with it, and has done something about it.
        remedy = .freshContext
      } else {
        remedy = try self.remedy(for: failure, plan, &rescue)
        if remedy == .freshContext { try renew() } else { session?.adapt(to: experience) }
      }
      tell(Recovery(backend: name, failure: "\(failure)", remedy: remedy))
    }
  }

  private func attempt(
    _ plan: Plan, _ inputs: [Image], into memory: ResultMemory
  ) async throws(GLFailure) -> Image {
    guard try live().overlapsFrames else { return try live().run(plan, inputs, into: memory) }
    if !flights.takeNow() { await flights.take() }
    defer { flights.leave() }
    let flight = try live().launch(plan, inputs, into: memory)
    let launched = generation
    // One lands after the other, and between two of them those that wait are launched: so the
    // device has work while pixels are copied.
    if !landings.takeNow() { await landings.take() }
    defer { landings.leave() }
    await Task.yield()
    guard launched == generation else { throw .lost(during: "the flight of a frame") }
    return try live().land(flight)
  }

  /// The session. Nobody keeps it while others run, who may have to replace it.
  private func live() throws(GLFailure) -> GLSession {
    guard let session else { throw .lost(during: "an earlier job") }
    return session
  }

  /// - Throws: where nothing is to be done about a failure.
  private func remedy(
    for failure: GLFailure, _ plan: Plan, _ rescue: inout GLRescue
  ) throws(BackendError) -> Recovery.Remedy {
    guard let session else { throw hopeless }
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
    generation += 1
    var options = options
    options.device = .only(device.platform)
    do throws(DisplaySearch.Failure) {
      session = try GLSession(options, setup, chosen: stage, after: experience, peak: peak)
    } catch {
      throw .broken(backend: name, what: "no new context on \(deviceDescription): \(error.words)")
    }
  }

  /// What is thrown once the device is given up.
  var hopeless: BackendError {
    .broken(
      backend: name, what: "\(deviceDescription) has failed too often and is not used any more")
  }

  /// The error of work that cannot be done again, as what it works on went with the context; the
  /// next job has a new one.
  func surrender(to failure: GLFailure) -> BackendError {
    guard case .lost = failure, session != nil else { return failure.backendError }
    experience.losses += 1
    if experience.isHopeless { session = nil } else { try? renew() }
    return failure.backendError
  }

  /// What the backend's textures and buffers take.
  public var textureStatistics: TexturePoolStatistics {
    freeReleasedPictures()
    return session?.runner.pool.statistics ?? TexturePoolStatistics()
  }

  /// Where the backend's programs came from.
  public var programStatistics: GLProgramStatistics {
    session?.programs.statistics ?? GLProgramStatistics()
  }

  /// Frees the textures that are kept for the next plan.
  public func trim() {
    freeReleasedPictures()
    session?.runner.pool.trim()
    session?.runner.transfer.trim()
  }

  /// How a plan would run, without running it.
  package func tiling(of plan: Plan) throws(BackendError) -> TilingReport {
    do throws(GLFailure) { return try live().tiling(of: plan) } catch { throw error.backendError }
  }

  /// How often the driver was asked and made to fail, for tests.
  package var faultCounts: [GLFaults.Point: (asked: Int, struck: Int)] {
    guard let faults = setup.faults else { return [:] }
    return faults.asked.reduce(into: [:]) { counts, entry in
      counts[entry.key] = (entry.value, faults.struck[entry.key] ?? 0)
    }
  }
}
