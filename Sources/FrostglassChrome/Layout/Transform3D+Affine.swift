public import FrostglassCore
internal import Glibc

extension Transform3D {
  /// A turn around z; above 0 clockwise, as y grows downward.
  public static func rotation(degrees: Double) -> Transform3D {
    let (sine, cosine) = (sin(degrees * .pi / 180), cos(degrees * .pi / 180))
    return Transform3D(rows: [
      SIMD4(cosine, sine, 0, 0), SIMD4(-sine, cosine, 0, 0), SIMD4(0, 0, 1, 0), SIMD4(0, 0, 0, 1),
    ])
  }

  /// What it does to the plane z = 0, seen along z; `nil` where it has a perspective.
  public var affine: AffineTransform? {
    guard rows[0].w == 0, rows[1].w == 0, rows[3].w == 1 else { return nil }
    return AffineTransform(
      a: rows[0].x, b: rows[0].y, c: rows[1].x, d: rows[1].y, tx: rows[3].x, ty: rows[3].y)
  }
}
