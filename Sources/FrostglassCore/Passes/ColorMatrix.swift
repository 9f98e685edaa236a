/// A 3×4 matrix on color, and a factor on the whole pixel.
///
/// Applied to premultiplied values without dividing by alpha: a straight color `c` that becomes
/// `M c + b` is, premultiplied, `M (c a) + b a`. With `clamps`, each color is then limited to
/// 0…alpha, which is the straight color limited to 0…1. Last, all channels including alpha are
/// multiplied by `opacity`. On a gray image the three rows agree on grays, and the first is used.
public struct ColorMatrix: Sendable, Hashable {
  /// The output's red from the source's red, green, blue (x, y, z) and the constant (w).
  public var red: SIMD4<Float>
  /// The output's green, likewise.
  public var green: SIMD4<Float>
  /// The output's blue, likewise.
  public var blue: SIMD4<Float>
  /// Limit colors to 0…alpha.
  public var clamps: Bool
  /// Factor on every channel, 0…1.
  public var opacity: Float

  /// A matrix of three rows; `clamps` limits colors to 0…alpha, `opacity` is a factor on all
  /// channels, 0…1.
  public init(
    red: SIMD4<Float>, green: SIMD4<Float>, blue: SIMD4<Float>, clamps: Bool = true,
    opacity: Float = 1
  ) {
    self.red = red
    self.green = green
    self.blue = blue
    self.clamps = clamps
    self.opacity = opacity
  }

  /// `color * scale + offset` on each channel.
  public init(scale: Double, offset: SIMD3<Double> = .zero) {
    self.init(rows: [
      SIMD4(scale, 0, 0, offset.x), SIMD4(0, scale, 0, offset.y), SIMD4(0, 0, scale, offset.z),
    ])
  }

  /// Three rows: of red, green and blue, each a factor of red, green and blue and a constant.
  package init(rows: [SIMD4<Double>]) {
    self.init(
      red: SIMD4<Float>(rows[0]), green: SIMD4<Float>(rows[1]), blue: SIMD4<Float>(rows[2]))
  }

  /// Returns the largest factor by which an error in the source is multiplied: the largest row sum of magnitudes.
  ///
  /// With an alpha channel its error counts too, through the constants and unchanged on its own.
  func gain(hasAlpha: Bool) -> Double {
    let sums = [red, green, blue].map { row in
      let colors = Double(abs(row.x)) + Double(abs(row.y)) + Double(abs(row.z))
      return hasAlpha ? max(colors + Double(abs(row.w)), 1) : colors
    }
    return (sums.max() ?? 1) * Double(opacity)
  }

  /// True if a gray image stays gray.
  var keepsGray: Bool {
    let sums: [SIMD2<Double>] = [red, green, blue].map { row in
      let sum = Double(row.x) + Double(row.y) + Double(row.z)
      return SIMD2(sum, Double(row.w))
    }
    return sums.allSatisfy { sum in
      let difference = sum - sums[0]
      return abs(difference.x) < 1e-6 && abs(difference.y) < 1e-6
    }
  }
}

/// A color matrix in whole numbers, for fixed point.
///
/// The factors of a row are rounded so that their sum is rounded, too: black and white become what they should,
/// and where factors sum to 1, so does every gray.
package struct FixedColorMatrix: Sendable, Hashable {
  /// The factors of red, green, blue and alpha for each of these in the result, or for gray alone; in 1/2^shift.
  package var rows: [SIMD4<Int32>]
  package var shift: Int
  /// The factor for everything after colors are limited, 0…1.
  package var opacity: Float
  /// The largest error of a result from rounded factors, as a fraction of full scale.
  package var error: Double

  /// - Parameter isGray: whether the result is, which the matrix's first row makes.
  /// - Returns: `nil` for large factors.
  package init?(_ matrix: ColorMatrix, isGray: Bool) {
    // Nothing is limited in between: opacity may as well be part of the rows.
    let isOne = matrix.opacity == 1 || !matrix.clamps
    let scale = matrix.clamps ? 1 : Double(matrix.opacity)
    let factors = (isGray ? [matrix.red] : [matrix.red, matrix.green, matrix.blue, [0, 0, 0, 1]])
      .map { SIMD4<Double>($0) * scale }
    guard factors.allSatisfy({ row in row.indices.allSatisfy { abs(row[$0]) < 128 } }) else {
      return nil
    }
    for shift in (8...16).reversed() {
      let rows = factors.map { Self.rounded($0 * Double(1 << shift)) }
      guard rows.allSatisfy({ Self.fits($0, shift) }) else { continue }
      self.rows = rows
      self.shift = shift
      opacity = isOne ? 1 : matrix.opacity
      let errors = zip(rows, factors).map { row, exact in
        var parts = ErrorParts()
        let difference = SIMD4<Double>(row) / Double(1 << shift) - exact
        for index in difference.indices { parts.add(difference[index], times: 1) }
        return parts.worst
      }
      // Opacity is rounded to 1/32768, and so is what it makes.
      error = (errors.max() ?? 0) + (opacity == 1 ? 0 : 1.0 / 32640)
      return
    }
    return nil
  }

  /// Returns true if sums of products with samples fit 32 bits, and factors 16, for gray all together.
  private static func fits(_ row: SIMD4<Int32>, _ shift: Int) -> Bool {
    let factors = [row.x, row.y, row.z, row.w, row.x + row.y + row.z].map { abs(Int($0)) }
    return factors.allSatisfy { $0 <= Int16.max }
      && 2 * factors[..<4].reduce(0, +) + 1 << shift <= 131_500
  }

  /// Whole numbers: those whose fractions are largest are rounded up, of the colors' as many as make their sum
  /// what it is rounded to.
  private static func rounded(_ row: SIMD4<Double>) -> SIMD4<Int32> {
    var whole = SIMD4<Int32>(row.rounded(.down))
    whole.w = Int32(row.w.rounded())
    let fractions = row - row.rounded(.down)
    let missing =
      Int((row.x + row.y + row.z).rounded())
      - Int(whole.x) - Int(whole.y) - Int(whole.z)
    for index in [0, 1, 2].sorted(by: { fractions[$0] > fractions[$1] }).prefix(max(missing, 0)) {
      whole[index] += 1
    }
    return whole
  }
}

extension ColorMatrix: PassKind {
  package var multiplyAdds: Int { 4 }
  package var summary: String {
    [red, green, blue].map { text(of: $0) }.joined(separator: " ")
      + (clamps ? ", limited to 0…1" : "")
      + (opacity == 1 ? "" : ", times \(opacity)")
  }
}

/// A row of numbers, for people.
func text<Values: SIMD<Float>>(of row: Values) -> String {
  "[" + row.indices.map { decimal(Double(row[$0]), places: 4) }.joined(separator: " ") + "]"
}
