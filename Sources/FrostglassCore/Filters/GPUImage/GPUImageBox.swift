/// GPUImage's box blur, by its parameters: the mean of a square of `2 radius + 1` pixels.
///
/// The radius is snapped to an even number first, as GPUImage does.
public struct GPUImageBox: CompositeFilter {
  /// The radius before it is snapped, 0…1000; under 1 nothing changes.
  public var blurRadiusInPixels = 4.0

  public static let definition = FilterDefinition<GPUImageBox>(
    "gpuimage-box", "GPUImage's box blur: its radius is snapped to an even number.",
    [
      .factor(
        "blur-radius-in-pixels", \.blurRadiusInPixels, in: 0...1000,
        "Pixels to each side; snapped to an even number, as GPUImage does.")
    ])

  public init() {}

  public init(blurRadiusInPixels: Double) { self.blurRadiusInPixels = blurRadiusInPixels }

  public var filters: [any Filter] {
    [.box(radius: 2 * Int((blurRadiusInPixels / 2).rounded()))]
  }
}
