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

/// One intermediate picture of a plan, written by exactly one step.
public struct Slot: Sendable, Hashable {
  /// The samples that are computed, in absolute coordinates of the slot's own grid.
  ///
  /// Coordinates do not change when a plan is cropped; only the domain shrinks.
  public var domain: Rect
  public var layout: Layout
  public var precision: Precision
  /// How far this picture can be from the true one.
  public var error: CertifiedError

  package init(
    domain: Rect, layout: Layout, precision: Precision, error: CertifiedError = CertifiedError()
  ) {
    self.domain = domain
    self.layout = layout
    self.precision = precision
    self.error = error
  }

  /// Bytes this picture takes at its least precision.
  public var bytes: Int { domain.area * layout.channels * precision.bytes }
}
