/// A place in a layout, in points or pixels as the context says; y grows downward.
public struct LayoutPoint: Sendable, Hashable {
  public var x: Double
  public var y: Double

  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }

  public static let zero = LayoutPoint(x: 0, y: 0)
}
