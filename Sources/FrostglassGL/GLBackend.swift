public import FrostglassCore

/// Runs plans on the GPU through EGL and OpenGL ES 3.1, without a window.
///
/// The actor's executor owns the context; what crosses is values. Plans that exceed the device's
/// texture size or the byte limit run in tiles, with the same bytes.
public actor GLBackend: Backend {
  public nonisolated let name = "gl"
  /// The device that was found.
  public nonisolated let device: GLDevice
  /// Which part of the device runs the passes, and why.
  public nonisolated let stage: StageChoice
  private let executor: GLThread
  let session: GLSession
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
  /// - Throws: `BackendError.unavailable`, with each display's reason and the likely fix.
  public static func start(_ options: GLOptions = .init()) async throws(BackendError) -> GLBackend {
    let executor = try GLThread()
    do throws(DisplaySearch.Failure) {
      let session = try await executor.start { () throws(DisplaySearch.Failure) in
        try GLSession(options)
      }
      if !session.device.isSoftware { executor.needsNoTurns() }
      return GLBackend(executor, session, framesInFlight: options.framesInFlight)
    } catch {
      executor.stop()
      throw error.backendError
    }
  }

  private init(_ executor: GLThread, _ session: sending GLSession, framesInFlight: Int) {
    flights = Turns(framesInFlight)
    self.executor = executor
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
    try await run(plan, inputs, into: ResultMemory())
  }

  public func execute(
    _ plan: Plan, _ inputs: [Image], into result: inout Image
  ) async throws(BackendError) {
    let count = result.bytes.count
    let memory = ResultMemory(of: &result)
    do throws(BackendError) { result = try await run(plan, inputs, into: memory) } catch {
      result.bytes = [UInt8](repeating: 0, count: count)
      throw error
    }
  }

  private func run(
    _ plan: Plan, _ inputs: [Image], into memory: ResultMemory
  ) async throws(BackendError) -> Image {
    try plan.check(inputs)
    freeReleasedPictures()
    guard session.overlapsFrames else {
      do throws(GLFailure) { return try session.run(plan, inputs, into: memory) } catch {
        throw error.backendError
      }
    }
    if !flights.takeNow() { await flights.take() }
    defer { flights.leave() }
    let flight: Int
    do throws(GLFailure) { flight = try session.launch(plan, inputs, into: memory) } catch {
      throw error.backendError
    }
    // One lands after the other, and between two of them those that wait are launched: so the
    // device has work while pixels are copied.
    if !landings.takeNow() { await landings.take() }
    defer { landings.leave() }
    await Task.yield()
    do throws(GLFailure) {
      return try session.land(flight)
    } catch {
      throw error.backendError
    }
  }

  /// What the backend's textures take.
  public var textureStatistics: TexturePoolStatistics {
    freeReleasedPictures()
    var statistics = session.runner.pool.statistics
    statistics.bufferBytes = session.runner.transfer.buffers?.heldBytes ?? 0
    return statistics
  }

  /// Where the backend's programs came from.
  public var programStatistics: GLProgramStatistics { session.programs.statistics }

  /// Frees the textures that are kept for the next plan.
  public func trim() {
    freeReleasedPictures()
    session.runner.pool.trim()
    session.runner.transfer.trim()
  }
}
