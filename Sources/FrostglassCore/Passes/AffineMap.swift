/// An affine map from target samples to positions in the source, in whole numbers.
///
/// A sample (x, y) is read at `x + floor((xx x + xy y + x0) / 4096) / 4096` along x, and likewise
/// along y: the coefficients count 2⁻²⁴, positions 2⁻¹² of a sample. Only the difference to the
/// sample's own place is stored, so that small turns of large pictures keep their precision, and so
/// that 32-bit machines can compute it in two halves for coordinates up to 2¹⁶.
package struct AffineMap: Sendable, Hashable {
  /// Binary digits of a position after the point.
  package static let positionBits = 12
  /// Binary digits of a coefficient after the point.
  package static let coefficientBits = 24

  package var xx: Int
  package var xy: Int
  package var x0: Int
  package var yx: Int
  package var yy: Int
  package var y0: Int

  /// Scales, and turns by an angle given by its cosine and sine, around a point.
  ///
  /// - Parameters: the point in samples, where 0 is the center of the first one.
  package init(scale: Double, cosine: Double, sine: Double, aroundX x: Double, y: Double) {
    let (a, b) = (scale * cosine - 1, scale * sine)
    let one = Double(1 << Self.coefficientBits)
    // Half a position more, so that `floor` rounds to the nearest.
    let half = 1 << (Self.coefficientBits - Self.positionBits - 1)
    xx = Int((a * one).rounded())
    xy = Int((-b * one).rounded())
    yx = Int((b * one).rounded())
    yy = xx
    // From the rounded coefficients, so that the point itself stays where it is.
    x0 = Int((-(Double(xx) * x + Double(xy) * y)).rounded()) + half
    y0 = Int((-(Double(yx) * x + Double(yy) * y)).rounded()) + half
  }

  /// Reads the sample (x, y) at `(xx x + xy y + x0, yx x + yy y + y0)`, in samples.
  init(xx: Double, xy: Double, x x0: Double, yx: Double, yy: Double, y y0: Double) {
    let one = Double(1 << Self.coefficientBits)
    let half = 1 << (Self.coefficientBits - Self.positionBits - 1)
    func whole(_ value: Double) -> Int { Int(min(max(value * one, -1e13), 1e13).rounded()) }
    (self.xx, self.xy, self.x0) = (whole(xx - 1), whole(xy), whole(x0) + half)
    (self.yx, self.yy, self.y0) = (whole(yx), whole(yy - 1), whole(y0) + half)
  }

  /// Where a target sample is read, in 2⁻¹² of a sample.
  @inline(__always)
  package func position(_ x: Int, _ y: Int) -> (x: Int, y: Int) {
    let shift = Self.coefficientBits - Self.positionBits
    return (
      (x << Self.positionBits) + ((xx * x + xy * y + x0) >> shift),
      (y << Self.positionBits) + ((yx * x + yy * y + y0) >> shift)
    )
  }
}
