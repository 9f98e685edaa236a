/// Where samples of the color differences lie among the pixels, where there are fewer of them.
public struct ChromaSiting: Sendable, Hashable {
  /// The place along one axis.
  public enum Place: String, Sendable, Hashable, CaseIterable {
    /// On the first of the two pixels it serves.
    case cosited
    /// Between the two.
    case centered
  }

  /// Along rows; of no matter for 4:4:4.
  public var x: Place
  /// Along columns; of no matter for 4:2:2 and 4:4:4.
  public var y: Place

  public init(x: Place, y: Place) {
    self.x = x
    self.y = y
  }

  /// On the left two of four pixels, between their rows: MPEG-2, H.264 and most video.
  public static let left = ChromaSiting(x: .cosited, y: .centered)
  /// Between all four pixels: JPEG, MPEG-1.
  public static let center = ChromaSiting(x: .centered, y: .centered)
  /// On the first of four pixels: ultra high definition (BT.2020, BT.2100).
  public static let topLeft = ChromaSiting(x: .cosited, y: .cosited)
}
