/// How a status bar comes and goes when its being hidden changes.
public enum StatusBarAnimation: String, Sendable, Hashable, CaseIterable {
  /// At once.
  case none
  /// Its alpha changes.
  case fade
  /// It moves up by its height, and down again.
  case slide
}
