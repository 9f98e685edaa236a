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
  let options: GLOptions
  let setup: ContextSetup
  /// `nil` once the device is given up.
  var session: GLSession?
  /// How many sessions there were before this one.
  var generation = 0
  var experience = GLExperience()
  /// Calls whose work the device has or is about to get.
  let flights: Turns
  /// Calls that fetch their results.
  let landings = Turns(1)

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
