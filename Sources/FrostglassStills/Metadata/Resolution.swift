/// How many pixels lie on a millimeter when printed.
public struct Resolution: Sendable, Hashable {
  /// Pixels per millimeter along a row; above 0.
  public var horizontal: Double
  /// Pixels per millimeter down a column; above 0.
  public var vertical: Double

  public init(horizontal: Double, vertical: Double) {
    self.horizontal = horizontal
    self.vertical = vertical
  }

  /// 72 pixels per inch, written where nothing is known.
  public static let usual = Resolution(horizontal: 72 / 25.4, vertical: 72 / 25.4)
}
