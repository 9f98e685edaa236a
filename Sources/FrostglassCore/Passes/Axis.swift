/// A direction in the picture.
public enum Axis: Sendable, Hashable, CaseIterable {
  /// Along rows, left to right.
  case x
  /// Along columns, top to bottom.
  case y
}
