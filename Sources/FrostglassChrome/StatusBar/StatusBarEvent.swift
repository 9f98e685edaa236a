public import FrostglassCore

/// What happens to a blurred status bar.
public enum StatusBarEvent: Sendable, Hashable {
  /// The interface is about to turn. Upright or upside down the bar comes, else it goes.
  case willChangeOrientation(InterfaceOrientation)
  /// The system's bar is about to have another size, in points; the origin stays. A size that is
  /// not finite or below 0 is ignored.
  case willChangeFrame(LayoutSize)
  /// Something begins that makes the bar higher, or ends: its height is changed as by
  /// `willChangeFrame`.
  case activity(StatusBarMetrics.Activity)
  /// Text and symbols become black or white, within a number of seconds.
  case content(StatusBarContent, duration: Double = 0)
  /// The bar goes or comes. The animation is used only when that is a change.
  case hidden(Bool, StatusBarAnimation)
  /// A resolver's answer: content, within a number of seconds, and hidden.
  case appearance(StatusBarAppearance, duration: Double = 0)
}
