/// Which channels a pixel has, in memory order.
public enum Layout: Int, Sendable, Hashable, CaseIterable, Comparable {
  case gray = 1
  case rgb = 3
  case rgba = 4

  /// By the number of channels.
  public static func < (left: Layout, right: Layout) -> Bool { left.channels < right.channels }

  /// Samples per pixel: 1, 3 or 4.
  public var channels: Int { rawValue }
  /// Whether a pixel carries its own coverage.
  public var hasAlpha: Bool { self == .rgba }
}
