/// What a behavior wants done with its bar.
public enum BarReaction: Sendable, Hashable {
  /// Nothing.
  case stay
  /// Go there at once. While the bar snaps, and where the number is not finite, nothing happens.
  case follow(progress: Double)
  /// Go there in the snapping's time.
  case snap(progress: Double, movesContent: Bool)
}
