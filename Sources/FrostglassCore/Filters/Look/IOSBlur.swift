/// GPUImage's iOS blur: less saturated, blurred, its brightness pulled toward the middle.
///
/// GPUImage blurs a copy of 1/downsampling with σ = radius; the same blur of the full picture has
/// σ = radius × downsampling, and that is what is computed, at full precision. Its defaults give
/// 12 × 4 = 48 px.
package struct IOSBlur: Style, CompositeFilter {
  /// Standard deviation on the small copy.
  package var radius: Sigma = 12
  package var saturation = 0.8
  /// The scale of GPUImage's small copy.
  package var downsampling = 4.0
  /// How far brightness is pulled toward the middle.
  package var reduction = 0.6
  package var intensity = 1.0

  package static let definition = FilterDefinition<IOSBlur>(
    "ios-blur", "GPUImage's iOS 7 look; its radius times downsampling is the standard deviation.",
    [
      .sigma("radius", \.radius, "Standard deviation on the small copy."),
      .factor("saturation", \.saturation, in: 0...2, "0 is gray, 1 changes nothing."),
      .factor("downsampling", \.downsampling, in: 1...64, "Multiplies the radius."),
      .factor("reduction", \.reduction, in: 0...1, "How far brightness is pulled to the middle."),
      .intensity,
    ], example: "ios-blur(radius=2px)")

  package init() {}

  /// Standard deviation on the full picture: radius × downsampling.
  package var sigma: Sigma {
    get { Sigma(radius.value * downsampling, radius.unit) }
    set { radius = Sigma(newValue.value / downsampling, newValue.unit) }
  }

  package var chain: FilterChain {
    guard intensity > 0 else { return [] }
    return [
      .saturation(grown(saturation, from: 1), luma: .gpuimage),
      .gaussian(sigma: grown(sigma)),
      .luminanceRange(reduction: grown(reduction)),
    ]
  }
}

extension FilterChain {
  /// GPUImage's iOS blur with its defaults.
  public static var iosBlur: FilterChain { FilterChain(IOSBlur()) }
}
