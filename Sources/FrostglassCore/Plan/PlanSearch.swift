/// Looks for the cheapest plan whose certified error is under a quality's tolerance: first as it is,
/// then with tighter blurs and more precise intermediates.
struct PlanSearch {
  private let tolerance: Double
  /// Precision of the first try.
  private let precision: Precision

  init(_ quality: Quality, from precision: Precision) {
    tolerance = quality.tolerance
    self.precision = precision
  }

  /// Tries plans until one is good enough; where none is, the best of all.
  ///
  /// - Parameter make: a plan whose Gaussians err by at most `budget` levels along each axis.
  func best(
    _ make: (_ budget: Double, _ precision: Precision) throws(PlanError) -> Plan
  ) throws(PlanError) -> Plan {
    var precision = precision
    // Two axes share what is left after arithmetic.
    var budget = 0.43 * tolerance
    var best: Plan?
    for _ in 0..<8 {
      let plan = try make(budget, precision)
      let error = plan.certifiedError
      if error.reducible < tolerance { return plan }
      if error.reducible < (best?.certifiedError.reducible ?? .infinity) { best = plan }
      if error.arithmetic > 0.5 * tolerance && precision < .float32 {
        precision = precision == .half ? .fixed16 : .float32
      } else if error.kernel > 0 {
        // Where floats alone lose too much, the blur should at least add little to it.
        let room = max(tolerance - error.arithmetic, 0.25 * error.arithmetic)
        guard error.kernel > room else { break }
        budget *= max(min(0.98 * room / error.kernel, 0.7), 0.01)
      }
    }
    guard let best else { throw .malformed("no plan was made") }
    return best
  }
}
