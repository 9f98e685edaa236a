/// A navigation controller's bar, as far as it matters to the status bar.
///
/// Its tint color does not matter.
public struct NavigationBar: Sendable, Hashable {
  /// Without its bar, a navigation controller is passed over.
  public var isVisible: Bool
  public var style: Style

  public enum Style: String, Sendable, Hashable, CaseIterable {
    /// A bright bar: `StatusBarStyle.default`, dark content in a light interface.
    case `default`
    /// A black bar: light content.
    case black
  }

  public init(isVisible: Bool = true, style: Style = .default) {
    self.isVisible = isVisible
    self.style = style
  }

  /// What it makes the status bar's content.
  public var statusBarStyle: StatusBarStyle { style == .black ? .lightContent : .default }
}
