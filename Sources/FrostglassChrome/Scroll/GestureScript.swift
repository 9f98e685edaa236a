/// What is done to scrolled content, one step after another.
public struct GestureScript: Sendable, Hashable {
  public let steps: [GestureStep]

  /// Nothing is done.
  public static let empty = GestureScript(checked: [])

  private init(checked steps: [GestureStep]) { self.steps = steps }

  /// - Throws: `ScrollError` for steps that overlap or are not in order of time, times below 0,
  ///   drags that take no time, and numbers that are not finite. It names the step.
  public init(_ steps: [GestureStep]) throws(ScrollError) {
    var previousEnd = 0.0
    for (index, step) in steps.enumerated() {
      try GestureScript.check(step, number: index + 1)
      guard step.start >= previousEnd else {
        throw .overlap(step: index + 1, start: step.start, previousEnd: previousEnd)
      }
      previousEnd = step.end
    }
    self.init(checked: steps)
  }

  private static func check(_ step: GestureStep, number: Int) throws(ScrollError) {
    func bad(_ name: String, _ value: Double, _ accepted: String) -> ScrollError {
      .badStep(number, kind: step.kind, name: name, value: value, accepted: accepted)
    }
    let longest = Double.farthest
    guard step.start >= 0, step.start <= longest else {
      throw bad("start", step.start, "0 s or more")
    }
    switch step {
    case .drag(_, let duration, let distance, _, let release):
      guard duration > 0, duration <= longest else {
        throw bad("duration", duration, "above 0 s")
      }
      guard abs(distance) <= longest else {
        throw bad("distance", distance, "a finite number of points")
      }
      if case .withVelocity(let velocity) = release, !(abs(velocity) <= 1e6) {
        throw bad("release velocity", velocity, "-1000000…1000000 points per second")
      }
    case .tapToTop: break
    case .scroll(_, let offset, let duration):
      guard abs(offset) <= longest else {
        throw bad("offset", offset, "a finite number of points")
      }
      guard duration >= 0, duration <= longest else {
        throw bad("duration", duration, "0 s or more")
      }
    }
  }
}
