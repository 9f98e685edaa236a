/// A 3×4 matrix on color, and a factor on the whole pixel.
///
/// Applied to premultiplied values without dividing by alpha: a straight color `c` that becomes
/// `M c + b` is, premultiplied, `M (c a) + b a`. With `clamps`, each color is then limited to
/// 0…alpha, which is the straight color limited to 0…1. Last, all channels including alpha are
/// multiplied by `opacity`. On a gray picture the three rows agree on grays, and the first is used.
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

  /// What an error in the source can at most be multiplied by: the largest row sum of magnitudes.
  ///
  /// With an alpha channel its error counts too, through the constants and unchanged on its own.
  func gain(hasAlpha: Bool) -> Double {
    let sums = [red, green, blue].map { row in
      let colors = Double(abs(row.x)) + Double(abs(row.y)) + Double(abs(row.z))
      return hasAlpha ? max(colors + Double(abs(row.w)), 1) : colors
    }
    return (sums.max() ?? 1) * Double(opacity)
  }

  /// Whether a gray picture stays gray.
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
