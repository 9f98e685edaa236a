internal import FrostglassCore
internal import FrostglassShaders

/// Everything a backend owns on the GPU. Lives and ends where its context is current.
final class GLSession {
  let device: GLDevice
  let runner: PlanRunner
  let setup: ContextSetup
  let context: GLContext
  private let stage: ShaderStage
  private let capabilities: GLCapabilities
  private let limits: TileLimits
  private let maySwitchStage: Bool

  /// - Parameters:
  ///   - experience: what earlier sessions of the same backend have met with.
  ///   - peak: the most bytes they held.
  init(
    _ options: GLOptions, _ setup: ContextSetup, after experience: GLExperience = GLExperience(),
    peak: Int = 0
  ) throws(DisplaySearch.Failure) {
    let found = try DisplaySearch(setup: setup).best(options.device)
    device = found.device
    context = found.context
    self.setup = setup
    var capabilities =
      options.restrictToES31Minimum
      ? found.device.capabilities.restrictedToES31Minimum : found.device.capabilities
    if experience.drawsNoFloat {
      capabilities.rendersFloat32 = false
      capabilities.rendersHalf = false
    }
    let chosen: ShaderStage =
      switch options.stage {
      case .fragment: .fragment
      case .compute: .compute
      case .automatic:
        // Groups are 8 × 8; a device that takes none reports 0.
        capabilities.isSoftware || capabilities.maxComputeInvocations < 64 ? .fragment : .compute
      }
    let stage = experience.stage ?? chosen
    maySwitchStage = options.stage == .automatic && capabilities.maxComputeInvocations >= 64
    let ceiling = MemoryLedger.ceiling(asked: options.textureBytes, deviceBytes: nil)
    limits = TileLimits(
      longestSide: min(options.longestSide ?? .max, capabilities.maxTextureSize), bytes: ceiling
    ).limited(to: experience.limits)
    self.stage = stage
    self.capabilities = capabilities
    runner = PlanRunner(
      passes: PassRunner(stage: stage, context: found.context),
      pool: TexturePool(
        context: found.context, ledger: MemoryLedger(ceiling: ceiling, peak: peak)),
      capabilities: capabilities, limits: limits)
  }

  /// Runs a plan; what is returned comes from a context that was whole to the end.
  func run(_ plan: Plan, _ inputs: [Image]) throws(GLFailure) -> Image {
    let image = try runner.run(plan, inputs)
    try context.confirm("the end of the plan")
    return image
  }

  /// What the next session of the same backend takes over.
  var remains: (setup: ContextSetup, peak: Int) { (setup, runner.pool.ledger.peak) }

  /// What a plan is run with here.
  func circumstances(of plan: Plan) -> GLRescue.Circumstances {
    let format = { (slot: Slot) in
      WorkFormat(
        precision: slot.precision, stage: self.stage, capabilities: self.capabilities)
    }
    let tiles = (try? plan.tiles(within: limits) { format($0).texture.bytesPerTexel }) ?? [plan]
    return GLRescue.Circumstances(
      stage: stage, maySwitchStage: maySwitchStage,
      drawsFloat: stage == .fragment && plan.slots.contains { format($0).texture.isFloat },
      largestTile: TileLimits(
        longestSide: tiles.map(\.longestSide).max() ?? limits.longestSide,
        bytes: tiles.map { $0.textureBytes { format($0).texture.bytesPerTexel } }.max()
          ?? limits.bytes))
  }
}
