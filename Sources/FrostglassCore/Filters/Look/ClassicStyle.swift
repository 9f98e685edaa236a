/// The styles of iOS 8: a blur, richer colors, a veil of gray; numbers as measured on iOS 26.
///
/// `out = (1 − alpha) · saturate₁.₈(blur(picture)) + alpha · gray`, the saturated color limited to
/// 0…1 before the veil. σ is in UIKit points: `PlanOptions.scale` makes pixels of them.
public protocol ClassicStyle: Style {
  /// The veil's gray level, 0…1.
  static var gray: Double { get }
  /// How much of the veil, 0…1.
  static var alpha: Double { get }
}

extension ClassicStyle {
  public var filters: [any Filter] {
    [
      .gaussian(sigma: sigma), .saturation(1.8),
      .tint(Color(white: Self.gray), alpha: Self.alpha),
    ]
  }
}
