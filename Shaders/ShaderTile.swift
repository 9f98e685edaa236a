public import FrostglassCore

/// How the invocations of a compute shader work together on a pass, where one is written for that:
/// they share what they fetch.
public struct ShaderTile: Sendable, Hashable {
  /// Targets of one group.
  public let block: Size
  /// Memory that a group shares.
  public let sharedBytes: Int
  /// Invocations of one group: what every device takes.
  public static let invocations = 128

  /// The text of the pass's file in `tiled/`.
  let text: String
  let constants: [ShaderPart.Constant]

  /// - Returns: `nil` for passes that have no such file, or numbers that do not suit it.
  public init?(_ pass: Pass) {
    switch pass {
    case .convolve(let convolve): self.init(convolve)
    case .resample(let resample): self.init(resample)
    default: return nil
    }
  }

  private init?(_ convolve: Convolve) {
    guard 1...ShaderPart.longestUnrolledRadius ~= convolve.radius else { return nil }
    let isX = convolve.axis == .x
    block = isX ? Size(width: 128, height: 4) : Size(width: 16, height: 32)
    let samples = (isX ? block.width : block.height) + 2 * convolve.radius
    let lines = isX ? block.height : block.width
    sharedBytes = lines * (isX ? samples + samples / 4 : samples) * ShaderTile.sampleBytes
    text = Shader.text(PackageResources.tiled_convolve_glsl)
    constants = [
      .init("RADIUS", convolve.radius), .init("AXIS_X", isX), .init("BLOCK_X", block.width),
      .init("BLOCK_Y", block.height),
    ]
  }

  private init?(_ resample: Resample) {
    // Along one axis alone, nothing is fetched twice that the texture cache would not keep.
    guard !resample.x.isIdentity, !resample.y.isIdentity else { return nil }
    block = Size(width: 16, height: 16)
    let span = resample.y.span(of: block.height)
    sharedBytes = span * block.width * ShaderTile.sampleBytes
    text = Shader.text(PackageResources.tiled_resample_glsl)
    constants = [
      .init("TAPS_X", resample.x.longestPhase), .init("TAPS_Y", resample.y.longestPhase),
      .init("SPAN", span), .init("BLOCK_X", block.width), .init("BLOCK_Y", block.height),
    ]
  }

  private static let sampleBytes = 16
}

extension Polyphase {
  /// The most source samples that so many targets in a row are computed from.
  fileprivate func span(of targets: Int) -> Int {
    phases.indices.map { sourceRange(for: $0..<$0 + targets).count }.max() ?? 0
  }
}
