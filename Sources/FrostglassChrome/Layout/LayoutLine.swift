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
