/// CSS `sepia()`: mixes with the sepia tones (.393 .769 .189 for red, …).
///
/// Source of the formula: Filter Effects Module Level 1. The result is limited to 0…1.
public struct CSSSepia: Filter, CSSFunction {
  public var amount = 1.0

  public static let definition = FilterDefinition<CSSSepia>(
    "sepia", "CSS sepia(): tones like an old photograph.",
    [
      .factor(
        "amount", \.amount, in: 0..., "0 changes nothing, 1 is fully toned; more counts as 1.")
    ])

  public init() {}

  public init(_ amount: Double) { self.amount = amount }

  public func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    let amount = min(self.amount, 1)
    let tones: [SIMD3<Double>] = [
      SIMD3(0.393, 0.769, 0.189), SIMD3(0.349, 0.686, 0.168), SIMD3(0.272, 0.534, 0.131),
    ]
    let same: [SIMD3<Double>] = [SIMD3(1, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1)]
    let rows = zip(tones, same).map { SIMD4($0 * amount + $1 * (1 - amount), 0) }
    return planner.colorMatrix(source, ColorMatrix(rows: rows))
  }
}

extension Filter where Self == CSSSepia {
  /// CSS `sepia()`.
  public static func sepia(_ amount: Double) -> CSSSepia { CSSSepia(amount) }
}
