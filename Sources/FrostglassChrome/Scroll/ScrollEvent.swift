/// What happens to something that scrolls, in the order and with the meaning UIKit gives it.
public enum ScrollEvent: Sendable, Hashable {
  /// A finger takes hold of the content.
  case willBeginDragging
  /// The offset is another one.
  case didScroll
  /// The finger lets go; the velocity in points per second, above 0 toward the end.
  case willEndDragging(velocity: Double)
  /// The finger has let go.
  case didEndDragging(willDecelerate: Bool)
  /// The content has come to rest after that.
  case didEndDecelerating
  /// The status bar was tapped, and the content goes to its top.
  case willScrollToTop
  case didScrollToTop
  /// The program sends the content somewhere.
  case willScrollProgrammatically
  case didEndProgrammaticScroll
}
