/// What a pane of glass does to the colors behind it.
///
///     Y' = dimmed(Y),  dimmed(Y) = Y − (1 − brightest) Y²
///     out = (1 − fill) (black + (white − black) Y' + chroma (c − Y)) + fill
///
/// limited to 0…1 at the end, Y being the Rec. 709 brightness. Colors lose with the dimming what
/// a middle brightness loses.
public struct GlassFace: Sendable, Hashable {
  /// What black and white become.
  public var black: Double
  public var white: Double
  /// 1 leaves colors as rich as they are.
  public var chroma: Double
  /// How much white is laid over all.
  public var fill: Double
  /// What white is dimmed to first; 1 dims nothing.
  public var brightest: Double

  init(
    black: Double, white: Double, chroma: Double = 1, fill: Double = 0, brightest: Double = 1
  ) {
    self.black = black
    self.white = white
    self.chroma = chroma
    self.fill = fill
    self.brightest = brightest
  }

  /// The pass that does it.
  var pass: LumaCurve {
    let rest = 1 - fill
    let dimming = 1 - brightest
    let middle = 1 - dimming / 2
    let richness = rest * chroma * middle * (1 + 0.3 * (1 - middle))
    let weights = Luma.rec709.weights
    let identity = [SIMD3(1.0, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1)]
    let span = rest * (white - black)
    return LumaCurve(
      rows: identity.map { richness * ($0 - weights) }, luma: weights,
      curve: SIMD4(rest * black + fill, span, -span * dimming, 0))
  }
}
