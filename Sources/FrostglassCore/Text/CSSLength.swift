/// The lengths of CSS that have a size of their own: an inch is 96 pixels.
///
/// Source: CSS Values and Units Module Level 4, absolute lengths.
enum CSSLength {
  /// Pixels per unit; `pt` is the typographer's point here, not UIKit's.
  static let pixels: [String: Double] = [
    "px": 1, "cm": 96 / 2.54, "mm": 96 / 25.4, "q": 96 / 101.6, "in": 96, "pc": 16, "pt": 96.0 / 72,
  ]

  /// Pixels per unit for those that mean the same in filters of any kind.
  static let unmistakable = pixels.filter { $0.key != "px" && $0.key != "pt" }

  /// Reads `12px` or `-3pt`; 0 needs no unit.
  static func read(_ text: String) -> Double? {
    guard let quantity = Quantity(text) else { return nil }
    if quantity.unit.isEmpty { return quantity.number == 0 ? 0 : nil }
    guard let scale = pixels[quantity.unit] else { return nil }
    let length = quantity.number * scale
    return length.isFinite ? length : nil
  }
}
