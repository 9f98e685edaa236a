/// What happened to one picture.
public struct Report: Sendable {
  /// What was run.
  public var plan: Plan
  /// Which backend ran it.
  public var backend: String
  /// How long each stage took, in order.
  public var timings: [(stage: Stage, duration: Duration)]
}
