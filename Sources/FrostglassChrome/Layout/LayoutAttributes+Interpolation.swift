internal import FrostglassCore

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
      alpha: alpha.toward(later.alpha, by: share), zIndex: zIndex, isHidden: isHidden,
      cornerRadius: cornerRadius.toward(later.cornerRadius, by: share),
      blurStrength: blurStrength.toward(later.blurStrength, by: share),
      tintAlpha: tintAlpha.toward(later.tintAlpha, by: share))
  }
}

extension LayoutPoint {
  func toward(_ other: LayoutPoint, by share: Double) -> LayoutPoint {
    LayoutPoint(x: x.toward(other.x, by: share), y: y.toward(other.y, by: share))
  }
}

extension LayoutSize {
  func toward(_ other: LayoutSize, by share: Double) -> LayoutSize {
    LayoutSize(
      width: width.toward(other.width, by: share), height: height.toward(other.height, by: share))
  }
}

extension Transform3D {
  func toward(_ other: Transform3D, by share: Double) -> Transform3D {
    Transform3D(rows: zip(rows, other.rows).map { $0 - ($0 - $1) * share })
  }
}
