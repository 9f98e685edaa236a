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
