/// What happened to one picture.
public struct Report: Sendable {
  /// What was run.
  public var plan: Plan
  /// Which backend ran it.
  public var backend: String
  /// Why that one, in words.
  public var reason = ""
  /// Something the user should know unasked: a GPU that is there and cannot be used.
  public var warning: String?
  /// Whether the stages went on side by side, row by row. Then `encode` is the time from the first row
  /// to the last, and `decode` and `execute` what was spent on them within it.
  public var streamed: Bool
  /// Frames that were written: more than 1 for an animation.
  public var frames = 1
  /// Frames of the input that were left out, as the output is a still.
  public var framesLeftOut = 0
  /// What failed on the way and was made good, each kind once; empty in the usual case.
  public var recoveries: [Recovery] = []
  /// How long each stage took, in order.
  public var timings: [(stage: Stage, duration: Duration)]
}
