/// Noise of up to half a level of 8 bit, so that smooth gradients do not show bands.
///
/// Goes last: an 8-bit result then is, on the mean over neighbors, what it was before rounding. The
/// noise is evenly distributed, ±63/128 of a level in steps of 1/64, and the same for red, green and
/// blue, so gray stays gray. Colors that are whole levels already stay exactly as they are; a
/// picture that was not filtered does not change. Alpha has no noise.
public struct Dither: Filter {
  /// Another seed gives other noise.
  public var seed = 0

  public static let definition = FilterDefinition<Dither>(
    "dither", "Keeps smooth gradients from showing bands in 8 bit; goes last.",
    [.integer("seed", \.seed, in: 0...1_000_000, "Another number gives other noise.")],
    // On whole levels it does nothing; a blur makes others.
    example: "blur(8px) dither()")

  public init() {}

  public init(seed: Int) { self.seed = seed }

  public func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    planner.grain(
      source,
      Grain(
        form: .even, seed: UInt32(seed), amplitude: 1 / (128 * 255),
        encodes: planner.encodesAtEnd))
  }
}

extension Filter where Self == Dither {
  /// Noise of up to half a level of 8 bit against bands.
  public static var dither: Dither { Dither() }
}
