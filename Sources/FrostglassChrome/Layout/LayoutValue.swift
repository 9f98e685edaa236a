/// A number of a layout: an anchor times a factor, plus an offset; or points alone.
///
/// A literal is points from the bar's left or top edge, or points of extent.
public struct LayoutValue: Sendable, Hashable {
  /// What the value refers to; `nil` for points alone.
  public var anchor: LayoutAnchor?
  /// What the anchor is multiplied by.
  public var factor: Double
  /// What is added, in points.
  public var offset: Double

  public init(anchor: LayoutAnchor?, factor: Double = 1, offset: Double = 0) {
    self.anchor = anchor
    self.factor = factor
    self.offset = offset
  }

  /// Points, whatever the bar's size.
  public static func points(_ points: Double) -> LayoutValue {
    LayoutValue(anchor: nil, offset: points)
  }

  /// A line of the bar, times a factor, plus points.
  public static func bar(
    _ line: LayoutLine, times factor: Double = 1, plus offset: Double = 0
  ) -> LayoutValue {
    LayoutValue(anchor: .bar(line), factor: factor, offset: offset)
  }

  /// A line of an item, times a factor, plus points.
  public static func item(
    _ id: String, _ line: LayoutLine, times factor: Double = 1, plus offset: Double = 0
  ) -> LayoutValue {
    LayoutValue(anchor: .item(id, line), factor: factor, offset: offset)
  }
}

extension LayoutValue: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
  public init(floatLiteral value: Double) { self = .points(value) }
  public init(integerLiteral value: Int) { self = .points(Double(value)) }
}
