internal import FrostglassCore
internal import FrostglassShaders

/// Everything a backend owns on the GPU. Lives and ends where its context is current.
final class GLSession {
  let device: GLDevice
  let runner: PlanRunner
  let pictures: ResidentPictures

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
      case .automatic:
        // Groups are 8 × 8; a device that takes none reports 0.
        capabilities.isSoftware || capabilities.maxComputeInvocations < 64 ? .fragment : .compute
      }
    runner = PlanRunner(
      passes: PassRunner(stage: stage, context: found.context),
      pool: TexturePool(context: found.context, ceiling: options.textureBytes),
      capabilities: capabilities,
      limits: TileLimits(
        longestSide: min(options.longestSide ?? .max, capabilities.maxTextureSize),
        bytes: options.textureBytes))
    pictures = ResidentPictures(runner: runner, capabilities: capabilities)
  }
}
