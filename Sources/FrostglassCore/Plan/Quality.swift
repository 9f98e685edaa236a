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
