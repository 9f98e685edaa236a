/// How color differences are held beside brightness, which has a plane of its own.
public enum YCbCrArrangement: String, Sendable, Hashable, CaseIterable {
  /// A plane of blue and one of red differences, in this order: I420 and its kind.
  case separate
  /// One plane in which both take turns, blue first: NV12 and its kind. It is described as a gray
  /// picture of twice the width.
  case interleaved

  /// Two or three.
  public var planeCount: Int { self == .separate ? 3 : 2 }
}
