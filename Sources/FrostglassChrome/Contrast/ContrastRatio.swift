/// The contrast of two luminances as WCAG 2 counts it.
public enum ContrastRatio {
  /// Light that a screen reflects, added to both luminances.
  public static let flare = 0.05

  /// The lighter by the darker luminance, each with the flare: 1…21.
  ///
  /// - Parameters: relative luminances, 0…1; outside they count as 0 or 1.
  public static func of(_ first: Double, _ second: Double) -> Double {
    let first = min(max(first, 0), 1) + flare
    let second = min(max(second, 0), 1) + flare
    return max(first, second) / min(first, second)
  }

  /// The luminance that has the same contrast with two others: for black and white
  /// √(1.05 · 0.05) − 0.05 ≈ 0.179.
  public static func middle(of first: Double, _ second: Double) -> Double {
    ((first + flare) * (second + flare)).squareRoot() - flare
  }
}
