internal import CGLES
internal import FrostglassCore
internal import FrostglassShaders

/// Everything a backend owns on the GPU. Lives and ends where its context is current.
final class GLSession {
  let device: GLDevice
  let runner: PlanRunner
  let pictures: ResidentPictures
  /// Results that are on their way to memory.
  private var flights: [Int: HostResult] = [:]
  private var lastFlight = 0

  init(_ options: GLOptions) throws(DisplaySearch.Failure) {
    let found = try DisplaySearch().best(options.device)
    device = found.device
    let capabilities =
      options.restrictToES31Minimum
      ? found.device.capabilities.restrictedToES31Minimum : found.device.capabilities
    let stage: ShaderStage =
      switch options.stage {
      case .fragment: .fragment
      case .compute: .compute
      case .tiled: .tiled
      case .automatic:
        // Groups are 8 × 8; a device that takes none reports 0.
        capabilities.isSoftware || capabilities.maxComputeInvocations < 64 ? .fragment : .compute
      }
    let buffers = GLSession.buffers(options, capabilities, found.context)
    let textureBytes = options.textureBytes - (buffers?.ceiling ?? 0)
    runner = PlanRunner(
      passes: PassRunner(
        stage: stage, sharedBytes: capabilities.maxComputeSharedBytes, context: found.context),
      pool: TexturePool(context: found.context, ceiling: textureBytes),
      transfer: GLTransfer(buffers: buffers), capabilities: capabilities,
      limits: TileLimits(
        longestSide: min(options.longestSide ?? .max, capabilities.maxTextureSize),
        bytes: textureBytes), programs: options.programs, context: found.context)
    pictures = ResidentPictures(runner: runner, capabilities: capabilities)
  }

  /// The buffers that pictures go through, a quarter of the memory at most; `nil` where they go
  /// straight.
  private static func buffers(
    _ options: GLOptions, _ capabilities: GLCapabilities, _ context: GLContext
  ) -> BufferPool? {
    let areWanted =
      switch options.transfer {
      case .direct: false
      case .buffered: true
      case .automatic: !capabilities.isSoftware
      }
    return areWanted ? BufferPool(context: context, ceiling: options.textureBytes / 4) : nil
  }

  /// Whether the device works on one frame while another is brought or fetched.
  var overlapsFrames: Bool { runner.transfer.buffers != nil }

  /// Runs a plan and fetches the result.
  func run(
    _ plan: Plan, _ inputs: [Image], into memory: ResultMemory
  ) throws(GLFailure) -> Image {
    try start(plan, inputs, into: memory).finish()
  }

  /// Has a plan run; `land` with the number that is returned fetches the result.
  func launch(
    _ plan: Plan, _ inputs: [Image], into memory: ResultMemory
  ) throws(GLFailure) -> Int {
    let sink = try start(plan, inputs, into: memory)
    sink.submit()
    lastFlight += 1
    flights[lastFlight] = sink
    return lastFlight
  }

  /// Waits for a launched plan and fetches its result.
  func land(_ flight: Int) throws(GLFailure) -> Image {
    guard let sink = flights.removeValue(forKey: flight) else {
      throw .gl(during: "a frame that was lost with its context", code: GLenum(GL_CONTEXT_LOST))
    }
    return try sink.finish()
  }

  private func start(
    _ plan: Plan, _ inputs: [Image], into memory: ResultMemory
  ) throws(GLFailure) -> HostResult {
    let sink = HostResult(plan.result, into: memory, runner: runner)
    do throws(GLFailure) {
      try runner.run(plan, runner.textures(of: inputs.map { .image($0) }), into: sink)
    } catch {
      sink.abandon()
      throw error
    }
    return sink
  }
}
