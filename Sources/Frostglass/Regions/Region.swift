/// A shape in a picture with what is known about it, as a detector gives it.
public struct Region: Sendable, Hashable {
  public var shape: MaskShape
  /// What it is, such as `face`; for people and audits.
  public var label: String?

  public init(_ shape: MaskShape, label: String? = nil) {
    self.shape = shape
    self.label = label
  }
}
