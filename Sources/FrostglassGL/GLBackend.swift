public import FrostglassCore

/// Runs plans on the GPU through EGL and OpenGL ES 3.1, without a window.
///
/// The actor's executor owns the context; what crosses is values. Plans that exceed the device's
/// texture size or the byte limit run in tiles, with the same bytes.
public actor GLBackend: Backend {
  public nonisolated let name = "gl"
  /// The device that was found.
  public nonisolated let device: GLDevice
  private let executor: GLThread
  let session: GLSession

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
      return GLBackend(executor, session)
    } catch {
      executor.stop()
      throw error.backendError
    }
  }

  private init(_ executor: GLThread, _ session: sending GLSession) {
    self.executor = executor
    self.device = session.device
    self.session = session
  }

  // Runs where the context is current, so that the session's GL objects can be deleted; the
  // executor ends after this, its last job.
  isolated deinit {
    executor.stop()
  }

  public func execute(_ plan: Plan, _ inputs: [Image]) async throws(BackendError) -> Image {
    try plan.check(inputs)
    freeReleasedPictures()
    do throws(GLFailure) {
      return try session.runner.run(plan, inputs)
    } catch {
      throw error.backendError
    }
  }

  /// What the backend's textures take.
  public var textureStatistics: TexturePoolStatistics {
    freeReleasedPictures()
    return session.runner.pool.statistics
  }

  /// Frees the textures that are kept for the next plan.
  public func trim() {
    freeReleasedPictures()
    session.runner.pool.trim()
  }
}
