/// A matrix on color plus a curve of its brightness, limited to 0…1: what materials do to colors.
///
/// On a straight color `c`, with `L` = `luma · c` limited to 0…1,
///
///     out = limited(M c + curve[0] + curve[1] L + curve[2] L² + curve[3] L³)
///
/// to 0…1; alpha stays. Applied to premultiplied values: the color's luma is divided by alpha, the
/// curve is multiplied by it, and the limit is 0…alpha. Where alpha is 0 the result is 0. On a gray
/// image the three rows agree on grays, and the first is used.
package struct LumaCurve: Sendable, Hashable {
  /// The output's red from the source's red, green and blue.
  package var red: SIMD3<Float>
  package var green: SIMD3<Float>
  package var blue: SIMD3<Float>
  /// The weights of the brightness; not negative, their sum about 1.
  package var luma: SIMD3<Float>
  /// The curve's coefficients, the constant first.
  package var curve: SIMD4<Float>

  /// - Parameter rows: the rows of the matrix: red, green, blue.
  package init(rows: [SIMD3<Double>], luma: SIMD3<Double>, curve: SIMD4<Double>) {
    red = SIMD3<Float>(rows[0])
    green = SIMD3<Float>(rows[1])
    blue = SIMD3<Float>(rows[2])
    self.luma = SIMD3<Float>(luma)
    self.curve = SIMD4<Float>(curve)
  }

  /// Returns the largest factor by which an error in the source is multiplied.
  ///
  /// The largest row sum of magnitudes of `M + curve'(L) luma` over all L, and of `M`, where the
  /// brightness is limited. With an alpha channel its error counts too, by the derivative of
  /// `alpha out(color / alpha)` to alpha: `curve - curve' L`, or 1 where the result is limited.
  func gain(hasAlpha: Bool) -> Double {
    let weights = SIMD3<Double>(luma)
    let sums = slopes.flatMap { slope in
      [red, green, blue].map { row in
        let total = SIMD3<Double>(row) + slope * weights
        return abs(total.x) + abs(total.y) + abs(total.z)
      }
    }
    let colors = sums.max() ?? 1
    return hasAlpha ? colors + max(alphaSlope, 1) : colors
  }

  /// True if a gray image stays gray.
  var keepsGray: Bool {
    let sums = [red, green, blue].map { SIMD3<Double>($0).sum() }
    return sums.allSatisfy { abs($0 - sums[0]) < 1e-6 }
  }

  /// 0, for a limited brightness, and the curve's steepest slopes: at both ends, and in between
  /// where the second derivative is 0.
  private var slopes: [Double] {
    let c = SIMD4<Double>(curve)
    let turn = c.w == 0 ? 0 : min(max(-c.z / (3 * c.w), 0), 1)
    return [0] + [0, turn, 1].map { c.y + 2 * c.z * $0 + 3 * c.w * $0 * $0 }
  }

  /// The largest magnitude of `curve - curve' L`, which is flat at 0 and where the slope is steepest,
  /// and of the curve's end, where the brightness is limited.
  private var alphaSlope: Double {
    let c = SIMD4<Double>(curve)
    let turn = c.w == 0 ? 0 : min(max(-c.z / (3 * c.w), 0), 1)
    let inside = [0, turn, 1].map { abs(c.x - c.z * $0 * $0 - 2 * c.w * $0 * $0 * $0) }
    return max(inside.max() ?? 0, abs(c.sum()))
  }
}

extension LumaCurve: PassKind {
  package var multiplyAdds: Int { 8 }
  package var summary: String {
    [red, green, blue].map { text(of: $0) }.joined(separator: " ") + ", curve \(text(of: curve))"
  }
}
