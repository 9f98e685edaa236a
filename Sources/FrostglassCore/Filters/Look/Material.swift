/// One of the materials of iOS: a blur over colors whose brightness was drawn to a curve.
///
/// Colors change first, on a picture of a quarter of the size, as on iOS; the rest of the blur
/// follows. With σ = 29.5 on both axes the plan reads
///
///     Load → Resample ÷2 → Resample ÷2 → LumaCurve → Resample ÷2 → Convolve x → Convolve y → …
///
/// A blur so small that it halves the picture less often changes colors after its last halving, at
/// half the size or at full size. σ is in UIKit points: `PlanOptions.scale` makes pixels of them.
/// The numbers are read and measured ones; these are re-creations. In linear light the same numbers
/// act on light, which is not what iOS shows.
package struct Material: PresetStyle {
  package let preset: Preset
  package var sigma: Sigma
  package var intensity = 1.0

  package init() { self.init(.materialLight) }

  package init(_ preset: Preset) {
    self.preset = preset
    sigma = Sigma(preset.points, .points)
  }

  package func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    guard intensity > 0 else { return source }
    let full = try sigma.pixels(
      for: planner.size, scale: planner.options.scale, filter: preset.name)
    let blur = grown(full)
    let coloring = preset.color.pass(intensity: intensity)
    if let strength = planner.strength {
      return planner.gaussian(planner.lumaCurve(source, coloring), upTo: blur, by: strength)
    }
    return planner.gaussian(
      source, x: blur, y: blur, coloring: coloring)
  }
}

/// What a material does to colors: pulls their brightness to a curve, then changes how rich they are.
///
/// On an encoded straight color `c`, with `L` its brightness limited to 0…1 and `B` the cubic Bézier
/// curve through `values` at L,
///
///     mixed = c + amount (B(L) − c)
///     out = limited(Y(mixed) + saturation (mixed − Y(mixed)) + brightness)
///
/// where only the end is limited, to 0…1. Both steps are linear in how rich a color is, so that the
/// whole is a matrix and a curve: `LumaCurve`. L is weighed as GPUImage does it, Y by Rec. 709.
package struct MaterialColor: Sendable, Hashable {
  /// How much of the curve, 0…1; 0 leaves brightness as it is.
  package var amount: Double
  /// The curve's control values, from the darkest color to the brightest.
  package var values: SIMD4<Double>
  /// 1 leaves colors as rich as they are.
  package var saturation: Double
  /// Added to every color; 0 changes nothing.
  package var brightness: Double

  package init(
    amount: Double, values: SIMD4<Double>, saturation: Double = 1, brightness: Double = 0
  ) {
    self.amount = amount
    self.values = values
    self.saturation = saturation
    self.brightness = brightness
  }

  /// The pass that does it, its numbers grown to `intensity`, 0…1, from ones that change nothing.
  package func pass(intensity: Double = 1) -> LumaCurve {
    let amount = amount * intensity
    let saturation = 1 + (saturation - 1) * intensity
    let kept = 1 - amount
    let toGray = (1 - saturation) * kept * Luma.rec709.weights
    let identity = [SIMD3(1.0, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1)]
    var curve = amount * polynomial
    curve.x += brightness * intensity
    return LumaCurve(
      rows: identity.map { saturation * kept * $0 + toGray }, luma: Luma.gpuimage.weights,
      curve: curve)
  }

  /// The Bézier curve's coefficients, the constant first.
  private var polynomial: SIMD4<Double> {
    let v = values
    return SIMD4(
      v.x, 3 * (v.y - v.x), 3 * (v.z - 2 * v.y + v.x), v.w - 3 * v.z + 3 * v.y - v.x)
  }
}
