/// GPUImage's Gaussian blur, by its parameters: a true Gaussian of the σ that it means.
///
/// GPUImage rounds its radius to whole pixels, and that is σ. Its kernel is cut where a weight falls
/// below 1/256, from σ 24 on visibly, and undefined above 102; none of that is repeated. Blurring n
/// times is blurring once with `σ √n`.
public struct GPUImageGaussian: CompositeFilter {
  /// The standard deviation, before rounding, 0…1000; under 0.5 nothing changes.
  public var blurRadiusInPixels = 2.0
  /// How often.
  public var blurPasses = 1

  public static let definition = FilterDefinition<GPUImageGaussian>(
    "gpuimage-gaussian", "GPUImage's Gaussian blur: its radius, rounded, is the deviation.",
    [
      .factor(
        "blur-radius-in-pixels", \.blurRadiusInPixels, in: 0...1000,
        "Standard deviation; rounded to whole pixels, as GPUImage does."),
      .integer("blur-passes", \.blurPasses, in: 1...100, "How often."),
    ])

  public init() {}

  public init(blurRadiusInPixels: Double, blurPasses: Int = 1) {
    self.blurRadiusInPixels = blurRadiusInPixels
    self.blurPasses = blurPasses
  }

  public var filters: [any Filter] {
    let sigma = blurRadiusInPixels.rounded() * Double(blurPasses).squareRoot()
    return [.gaussian(sigma: Sigma(sigma))]
  }
}
