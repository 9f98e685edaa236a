/// The size of a picture in pixels. Both sides are at least 1.
public struct Size: Sendable, Hashable, CustomStringConvertible {
  /// Pixels per row.
  public var width: Int
  /// Rows.
  public var height: Int

  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// Number of pixels.
  public var area: Int { width * height }

  /// The shorter of the two sides, which percentages refer to.
  public var shorterSide: Int { min(width, height) }

  public var description: String { "\(width)×\(height)" }
}
