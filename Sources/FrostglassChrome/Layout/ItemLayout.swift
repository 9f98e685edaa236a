public import FrostglassCore

/// Where an item is, said by the bar's size and other items: nobody computes frames by hand.
///
/// Each axis takes exactly two values: two of left, right, centerX and width, and two of top,
/// bottom, centerY and height. Where they leave less than nothing, such as a right edge left of the
/// left one, the extent is 0 and the item lies in the middle of the two.
public struct ItemLayout: Sendable, Hashable {
  public var left: LayoutValue?
  public var right: LayoutValue?
  public var centerX: LayoutValue?
  public var width: LayoutValue?
  public var top: LayoutValue?
  public var bottom: LayoutValue?
  public var centerY: LayoutValue?
  public var height: LayoutValue?

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

  /// What is given for a line.
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
