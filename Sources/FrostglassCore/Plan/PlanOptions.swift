/// What holds for a whole chain of filters.
public struct PlanOptions: Sendable, Hashable {
  /// What blurs see beyond the picture's border.
  public var edge: EdgeMode
  /// How near to the mathematical truth the plan must come.
  public var quality: Quality
  /// Work on values proportional to light instead of encoded ones. Color filters, too, then act on
  /// linear values.
  public var linearLight: Bool
  /// Pixels per UIKit point; above 0.
  public var scale: Double
  /// Where the chain shows; `nil` is everywhere.
  public var mask: Mask?

  /// Options; those left out are as usual.
  public init(
    edge: EdgeMode = .clamp, quality: Quality = .exact, linearLight: Bool = false,
    scale: Double = 1, mask: Mask? = nil
  ) {
    self.edge = edge
    self.quality = quality
    self.linearLight = linearLight
    self.scale = scale
    self.mask = mask
  }
}

extension PlanOptions {
  /// How near to the mathematical truth a plan must come.
  public enum Quality: String, Sendable, Hashable, CaseIterable {
    /// Certified under 1 level of 255 for any input, so 8-bit results are at most 1 level off.
    case exact
    /// Certified under 2 levels; may store intermediates as half floats.
    case fast

    /// The certified error a plan must stay under, in levels of 255.
    public var tolerance: Double {
      switch self {
      case .exact: 1
      case .fast: 2
      }
    }
  }
}

/// The least precision an intermediate picture must be stored with. A backend may always use more.
package enum Precision: Int, Sendable, Hashable, Comparable, CaseIterable {
  /// 16-bit float: up to 1/8 level of 255 is lost per store. Serves `fast` only.
  case half
  /// 16-bit fixed point in units of 1/128 level of 255, for values in 0…1.
  case fixed16
  /// 32-bit float, any value.
  case float32

  package static func < (left: Precision, right: Precision) -> Bool {
    left.rawValue < right.rawValue
  }

  /// Bytes per sample when nothing better is used.
  package var bytes: Int { self == .float32 ? 4 : 2 }
}
