/// GPUImage's bilateral filter, with its formula: nine samples along y, then nine along x.
///
/// The samples are `texelSpacing` pixels apart and weigh .05 .09 .12 .15 .18 .15 .12 .09 .05, each
/// times `1 − min(1, D f)`: D is the distance of two colors with red, green, blue and alpha as
/// coordinates, f is `distanceNormalizationFactor`. Samples lie on whole pixels and nothing is
/// rounded to 8 bit between the axes.
public struct GPUImageBilateral: Filter {
  /// How much a difference in color counts: at `1 / factor` a sample no longer does.
  public var distanceNormalizationFactor = 8.0
  /// Pixels between samples.
  public var texelSpacing = 4

  public static let definition = FilterDefinition<GPUImageBilateral>(
    "gpuimage-bilateral", "GPUImage's bilateral filter: nine samples along each axis.",
    [
      .factor(
        "distance-normalization-factor", \.distanceNormalizationFactor, in: 0...1000,
        "Colors that differ by 1 / factor do not mix; 0 blurs across all edges."),
      .integer("texel-spacing", \.texelSpacing, in: 1...64, "Pixels between samples."),
    ])

  public init() {}

  public init(distanceNormalizationFactor: Double, texelSpacing: Int = 4) {
    self.distanceNormalizationFactor = distanceNormalizationFactor
    self.texelSpacing = texelSpacing
  }

  public func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    let gain = gain(source.layout)
    let columns = planner.bilateral(planner.withEdges(source), pass(x: [1], y: taps), gain: gain)
    return planner.bilateral(columns, pass(x: taps, y: [1]), gain: gain)
  }

  private var taps: [Float] { GPUImageWeights.half.map { Float($0) } }

  private func pass(x: [Float], y: [Float]) -> Bilateral {
    let keepsEdges = distanceNormalizationFactor > 0
    return Bilateral(
      x: x, y: y, spacing: texelSpacing, range: keepsEdges ? [1, 0] : [1, 1],
      fineness: keepsEdges ? Float(distanceNormalizationFactor) : 1)
  }

  /// What one axis multiplies an error by.
  ///
  /// With center weight .18 the mean moves by at most `(.82 / .18) δD` through the weights, and the
  /// difference D of n channels by δD ≤ 2√n times the error.
  private func gain(_ layout: Layout) -> Double {
    1 + 0.82 / 0.18 * 2 * Double(layout == .gray ? 3 : layout.channels).squareRoot()
  }
}
