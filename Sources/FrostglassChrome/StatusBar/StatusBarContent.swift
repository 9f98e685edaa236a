/// What a status bar's text and symbols are: black or white.
public enum StatusBarContent: String, Sendable, Hashable, CaseIterable {
  /// Black, for a bright backdrop.
  case dark
  /// White, for a dark backdrop.
  case light
}
