public import FrostglassCore
internal import Glibc

/// An item's place and look, in points.
///
/// `center`, `size` and `transform` determine the place. `frame` follows from them while the transform is the identity;
/// otherwise there is none.
public struct LayoutAttributes: Sendable, Hashable {
  /// The middle, before the transform.
  public var center: LayoutPoint
  /// The size before the transform. A side below 0 counts as 0.
  public var size: LayoutSize { didSet { size = LayoutAttributes.atLeastNothing(size) } }
  /// Applied around the anchor point.
  public var transform: Transform3D
  /// The fixed point of the transform, in shares of the size: (0, 0) is the top left corner, (0.5, 0.5) the center.
  public var anchorPoint: LayoutPoint
  /// Opacity: 0 cannot be seen, 1 is opaque. What is outside counts as the nearer end.
  public var alpha: Double { didSet { alpha = alpha.kept(in: 0...1) } }
  /// Items with a larger one lie above; equal ones in the order in which the bar lists them.
  public var zIndex: Int
  /// True if the item is left out.
  public var isHidden: Bool
  /// The radius of the corners, in points; below 0 counts as 0.
  public var cornerRadius: Double { didSet { cornerRadius = max(0, cornerRadius) } }
  /// The strength of the item's blur: 0 none, 1 all. Values outside count as the nearer end.
  public var blurStrength: Double { didSet { blurStrength = blurStrength.kept(in: 0...1) } }
  /// The strength of the item's tint: 0 none, 1 all. Values outside count as the nearer end.
  public var tintAlpha: Double { didSet { tintAlpha = tintAlpha.kept(in: 0...1) } }

  /// Attributes; what is left out changes nothing.
  public init(
    center: LayoutPoint = .zero, size: LayoutSize = .zero, transform: Transform3D = .identity,
    anchorPoint: LayoutPoint = LayoutPoint(x: 0.5, y: 0.5),
    alpha: Double = 1, zIndex: Int = 0, isHidden: Bool = false, cornerRadius: Double = 0,
    blurStrength: Double = 1, tintAlpha: Double = 1
  ) {
    self.center = center
    self.size = LayoutAttributes.atLeastNothing(size)
    self.transform = transform
    self.anchorPoint = anchorPoint
    self.alpha = alpha.kept(in: 0...1)
    self.zIndex = zIndex
    self.isHidden = isHidden
    self.cornerRadius = max(0, cornerRadius)
    self.blurStrength = blurStrength.kept(in: 0...1)
    self.tintAlpha = tintAlpha.kept(in: 0...1)
  }

  /// Attributes of an item that fills a rectangle.
  public init(frame: LayoutRect) {
    self.init(center: frame.center, size: frame.size)
  }

  /// The rectangle that the item fills; `nil` while it is transformed.
  public var frame: LayoutRect? { transform.isIdentity ? untransformedFrame : nil }

  /// The rectangle that the item would fill without its transform.
  public var untransformedFrame: LayoutRect {
    LayoutRect(
      x: center.x - size.width / 2, y: center.y - size.height / 2, width: size.width,
      height: size.height)
  }

  /// Sets center and size so that the item fills a rectangle; a transform stays and acts on that.
  public mutating func setFrame(_ frame: LayoutRect) {
    center = frame.center
    size = frame.size
  }

  private static func atLeastNothing(_ size: LayoutSize) -> LayoutSize {
    LayoutSize(width: max(0, size.width), height: max(0, size.height))
  }
}

extension LayoutAttributes {
  /// Returns attributes between these and later ones.
  ///
  /// Numbers are interpolated linearly, including each of a transform's 16. `zIndex` and `isHidden` stay as they are
  /// here. The result has the frame that follows from its numbers: none between a transformed and an untransformed
  /// item, where center and size determine the place.
  ///
  /// - Parameter share: 0 is here, 1 is there. Values outside 0…1, which overshooting curves produce, extrapolate;
  ///   values with a range stay in it.
  public func interpolated(toward later: LayoutAttributes, by share: Double) -> LayoutAttributes {
    LayoutAttributes(
      center: center.toward(later.center, by: share), size: size.toward(later.size, by: share),
      transform: transform.toward(later.transform, by: share),
      anchorPoint: anchorPoint.toward(later.anchorPoint, by: share),
      alpha: alpha.toward(later.alpha, by: share), zIndex: zIndex, isHidden: isHidden,
      cornerRadius: cornerRadius.toward(later.cornerRadius, by: share),
      blurStrength: blurStrength.toward(later.blurStrength, by: share),
      tintAlpha: tintAlpha.toward(later.tintAlpha, by: share))
  }
}

extension LayoutPoint {
  fileprivate func toward(_ other: LayoutPoint, by share: Double) -> LayoutPoint {
    LayoutPoint(x: x.toward(other.x, by: share), y: y.toward(other.y, by: share))
  }
}

extension LayoutSize {
  fileprivate func toward(_ other: LayoutSize, by share: Double) -> LayoutSize {
    LayoutSize(
      width: width.toward(other.width, by: share), height: height.toward(other.height, by: share))
  }
}

extension Transform3D {
  fileprivate func toward(_ other: Transform3D, by share: Double) -> Transform3D {
    Transform3D(rows: zip(rows, other.rows).map { $0 - ($0 - $1) * share })
  }
}

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

  /// True if the transform changes nothing.
  public var isIdentity: Bool { self == .identity }

  /// Returns the projection of a point of the plane z = 0, seen along z.
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

  /// The transform of the plane z = 0, seen along z; `nil` if there is a perspective.
  package var affine: AffineTransform? {
    guard rows[0].w == 0, rows[1].w == 0, rows[3].w == 1 else { return nil }
    return AffineTransform(
      a: rows[0].x, b: rows[0].y, c: rows[1].x, d: rows[1].y, tx: rows[3].x, ty: rows[3].y)
  }
}
