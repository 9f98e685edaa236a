/// A Gaussian blur: the convolution with `exp(-x²/2σ²)`, within the plan's certified error.
///
/// For σ = 20 on both axes the plan reads
///
///     Load → Resample ÷2 → Resample ÷2 → Resample ÷2 → Convolve x → Convolve y → Resample ×8 → Store
///
/// Shrinking, a few taps on the small image, growing: `Kernels/GaussianDesign.swift` decides how far
/// to shrink and which taps make the composite kernel closest to the true one. Each pass has
/// its name in all places: in `Passes/Pass.swift` (its numbers), `Convolve+Reference.swift` (what it
/// means), `Convolve+Fast.swift` (row by row) and `Shaders/passes/convolve.glsl` (GPU).
package struct Gaussian: PlaneFilter {
  /// Standard deviation along x.
  package var x: Sigma = 10
  /// Standard deviation along y; `nil` means the same as along x.
  package var y: Sigma?
  /// What is seen beyond the picture; `nil` means what the plan's options say.
  package var edge: EdgeMode?

  package static let definition = FilterDefinition<Gaussian>(
    "gaussian", "Blurs with a true Gaussian.",
    [
      .sigma("x", \.x, "Standard deviation along x; 0 leaves the axis alone."),
      .sigma("y", \.y, "Standard deviation along y; as along x when left out."),
      .choice("edge", \.edge, "Beyond the border; as the chain's when left out."),
    ], example: "gaussian(4px)", worksInWindows: true)

  package init() {}

  package init(x: Sigma, y: Sigma? = nil, edge: EdgeMode? = nil) {
    self.x = x
    self.y = y
    self.edge = edge
  }

  package func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    let name = Gaussian.definition.name
    let scale = planner.options.scale
    let x = try self.x.pixels(for: planner.pixels, scale: scale, filter: name, parameter: "x")
    let y = try self.y?.pixels(for: planner.pixels, scale: scale, filter: name, parameter: "y")
    if let strength = planner.strength {
      return planner.gaussian(source, upTo: x, y ?? x, by: strength, edge: edge)
    }
    let pitch = planner.pitch
    return planner.gaussian(source, x: x / pitch.x, y: (y ?? x) / pitch.y, edge: edge)
  }
}

extension Planner {
  /// Blurs with standard deviations in pixels, each 0…1000.
  ///
  /// - Parameters:
  ///   - coloring: what is done to colors on the way, on a picture of a quarter of the size: after
  ///     the second halving, or after the last where there are fewer. The certified error then is
  ///     that of the blur of the picture so colored.
  ///   - edge: what lies beyond the picture; `nil` means what the options say.
  mutating func gaussian(
    _ source: Surface, x: Double, y: Double, coloring: LumaCurve? = nil, edge: EdgeMode? = nil
  ) -> Surface {
    let form = TapForm(precision)
    let alongX = GaussianDesign.cheapest(sigma: x, budget: budget, taps: form)
    let alongY =
      x == y ? alongX : GaussianDesign.cheapest(sigma: y, budget: budget, taps: form)
    if alongX.isIdentity && alongY.isIdentity {
      return coloring.map { lumaCurve(source, $0) } ?? source
    }
    var surface = withEdges(source, edge)
    let levels = max(alongX.levels, alongY.levels)
    for level in 0...levels {
      if let coloring, level == min(2, levels) { surface = lumaCurve(surface, coloring) }
      guard level < levels else { break }
      surface = halve(surface, x: level < alongX.levels, y: level < alongY.levels)
    }
    for (axis, design) in [(Axis.x, alongX), (Axis.y, alongY)] where !design.isIdentity {
      surface = convolve(surface, axis, taps: design.taps, kernelError: design.bound)
    }
    if alongX.levels > 0 || alongY.levels > 0 {
      surface = resample(
        surface, x: PyramidKernel(levels: alongX.levels).growing,
        y: PyramidKernel(levels: alongY.levels).growing)
    }
    return surface.extended(x: nil, y: nil)
  }
}

extension FilterChain {
  /// A Gaussian blur, the same along both axes.
  ///
  /// - Parameters:
  ///   - sigma: the standard deviation, 0…1000 px; 0 changes nothing.
  ///   - edge: what is seen beyond the picture; `nil` means what the plan's options say.
  public static func gaussian(sigma: Sigma, edge: EdgeMode? = nil) -> FilterChain {
    FilterChain(Gaussian(x: sigma, edge: edge))
  }

  /// A Gaussian blur, the same along both axes.
  ///
  /// - Parameters:
  ///   - sigma: the standard deviation in pixels, 0…1000; 0 changes nothing.
  ///   - edge: what is seen beyond the picture; `nil` means what the plan's options say.
  public static func gaussian(
    sigma: some BinaryFloatingPoint, edge: EdgeMode? = nil
  ) -> FilterChain {
    FilterChain(Gaussian(x: Sigma(Double(sigma)), edge: edge))
  }

  /// A Gaussian blur with a standard deviation per axis.
  ///
  /// - Parameters:
  ///   - x: along x, 0…1000 px; 0 leaves the axis alone.
  ///   - y: along y, likewise.
  ///   - edge: what is seen beyond the picture; `nil` means what the plan's options say.
  public static func gaussian(x: Sigma, y: Sigma, edge: EdgeMode? = nil) -> FilterChain {
    FilterChain(Gaussian(x: x, y: y, edge: edge))
  }
}
