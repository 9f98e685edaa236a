internal import Glibc

/// A rectangle, perhaps with round corners, perhaps turned: where a layer shows.
public struct LayerShape: Sendable, Hashable {
  /// Before the transform.
  public var rect: LayoutRect
  /// At most half of either side counts.
  public var cornerRadius: Double
  /// Whether corners bend earlier and softer, as those of iOS; of upright shapes.
  public var isContinuous: Bool
  /// From the rectangle's coordinates to canvas pixels.
  public var transform: AffineTransform

  public init(
    _ rect: LayoutRect, cornerRadius: Double = 0, isContinuous: Bool = false,
    transform: AffineTransform = .identity
  ) {
    self.rect = rect
    self.cornerRadius = cornerRadius
    self.isContinuous = isContinuous
    self.transform = transform
  }

  /// In canvas pixels.
  var bounds: LayoutRect { transform.bounds(of: rect) }

  /// The shape if it is nothing but an upright rectangle.
  var sharpRectangle: LayoutRect? { cornerRadius <= 0 && transform.keepsUpright ? bounds : nil }

  var coverage: Coverage {
    let bounds = bounds
    guard !transform.keepsUpright || transform.a != transform.d && cornerRadius > 0 else {
      return Coverage([
        CoverageShape(
          .rectangle(
            RoundedRectangle(
              left: bounds.x, top: bounds.y, right: bounds.maxX, bottom: bounds.maxY,
              radius: max(cornerRadius, 0) * transform.a, isContinuous: isContinuous)))
      ])
    }
    let corners = outline.map { transform.apply(to: $0) }
    return Coverage([
      CoverageShape(.polygon(Polygon(corners.map { Polygon.Corner(x: $0.x, y: $0.y) })))
    ])
  }

  /// Straight pieces of a quarter of a round corner.
  private static let pieces = 12

  /// The outline before the transform, round corners in short straight pieces.
  private var outline: [LayoutPoint] {
    let radius = min(cornerRadius, rect.width / 2, rect.height / 2)
    guard radius > 0 else { return rect.corners }
    let centers = [
      LayoutPoint(x: rect.maxX - radius, y: rect.maxY - radius),
      LayoutPoint(x: rect.x + radius, y: rect.maxY - radius),
      LayoutPoint(x: rect.x + radius, y: rect.y + radius),
      LayoutPoint(x: rect.maxX - radius, y: rect.y + radius),
    ]
    return centers.enumerated().flatMap { quarter, center in
      (0...LayerShape.pieces).map { piece in
        let angle =
          (Double(quarter) + Double(piece) / Double(LayerShape.pieces)) * Double.pi / 2
        return LayoutPoint(x: center.x + radius * cos(angle), y: center.y + radius * sin(angle))
      }
    }
  }
}
