public import FrostglassCore

/// Where an item is and how it looks, in points.
///
/// `center`, `size` and `transform` say where. `frame` follows from them: it is what they make while
/// the transform is the identity, and there is none otherwise.
public struct LayoutAttributes: Sendable, Hashable {
  /// The middle, before the transform.
  public var center: LayoutPoint
  /// The size before the transform. A side below 0 counts as 0.
  public var size: LayoutSize { didSet { size = LayoutAttributes.atLeastNothing(size) } }
  /// Applied around the anchor point.
  public var transform: Transform3D
  /// What a transform leaves in its place, in shares of the size: (0, 0) is the top left corner, (0.5,
  /// 0.5) the center.
  public var anchorPoint: LayoutPoint
  /// Opacity: 0 cannot be seen, 1 is opaque. What is outside counts as the nearer end.
  public var alpha: Double { didSet { alpha = alpha.kept(in: 0...1) } }
  /// Items with a larger one lie above; equal ones in the order in which the bar lists them.
  public var zIndex: Int
  /// Whether the item is left out.
  public var isHidden: Bool
  /// The radius of the corners, in points; below 0 counts as 0.
  public var cornerRadius: Double { didSet { cornerRadius = max(0, cornerRadius) } }
  /// How much of its blur the item shows: 0 none, 1 all. What is outside counts as the nearer end.
  public var blurStrength: Double { didSet { blurStrength = blurStrength.kept(in: 0...1) } }
  /// How much of its tint the item shows: 0 none, 1 all. What is outside counts as the nearer end.
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
  /// What lies between these attributes and later ones.
  ///
  /// Numbers change evenly, each of a transform's 16 by itself. `zIndex` and `isHidden` stay as
  /// they are here. The frame is that of the result: between a transformed and an untransformed
  /// item there is none, and center and size say where it is.
  ///
  /// - Parameter share: 0 is here, 1 is there. Outside of 0…1, which curves that overshoot ask for,
  ///   the change goes on; what has a range stays in it.
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
