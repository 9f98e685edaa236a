/// Pulls the brightness of every color toward the middle: `c + (0.5 − Y) reduction`, limited to 0…1.
///
/// Source of the formula: GPUImage's luminance range filter, with its weights.
public struct LuminanceRange: Filter {
  /// 0 changes nothing, 1 makes every brightness the same.
  public var reduction = 0.6

  public static let definition = FilterDefinition<LuminanceRange>(
    "luminance-range", "Pulls brightness toward the middle.",
    [.factor("reduction", \.reduction, in: 0...1, "0 changes nothing, 1 leaves one brightness.")])

  public init() {}

  public init(reduction: Double) { self.reduction = reduction }

  public func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    let pull = -reduction * Luma.gpuimage.weights
    let middle = 0.5 * reduction
    return planner.colorMatrix(
      source,
      ColorMatrix(rows: [
        SIMD4(pull + SIMD3(1, 0, 0), middle), SIMD4(pull + SIMD3(0, 1, 0), middle),
        SIMD4(pull + SIMD3(0, 0, 1), middle),
      ]))
  }
}

extension Filter where Self == LuminanceRange {
  /// Pulls brightness toward the middle, 0…1; 0 changes nothing.
  public static func luminanceRange(reduction: Double) -> LuminanceRange {
    LuminanceRange(reduction: reduction)
  }
}
