public import FrostglassCore

/// An item's place, relative to the bar's size and other items.
///
/// Each axis takes exactly two values: two of left, right, centerX and width, and two of top, bottom, centerY and
/// height. Where their extent would be negative, such as a right edge left of the left one, the extent is 0 and the
/// item lies in the middle of the two.
public struct ItemLayout: Sendable, Hashable {
  /// The left border.
  public var left: LayoutValue?
  /// The right border.
  public var right: LayoutValue?
  /// The middle along x.
  public var centerX: LayoutValue?
  /// From the left border to the right one.
  public var width: LayoutValue?
  /// The upper border.
  public var top: LayoutValue?
  /// The lower border.
  public var bottom: LayoutValue?
  /// The middle along y.
  public var centerY: LayoutValue?
  /// From the upper border to the lower one.
  public var height: LayoutValue?

  /// A layout; two numbers of each axis say where the item is.
  public init(
    left: LayoutValue? = nil, right: LayoutValue? = nil, centerX: LayoutValue? = nil,
    width: LayoutValue? = nil, top: LayoutValue? = nil, bottom: LayoutValue? = nil,
    centerY: LayoutValue? = nil, height: LayoutValue? = nil
  ) {
    self.left = left
    self.right = right
    self.centerX = centerX
    self.width = width
    self.top = top
    self.bottom = bottom
    self.centerY = centerY
    self.height = height
  }

  /// A fixed rectangle.
  public init(frame: LayoutRect) {
    self.init(
      left: .points(frame.x), width: .points(frame.width), top: .points(frame.y),
      height: .points(frame.height))
  }

  /// The whole bar, however high it is.
  public static let wholeBar = ItemLayout(
    left: 0, right: .bar(.right), top: 0, bottom: .bar(.bottom))

  /// The value of a line.
  public subscript(line: LayoutLine) -> LayoutValue? {
    get { self[keyPath: ItemLayout.path(to: line)] }
    set { self[keyPath: ItemLayout.path(to: line)] = newValue }
  }

  private static func path(to line: LayoutLine) -> WritableKeyPath<ItemLayout, LayoutValue?> {
    switch line {
    case .left: \.left
    case .right: \.right
    case .centerX: \.centerX
    case .width: \.width
    case .top: \.top
    case .bottom: \.bottom
    case .centerY: \.centerY
    case .height: \.height
    }
  }

  /// The lines that are given along an axis.
  func given(along axis: LayoutAxis) -> [LayoutLine] {
    LayoutLine.lines(of: axis).filter { self[$0] != nil }
  }
}

/// A number of a layout: an anchor times a factor, plus an offset; or points alone.
///
/// A literal is points from the bar's left or top edge, or points of extent.
public struct LayoutValue: Sendable, Hashable {
  /// The line or extent that the value refers to; `nil` for points alone.
  public var anchor: LayoutAnchor?
  /// The factor of the anchor.
  public var factor: Double
  /// The offset to add, in points.
  public var offset: Double

  /// An anchor times a factor, plus an offset in points; without an anchor, the offset alone.
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
  /// Points.
  public init(floatLiteral value: Double) { self = .points(value) }
  /// Points.
  public init(integerLiteral value: Int) { self = .points(Double(value)) }
}

/// The reference of a layout value.
///
/// Referenced items count as they are at the bar's current progress, before their transforms.
public enum LayoutAnchor: Sendable, Hashable, CustomStringConvertible {
  /// A line of the bar, whose top left corner is (0, 0).
  case bar(LayoutLine)
  /// A line of the item with this id; the item itself is allowed, say for a width like its height.
  case item(String, LayoutLine)

  /// The anchor in words.
  public var description: String {
    switch self {
    case .bar(let line): "bar.\(line.rawValue)"
    case .item(let id, let line): "\(id).\(line.rawValue)"
    }
  }
}

/// An edge, a middle or an extent of a rectangle: what layouts give and refer to.
///
/// Edges and middles are in the bar's coordinates, from its top left corner, y downward.
public enum LayoutLine: String, Sendable, Hashable, CaseIterable {
  case left
  case right
  case centerX
  case width
  case top
  case bottom
  case centerY
  case height

  /// The axis the line is a number of.
  public var axis: LayoutAxis {
    switch self {
    case .left, .right, .centerX, .width: .horizontal
    case .top, .bottom, .centerY, .height: .vertical
    }
  }

  /// The same along either axis.
  enum Role: Int { case start, end, middle, extent }

  var role: Role {
    switch self {
    case .left, .top: .start
    case .right, .bottom: .end
    case .centerX, .centerY: .middle
    case .width, .height: .extent
    }
  }

  static func lines(of axis: LayoutAxis) -> [LayoutLine] { allCases.filter { $0.axis == axis } }
}

/// One of the two directions of a layout.
public enum LayoutAxis: String, Sendable, Hashable, CaseIterable {
  case horizontal
  case vertical
}
