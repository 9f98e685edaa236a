/// Film grain: noise whose strength is the same in all sizes of a picture and all its parts.
///
/// Nearly Gaussian, and made from pixel coordinates and the seed alone. The mean of every color
/// stays: near black and white, where there is less room on one side, noise is limited alike on
/// both, and black and white themselves have none.
public struct FilmGrain: Filter {
  /// Whether colors get noise of their own.
  public enum Tone: String, Sendable, Hashable, CaseIterable {
    /// Red, green and blue get the same noise.
    case monochrome
    /// Each gets its own.
    case colored
  }

  /// Standard deviation of the noise, as a fraction of full scale.
  public var amount = 0.05
  /// About the width of a grain.
  public var size: Length = 1
  public var tone = Tone.monochrome
  /// Another seed gives other noise.
  public var seed = 0

  static let sizes = 1.0...64.0

  public static let definition = FilterDefinition<FilmGrain>(
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
    ])

  public init() {}

  public init(amount: Double, size: Length = 1, tone: Tone = .monochrome, seed: Int = 0) {
    self.amount = amount
    self.size = size
    self.tone = tone
    self.seed = seed
  }

  public func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
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

extension Filter where Self == FilmGrain {
  /// Film grain of standard deviation `amount`, 0…1.
  public static func grain(_ amount: Double) -> FilmGrain { FilmGrain(amount: amount) }
}
