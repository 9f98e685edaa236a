/// Film grain: noise whose strength is the same in all sizes of an image and all its parts.
///
/// Nearly Gaussian, and made from pixel coordinates and the seed alone. The mean of every color
/// stays: near black and white, where there is less room on one side, noise is limited alike on
/// both, and black and white themselves have none.
package struct FilmGrain: Filter {
  /// The noise of the three colors: one for all, or one for each.
  package enum Tone: String, Sendable, Hashable, CaseIterable {
    /// Red, green and blue get the same noise.
    case monochrome
    /// Each gets its own.
    case colored
  }

  /// Standard deviation of the noise, as a fraction of full scale.
  package var amount = 0.05
  /// About the width of a grain.
  package var size: Length = 1
  package var tone = Tone.monochrome
  /// Another seed gives other noise.
  package var seed = 0

  private static let sizes = 1.0...64.0

  package static let definition = FilterDefinition<FilmGrain>(
    "grain", "Adds film grain.",
    [
      .factor(
        "amount", \.amount, in: 0...1,
        "Standard deviation of the noise, 1 being full scale; 0 changes nothing."),
      .length(
        "size", \.size, in: sizes,
        "Width of a grain, rounded to whole pixels; 1px is a number of its own for each pixel."),
      .choice("tone", \.tone, "The same noise for red, green and blue, or each its own."),
      .integer("seed", \.seed, in: 0...1_000_000, "Another number gives other noise."),
    ], isTranslationInvariant: true)

  package init() {}

  package init(amount: Double, size: Length = 1, tone: Tone = .monochrome, seed: Int = 0) {
    self.amount = amount
    self.size = size
    self.tone = tone
    self.seed = seed
  }

  package func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    let pixels = try planner.pixels(size, of: FilmGrain.self, parameter: "size")
    guard amount > 0 else { return source }
    // The variance of the sum of four bytes.
    let variance = 4.0 * (256 * 256 - 1) / 12
    return planner.grain(
      source,
      Grain(
        form: .bell, seed: UInt32(seed), amplitude: Float(amount / variance.squareRoot()),
        isColored: tone == .colored, growth: .noiseGrowth(Int(pixels.rounded()))))
  }
}

extension FilterChain {
  /// Film grain.
  ///
  /// - Parameters:
  ///   - amount: standard deviation of the noise, 0…1, 1 being full scale; 0 changes nothing.
  ///   - size: width of a grain, 1…64 px, rounded to whole pixels.
  ///   - isColored: red, green and blue each get noise of their own.
  ///   - seed: another number, 0…1 000 000, gives other noise.
  public static func grain(
    _ amount: Double, size: Length = 1, isColored: Bool = false, seed: Int = 0
  ) -> FilterChain {
    FilterChain(
      FilmGrain(amount: amount, size: size, tone: isColored ? .colored : .monochrome, seed: seed))
  }
}

/// Noise of up to half a level of 8 bit, so that smooth gradients do not show bands.
///
/// Goes last: an 8-bit result then is, on the mean over neighbors, what it was before rounding. The
/// noise is evenly distributed, ±63/128 of a level in steps of 1/64, and the same for red, green and
/// blue, so gray stays gray. Colors that are whole levels already stay exactly as they are; a
/// image that was not filtered does not change. Alpha has no noise.
package struct Dither: Filter {
  /// Another seed gives other noise.
  package var seed = 0

  package static let definition = FilterDefinition<Dither>(
    "dither", "Keeps smooth gradients from showing bands in 8 bit; goes last.",
    [.integer("seed", \.seed, in: 0...1_000_000, "Another number gives other noise.")],
    // On whole levels it does nothing; blurs make fractions.
    example: "blur(8px) dither()")

  package init() {}

  package init(seed: Int) { self.seed = seed }

  package func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    planner.grain(
      source,
      Grain(
        form: .even, seed: UInt32(seed), amplitude: 1 / (128 * 255),
        encodes: planner.encodesAtEnd))
  }
}

extension FilterChain {
  /// Noise of up to half a level of 8 bit against bands.
  public static var dither: FilterChain { FilterChain(Dither()) }
}

extension Planner {
  /// Adds noise to every pixel.
  mutating func grain(_ surface: Surface, _ grain: Grain) -> Surface {
    let layout = grain.isColored && surface.layout == .gray ? .rgb : surface.layout
    let error =
      surface.error.scaled(by: grain.gain(surface.layout))
      + CertifiedError(arithmetic: Arithmetic.store(precision))
    return append(.grain(grain), [surface.source], layout: layout, error: error)
  }
}

extension Grain {
  /// Returns the largest factor by which an error in the source is multiplied.
  ///
  /// Limited to the room a color leaves, c + n is at most 2c and at least 2c − alpha. Even noise
  /// only multiplies an error of alpha. From light to encoded values and back, the slopes of both
  /// curves cancel but for the noise between them.
  fileprivate func gain(_ layout: PixelFormat.Layout) -> Double {
    let curves = encodes ? 1.1 : 1
    switch form {
    case .bell: return (layout.hasAlpha ? 3 : 2) * curves
    case .even: return 1.01 * curves
    }
  }
}

extension Polyphase {
  /// From a lattice of independent numbers to noise of the same variance everywhere.
  ///
  /// The quadratic B-spline through the three nearest lattice points, each phase scaled to the root
  /// of a sum of squares of 1.
  ///
  /// - Parameter size: pixels between lattice points.
  static func noiseGrowth(_ size: Int) -> Polyphase {
    guard size > 1 else { return .identity }
    let phases = (0..<size).map { phase in
      let place = (Double(phase) + 0.5) / Double(size)
      let (before, after) = ((1 - place) * (1 - place) / 2, place * place / 2)
      let taps = [before, 1 - before - after, after]
      let norm = taps.reduce(0) { $0 + $1 * $1 }.squareRoot()
      return Phase(first: -1, taps: taps.map { Float($0 / norm) })
    }
    return Polyphase(stride: 1, phases: phases)
  }
}
