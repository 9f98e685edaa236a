public import FrostglassCore
internal import Glibc

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

extension Color {
  /// The relative luminance of WCAG 2, 0 for black and 1 for white. Alpha is left out of account.
  ///
  /// Channels outside 0…1 count as 0 or 1.
  public var relativeLuminance: Double {
    0.2126 * Color.light(red) + 0.7152 * Color.light(green) + 0.0722 * Color.light(blue)
  }

  /// The contrast ratio of WCAG 2 with another color, 1…21.
  public func contrastRatio(with other: Color) -> Double {
    ContrastRatio.of(relativeLuminance, other.relativeLuminance)
  }

  /// The light of an sRGB value. In double precision, so that black on white is 21 exactly.
  private static func light(_ value: Double) -> Double {
    let value = min(max(value, 0), 1)
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
  }
}

/// How bright a backdrop is: its mean relative luminance, and that of the cells of a small grid.
public struct BackdropLuminance: Sendable, Hashable {
  /// 0…1.
  public let mean: Double
  /// Of each cell, 0…1, in the caller's order; may be empty.
  public let cells: [Double]

  /// Cells of equal size; their mean is the mean.
  ///
  /// - Throws: `ContrastError` without cells, and for a luminance that is not from 0 to 1. What
  ///   rounding adds, up to 10⁻⁶, is cut off.
  public init(cells: [Double]) throws(ContrastError) {
    guard !cells.isEmpty else { throw .noCells }
    let checked = try BackdropLuminance.checked(cells)
    self.cells = checked
    mean = min(max(checked.reduce(0, +) / Double(checked.count), 0), 1)
  }

  /// A mean that the caller has computed, and cells that may be fewer than went into it.
  ///
  /// - Throws: `ContrastError.badLuminance` as above; the mean counts as cell −1.
  public init(mean: Double, cells: [Double] = []) throws(ContrastError) {
    self.mean = try BackdropLuminance.checked(mean, cell: -1)
    self.cells = try BackdropLuminance.checked(cells)
  }

  private static func checked(_ cells: [Double]) throws(ContrastError) -> [Double] {
    var result: [Double] = []
    result.reserveCapacity(cells.count)
    for (index, value) in cells.enumerated() { result.append(try checked(value, cell: index)) }
    return result
  }

  private static func checked(_ value: Double, cell: Int) throws(ContrastError) -> Double {
    guard (-1e-6...1 + 1e-6).contains(value) else { throw .badLuminance(value, cell: cell) }
    return min(max(value, 0), 1)
  }
}
