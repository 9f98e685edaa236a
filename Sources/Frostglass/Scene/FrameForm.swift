/// What frames become.
public enum FrameForm: Sendable, Hashable {
  /// One picture.
  case still
  /// A file for each, numbered from 1.
  case numbered
  /// All in one file that moves.
  case animation
}
