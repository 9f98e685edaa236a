internal import FrostglassCPU
package import FrostglassCore
package import FrostglassStills
/// Runs a recipe twice, on two backends or on one and by definition, and says how far apart they are.
package struct Comparer: Sendable {
  /// The reference for a comparison.
  package enum Standard: Sendable, Hashable {
    case backend(BackendChoice)
    /// The direct double-precision Gaussian; for images up to 16 megapixels.
    case truth
  }

  /// A step whose output differs by more than the plan's arithmetic allows.
  package struct SuspectStep: Sendable {
    /// Counted from 1.
    package var step: Int
    package var pass: String
    /// Levels of 255.
    package var difference: Double
    package var budget: Double
  }

  package struct Findings: Sendable {
    package var plan: Plan
    /// Names of what was compared.
    package var names: (String, String)
    package var comparison: ImageComparison
    /// The first step beyond its budget; always `nil` against truth.
    package var suspect: SuspectStep?
    /// The image that the backend computed, and the expected one.
    package var images: (Image, Image)
    /// The failures that were recovered from.
    package var recoveries: [Recovery]
  }

  private static let mostTruthPixels = 16_000_000
  /// The truth keeps a matrix with the square of a side.
  private static let longestTruthSide = 16_384

  package var recipe: Recipe
  package var decoding: DecodeOptions
  /// The setup of the backends. Each comparison names its backends.
  package var setup: BackendOptions

  package init(
    recipe: Recipe, decoding: DecodeOptions = DecodeOptions(),
    setup: BackendOptions = BackendOptions()
  ) {
    self.recipe = recipe
    self.decoding = decoding
    self.setup = setup
  }

  /// - Throws: `FrostglassError`.
  package func compare(
    _ source: StillSource, _ choice: BackendChoice, with standard: Standard
  ) async throws(FrostglassError) -> Findings {
    let pipeline = pipeline(choice)
    let reader = try pipeline.open(source, decoding)
    if standard == .truth { try checkTruth(reader.header.size) }
    let masks = MaskMemory([recipe.options.mask].compactMap { $0 }, for: reader.header.size)
    try pipeline.checkMemory(masks.making, for: reader, decoding)
    let plan = try plan(for: Plan.Input(reader.header))
    // Two results, and what one run takes; the truth takes doubles of 8 bytes, and a matrix.
    let side = max(reader.header.size.width, reader.header.size.height)
    let truth = standard == .truth ? (plan.wholeMemory + side * side) * 2 : 0
    try pipeline.checkMemory(
      masks.made + reader.imageMemory + 3 * plan.resultBytes + max(plan.wholeMemory, truth),
      for: reader, decoding)
    let input = try mapped(FrostglassError.decode, reader.image())
    let tested = try await pipeline.execute(plan, input)
    let image = tested.image
    switch standard {
    case .truth:
      let right = try self.truth(input, plan)
      return Findings(
        plan: plan, names: (tested.report.backend, "truth"), comparison: try compared(image, right),
        images: (image, right), recoveries: tested.report.recoveries)
    case .backend(let other):
      let second = self.pipeline(other)
      let standard = try await second.execute(plan, input)
      let expected = standard.image
      return Findings(
        plan: plan, names: (tested.report.backend, standard.report.backend),
        comparison: try compared(image, expected),
        suspect: try await suspect(plan, input, pipeline, second),
        images: (image, expected), recoveries: tested.report.recoveries + standard.report.recoveries
      )
    }
  }

  private func pipeline(_ choice: BackendChoice) -> Pipeline {
    var setup = setup
    setup.choice = choice
    return Pipeline(setup)
  }

  private func plan(for input: Plan.Input) throws(FrostglassError) -> Plan {
    do {
      let plan = try recipe.chain.plan(for: input, options: recipe.options)
      try plan.validate(for: .none)
      return plan
    } catch { throw .plan(error) }
  }

  private func checkTruth(_ size: Size) throws(FrostglassError) {
    guard size.area <= Self.mostTruthPixels,
      max(size.width, size.height) <= Self.longestTruthSide
    else {
      let limit = "16 megapixels and 16384 per side for a comparison with truth"
      throw .plan(.tooLarge(size, limit: limit))
    }
  }

  private func truth(_ image: Image, _ plan: Plan) throws(FrostglassError) -> Image {
    try mapped(
      FrostglassError.plan,
      Truth(options: recipe.options).run(recipe.chain, on: image, like: plan))
  }

  private func compared(
    _ first: Image, _ second: Image
  ) throws(FrostglassError) -> ImageComparison {
    try mapped(
      { (error: ComparisonError) in FrostglassError.plan(.malformed("\(error)")) },
      ImageComparison(first, second))
  }

  /// Compares the plan cut after each step, in float, with what arithmetic may add up to there.
  private func suspect(
    _ plan: Plan, _ image: Image, _ first: Pipeline, _ second: Pipeline
  ) async throws(FrostglassError) -> SuspectStep? {
    for count in 1..<plan.steps.count {
      let cut = plan.prefix(count)
      let one = try await first.execute(cut, image).image
      let other = try await second.execute(cut, image).image
      let difference = try compared(one, other).maximum
      // Each side may be off by the whole budget.
      let budget = 2 * cut.certifiedError.arithmetic
      if difference > budget {
        return SuspectStep(
          step: count, pass: plan.steps[count - 1].pass.name, difference: difference,
          budget: budget)
      }
    }
    return nil
  }
}
