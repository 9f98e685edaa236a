/// What the color samples of a pixel mean beside its alpha.
public enum AlphaMode: Sendable, Hashable, CaseIterable {
  /// No alpha channel, or one that is full everywhere.
  case opaque
  /// Colors are independent of alpha, as PNG stores them.
  case straight
  /// Colors are already multiplied by alpha.
  case premultiplied
}
