/// What a controller asks a status bar's text and symbols to be.
public enum StatusBarStyle: String, Sendable, Hashable, CaseIterable {
  /// Dark on a light interface, light on a dark one. Before iOS 13 always dark.
  case `default`
  case lightContent
  case darkContent

  /// What that means in a light or a dark interface.
  public func content(inDarkInterface isDark: Bool) -> StatusBarContent {
    switch self {
    case .default: isDark ? .light : .dark
    case .lightContent: .light
    case .darkContent: .dark
    }
  }
}
