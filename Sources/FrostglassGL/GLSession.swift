internal import FrostglassCore
internal import FrostglassShaders

/// Everything a backend owns on the GPU. Lives and ends where its context is current.
final class GLSession {
  let device: GLDevice
  let runner: PlanRunner
  let setup: ContextSetup
  let context: GLContext
  private let options: GLOptions
  private var stage: ShaderStage
  private var capabilities: GLCapabilities
  private var limits: TileLimits

  /// - Parameters:
  ///   - experience: what earlier sessions of the same backend have met with.
  ///   - peak: the most bytes they held.
  init(
    _ options: GLOptions, _ setup: ContextSetup, after experience: GLExperience = GLExperience(),
    peak: Int = 0
  ) throws(DisplaySearch.Failure) {
    let found = try DisplaySearch(setup: setup).best(options.device)
    self.options = options
    self.setup = setup
    device = found.device
    context = found.context
    capabilities =
      options.restrictToES31Minimum
      ? found.device.capabilities.restrictedToES31Minimum : found.device.capabilities
    stage =
      switch options.stage {
      case .fragment: .fragment
      case .compute: .compute
      case .tiled: .tiled
      case .automatic:
        // Groups are 8 × 8; a device that takes none reports 0.
        capabilities.isSoftware || capabilities.maxComputeInvocations < 64 ? .fragment : .compute
      }
    let ceiling = MemoryLedger.ceiling(asked: options.textureBytes, deviceBytes: nil)
    limits = TileLimits(
      longestSide: min(options.longestSide ?? .max, capabilities.maxTextureSize), bytes: ceiling)
    runner = PlanRunner(
      passes: PassRunner(
        stage: stage, sharedBytes: capabilities.maxComputeSharedBytes, context: found.context),
      pool: TexturePool(
        context: found.context, ledger: MemoryLedger(ceiling: ceiling, peak: peak)),
      capabilities: capabilities, limits: limits, programs: options.programs)
    if experience != GLExperience() { adapt(to: experience) }
  }

  /// Goes on as experience tells, in the same context.
  func adapt(to experience: GLExperience) {
    let stage = experience.stage ?? stage
    limits = limits.limited(to: experience.limits)
    if experience.drawsNoFloat {
      capabilities.rendersFloat32 = false
      capabilities.rendersHalf = false
    }
    let passes =
      stage == self.stage
      ? runner.passes
      : PassRunner(
        stage: stage, sharedBytes: capabilities.maxComputeSharedBytes, context: context)
    self.stage = stage
    runner.adapt(passes: passes, capabilities: capabilities, limits: limits)
  }

  /// Runs a plan; what is returned comes from a context that was whole to the end.
  func run(_ plan: Plan, _ inputs: [Image]) throws(GLFailure) -> Image {
    let image = try runner.run(plan, inputs)
    try context.confirm("the end of the plan")
    return image
  }

  /// What a plan is run with here.
  func circumstances(of plan: Plan) -> GLRescue.Circumstances {
    let tiler = runner.tiler(for: plan)
    let needs = ((try? tiler.tiles(of: plan)) ?? [plan]).map { tiler.needs(of: $0) }
    return GLRescue.Circumstances(
      stage: stage,
      maySwitchStage: options.stage == .automatic && capabilities.maxComputeInvocations >= 64,
      drawsFloat: stage == .fragment && runner.drawsFloat(plan),
      largestTile: TileLimits(
        longestSide: needs.map(\.longestSide).max() ?? limits.longestSide,
        bytes: needs.map(\.bytes).max() ?? limits.bytes))
  }

  /// How a plan would run here.
  func tiling(of plan: Plan) throws(GLFailure) -> TilingReport {
    let tiles = try runner.tiler(for: plan).tiles(of: plan)
    let work = tiles.reduce(0) { $0 + Tiler.work(of: $1) }
    return TilingReport(
      tiles: tiles.count, excess: Double(work) / Double(Tiler.work(of: plan)))
  }
}
