/// What a value of a layout refers to.
///
/// Items are taken as they are at the bar's current progress, before their transforms.
public enum LayoutAnchor: Sendable, Hashable, CustomStringConvertible {
  /// A line of the bar, whose top left corner is (0, 0).
  case bar(LayoutLine)
  /// A line of the item with this id; the item itself is allowed, say for a width like its height.
  case item(String, LayoutLine)

  public var description: String {
    switch self {
    case .bar(let line): "bar.\(line.rawValue)"
    case .item(let id, let line): "\(id).\(line.rawValue)"
    }
  }
}
