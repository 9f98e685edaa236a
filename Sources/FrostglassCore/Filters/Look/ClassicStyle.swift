/// A blur, richer colors, a veil of one color: the styles of iOS 8 and what is made like them.
///
/// `out = (1 − alpha) · saturated(blur(picture)) + alpha · veil`, the saturated color limited to
/// 0…1 before the veil. σ is in UIKit points: `PlanOptions.scale` makes pixels of them.
public protocol ClassicStyle: Style, CompositeFilter {
  /// 1 leaves colors as they are.
  static var saturation: Double { get }
  /// The veil, with how much of it as its alpha.
  static var veil: Color { get }
}

extension ClassicStyle {
  /// That of UIKit's styles; measured on iOS 26.
  public static var saturation: Double { 1.8 }

  public var filters: [any Filter] {
    guard intensity > 0 else { return [] }
    return [
      .gaussian(sigma: grown(sigma)), .saturation(grown(Self.saturation, from: 1)),
      .tint(Self.veil, alpha: intensity),
    ]
  }
}
