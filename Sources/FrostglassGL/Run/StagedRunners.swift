internal import FrostglassCore
internal import FrostglassShaders

/// Makes what runs plans in the stages of one context.
struct StagedRunners {
  let device: GLDevice
  let programs: ProgramCache
  private let options: GLOptions
  let context: GLContext
  private let pool: TexturePool
  private let buffers: BufferPool?
  let capabilities: GLCapabilities

  /// - Parameter peak: the most bytes that earlier contexts of the same backend held.
  init(
    _ options: GLOptions, _ setup: ContextSetup, peak: Int = 0
  ) throws(DisplaySearch.Failure) {
    let found = try DisplaySearch(setup: setup).best(options.device)
    self.options = options
    device = found.device
    context = found.context
    let capabilities =
      options.restrictToES31Minimum
      ? found.device.capabilities.restrictedToES31Minimum : found.device.capabilities
    self.capabilities = capabilities
    programs = ProgramCache(
      context: found.context,
      store: capabilities.programBinaryFormats == 0
        ? nil
        : options.cacheDirectory.map {
          ProgramStore(CacheDirectory($0), driver: capabilities.driverIdentity)
        })
    let ledger = MemoryLedger(
      ceiling: MemoryLedger.ceiling(
        asked: options.textureBytes, device: found.device.memory), peak: peak)
    buffers = StagedRunners.buffers(options, capabilities, found.context, ledger)
    pool = TexturePool(context: found.context, ledger: ledger)
  }

  /// The buffers that pictures go through, a quarter of the memory at most; `nil` where they go
  /// straight.
  private static func buffers(
    _ options: GLOptions, _ capabilities: GLCapabilities, _ context: GLContext,
    _ ledger: MemoryLedger
  ) -> BufferPool? {
    let areWanted =
      switch options.transfer {
      case .direct: false
      case .buffered: true
      case .automatic: !capabilities.isSoftware
      }
    return areWanted ? BufferPool(context: context, ledger: ledger) : nil
  }

  func runner(_ stage: GLOptions.Stage) -> PlanRunner {
    PlanRunner(
      passes: passes(stage),
      pool: pool, transfer: GLTransfer(buffers: buffers, context: context),
      capabilities: capabilities,
      limits: limits, programs: options.programs, context: context)
  }

  func passes(_ stage: GLOptions.Stage) -> PassRunner {
    PassRunner(
      stage: stage.shaderStage, sharedBytes: capabilities.maxComputeSharedBytes,
      programs: programs, context: context)
  }

  /// What textures may take: the device's limits, and what buffers leave of the memory.
  var limits: TileLimits {
    TileLimits(
      longestSide: min(options.longestSide ?? .max, capabilities.maxTextureSize),
      bytes: pool.ledger.ceiling - (buffers?.ceiling ?? 0))
  }

  /// Which stage it is to be: measured where that is not clear, and remembered.
  func choice() -> StageChoice {
    if let choice = StageChoice(options, capabilities) { return choice }
    let start = ContinuousClock.now
    let times = times()
    times.remember(for: capabilities, options)
    var choice = StageChoice(times)
    choice.secondsSpent = start.duration(to: .now) / .seconds(1)
    return choice
  }

  /// Measures all stages.
  func times(_ size: Size = Size(width: 1920, height: 1080)) -> StageTimes {
    guard let measurement = try? StageMeasurement(size) else {
      return StageTimes([StageTimes.Way]())
    }
    // Nobody will want textures of these sizes.
    defer { pool.trim() }
    return measurement.times(capabilities.stages, runner)
  }
}

extension GLOptions.Stage {
  /// What shaders call it; `automatic` is no stage.
  fileprivate var shaderStage: ShaderStage {
    switch self {
    case .automatic, .fragment: .fragment
    case .compute: .compute
    case .blocked: .blocked
    case .tiled: .tiled
    }
  }
}
