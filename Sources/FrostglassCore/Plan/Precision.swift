/// The least precision an intermediate picture must be stored with. A backend may always use more.
public enum Precision: Int, Sendable, Hashable, Comparable, CaseIterable {
  /// 16-bit float: up to 1/8 level of 255 is lost per store. Serves `fast` only.
  case half
  /// 16-bit fixed point in units of 1/128 level of 255, for values in 0…1.
  case fixed16
  /// 32-bit float, any value.
  case float32

  public static func < (left: Precision, right: Precision) -> Bool {
    left.rawValue < right.rawValue
  }

  /// Bytes per sample when nothing better is used.
  public var bytes: Int { self == .float32 ? 4 : 2 }
}
