/// What a behavior wants done with its bar.
public enum BarReaction: Sendable, Hashable {
  /// Nothing.
  case stay
  /// Go there at once. While the bar snaps, or if the number is not finite, nothing happens.
  case follow(progress: Double)
  /// Go there in the snapping's time, to the nearer end for what is outside 0…1; not if the number
  /// is not finite. Content may go the same way.
  case snap(progress: Double, movesContent: Bool)
}
