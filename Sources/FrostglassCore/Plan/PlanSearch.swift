/// Looks for the cheapest plan whose certified error is under a quality's tolerance: first as it is,
/// then with tighter blurs and more precise intermediates.
struct PlanSearch {
  /// How exactly a plan's steps are to be done.
  struct Tightness: Sendable, Hashable {
    /// The largest kernel error one axis of one Gaussian may have, in levels of 255.
    var budget: Double
    /// The precision of intermediates.
    var precision: Precision
  }

  private let tolerance: Double
  /// Precision of the first try.
  private let precision: Precision

  init(_ quality: Quality, from precision: Precision) {
    tolerance = quality.tolerance
    self.precision = precision
  }

  /// Tries plans until one is good enough; where none is, the best of all.
  func best(
    _ make: (Tightness) throws(PlanError) -> Plan
  ) throws(PlanError) -> (plan: Plan, tightness: Tightness) {
    // Two axes share what is left after arithmetic.
    var next = Tightness(budget: 0.43 * tolerance, precision: precision)
    var best: (plan: Plan, tightness: Tightness)?
    for _ in 0..<8 {
      let plan = try make(next)
      let error = plan.certifiedError
      if error.reducible < tolerance { return (plan, next) }
      if error.reducible < (best?.plan.certifiedError.reducible ?? .infinity) {
        best = (plan, next)
      }
      if error.arithmetic > 0.5 * tolerance && next.precision < .float32 {
        next.precision = next.precision == .half ? .fixed16 : .float32
      } else if error.kernel > 0 {
        // Where floats alone lose too much, the blur should at least add little to it.
        let room = max(tolerance - error.arithmetic, 0.25 * error.arithmetic)
        guard error.kernel > room else { break }
        next.budget *= max(min(0.98 * room / error.kernel, 0.7), 0.01)
      }
    }
    guard let best else { throw .malformed("no plan was made") }
    return best
  }
}
