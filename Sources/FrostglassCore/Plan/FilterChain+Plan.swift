extension FilterChain {
  /// Decides everything that will happen to a picture.
  ///
  /// The plan is the cheapest found whose certified error is under the quality's tolerance: first
  /// with 16-bit intermediates, then, where later passes magnify errors, with tighter blurs and
  /// float intermediates. Where even that is not enough the plan's `certifiedError` says what holds.
  ///
  /// - Throws: `PlanError.badValue` when a parameter is out of range for this picture.
  public func plan(
    for input: Plan.Input, options: PlanOptions = PlanOptions()
  ) throws(PlanError) -> Plan {
    try search(for: input, options: options).plan
  }

  /// The plan, and how tight it had to be made.
  func search(
    for input: Plan.Input, options: PlanOptions
  ) throws(PlanError) -> (plan: Plan, tightness: PlanSearch.Tightness) {
    let masking = try masking(of: input.size, options)
    let search = PlanSearch(options.quality, from: startingPrecision(input.format.depth, options))
    return try search.best { tightness throws(PlanError) in
      var planner = Planner(input, options: options, tightness)
      let surface = try surface(with: &planner, showing: masking)
      return planner.finish(surface, input: input)
    }
  }

  /// Where the chain shows, in pixels.
  ///
  /// - Throws: `PlanError.badValue` for a scale that is out of range, and for what a mask has none
  ///   for.
  func masking(of size: Size, _ options: PlanOptions) throws(PlanError) -> Masking? {
    guard (0.001...1000).contains(options.scale) else {
      throw .badValue(
        filter: "options", parameter: "scale", value: shortest(options.scale),
        accepted: "from 0.001 to 1000 pixels per point")
    }
    return try options.mask?.masking(of: size, scale: options.scale)
  }

  /// The precision of intermediates to begin the search with.
  func startingPrecision(_ depth: PixelFormat.Depth, _ options: PlanOptions) -> Precision {
    // Float pictures may hold values outside 0…1, which only floats keep.
    if depth == .float32 { return .float32 }
    // A fill is divided by small weights.
    if options.mask?.redaction?.fill == .surroundings { return .float32 }
    return options.quality == .fast ? .half : .fixed16
  }

  /// What the chain makes of the planner's original.
  func surface(
    with planner: inout Planner, showing masking: Masking?
  ) throws(PlanError) -> Surface {
    let options = planner.options
    if options.mask?.use == .scale { planner.strength = masking?.shown }
    if let masking, let redaction = options.mask?.redaction {
      planner.restart(from: planner.redacted(masking, by: redaction))
    }
    var surface = planner.original
    if let masking, options.mask?.use == .confine {
      surface = planner.multiply(surface, by: planner.generate(.coverage(masking.shown)))
    }
    surface = try planner.applied(self, to: surface)
    guard options.mask?.use != .scale || planner.usedStrength else {
      throw .badValue(
        filter: "mask", parameter: "use", value: "scale",
        accepted: "show or confine, as no filter of the chain is a Gaussian with a σ to scale")
    }
    // A redaction without filters has nothing more to show.
    if let masking, surface.slot != planner.original.slot {
      surface = planner.shown(surface, by: masking.shown)
    }
    return surface
  }
}

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

  init(_ quality: PlanOptions.Quality, from precision: Precision) {
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
      // Magnified often enough, an error is infinite, or is not a number: a plan all the same.
      if best.map({ error.reducible < $0.plan.certifiedError.reducible }) ?? true {
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
