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
