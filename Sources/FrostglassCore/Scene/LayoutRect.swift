/// A rectangle in a layout, in points or pixels as the context says; y grows downward.
public struct LayoutRect: Sendable, Hashable {
  /// The top left corner.
  public var origin: LayoutPoint
  public var size: LayoutSize

  public init(origin: LayoutPoint, size: LayoutSize) {
    self.origin = origin
    self.size = size
  }

  public init(x: Double, y: Double, width: Double, height: Double) {
    self.init(origin: LayoutPoint(x: x, y: y), size: LayoutSize(width: width, height: height))
  }

  public static let zero = LayoutRect(origin: .zero, size: .zero)

  public var x: Double { origin.x }
  public var y: Double { origin.y }
  public var width: Double { size.width }
  public var height: Double { size.height }
  public var maxX: Double { x + width }
  public var maxY: Double { y + height }
  public var center: LayoutPoint { LayoutPoint(x: x + width / 2, y: y + height / 2) }
}
