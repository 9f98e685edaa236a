public import FrostglassCore
internal import Glibc

/// A transform in space, four by four, as `CATransform3D` writes it: points are rows, `[x y z 1] M`.
public struct Transform3D: Sendable, Hashable {
  /// The rows `m11 … m14` to `m41 … m44`; translation is in the last.
  public var rows: [SIMD4<Double>]

  /// - Parameter rows: four of them.
  public init(rows: [SIMD4<Double>]) {
    precondition(rows.count == 4, "a transform has four rows")
    self.rows = rows
  }

  /// Changes nothing.
  public static let identity = Transform3D(rows: [
    SIMD4(1, 0, 0, 0), SIMD4(0, 1, 0, 0), SIMD4(0, 0, 1, 0), SIMD4(0, 0, 0, 1),
  ])

  /// A move along x and y, in points.
  public static func translation(x: Double, y: Double) -> Transform3D {
    var transform = identity
    transform.rows[3] = SIMD4(x, y, 0, 1)
    return transform
  }

  /// A change of size around the origin.
  public static func scale(x: Double, y: Double) -> Transform3D {
    var transform = identity
    transform.rows[0].x = x
    transform.rows[1].y = y
    return transform
  }

  /// Whether it changes nothing.
  public var isIdentity: Bool { self == .identity }

  /// Where a point of the plane z = 0 goes, seen along z.
  ///
  /// - Returns: `nil` behind the eye of a perspective.
  public func apply(to point: LayoutPoint) -> LayoutPoint? {
    let seen = rows[0] * point.x + rows[1] * point.y + rows[3]
    guard seen.w > 0 else { return nil }
    return LayoutPoint(x: seen.x / seen.w, y: seen.y / seen.w)
  }

  /// First this transform, then another.
  public func followed(by other: Transform3D) -> Transform3D {
    Transform3D(
      rows: rows.map { row in
        other.rows[0] * row.x + other.rows[1] * row.y + other.rows[2] * row.z + other.rows[3]
          * row.w
      })
  }
}

extension Transform3D {
  /// A turn around z; above 0 clockwise, as y grows downward.
  public static func rotation(degrees: Double) -> Transform3D {
    let (sine, cosine) = (sin(degrees * .pi / 180), cos(degrees * .pi / 180))
    return Transform3D(rows: [
      SIMD4(cosine, sine, 0, 0), SIMD4(-sine, cosine, 0, 0), SIMD4(0, 0, 1, 0), SIMD4(0, 0, 0, 1),
    ])
  }

  /// What it does to the plane z = 0, seen along z; `nil` where it has a perspective.
  package var affine: AffineTransform? {
    guard rows[0].w == 0, rows[1].w == 0, rows[3].w == 1 else { return nil }
    return AffineTransform(
      a: rows[0].x, b: rows[0].y, c: rows[1].x, d: rows[1].y, tx: rows[3].x, ty: rows[3].y)
  }
}
