/// A Gaussian blur: the convolution with `exp(-x²/2σ²)`, within the plan's certified error.
///
/// For σ = 20 on both axes the plan reads
///
///     Load → Resample ÷2 → Resample ÷2 → Resample ÷2 → Convolve x → Convolve y → Resample ×8 → Store
///
/// Shrinking, a few taps on the small image, growing: `Kernels/GaussianDesign.swift` decides how far
/// to shrink and which taps make the composite kernel closest to the true one. Each pass is written
/// three times under one name, for example `Passes/Convolve.swift` (what it means),
/// `Convolve+Reference.swift` (CPU) and `Shaders/passes/convolve.glsl` (GPU).
public struct Gaussian: Filter {
  /// Standard deviation along x.
  public var x: Sigma = 10
  /// Standard deviation along y; `nil` means the same as along x.
  public var y: Sigma?
  /// What is seen beyond the picture; `nil` means what the plan's options say.
  public var edge: EdgeMode?

  public static let definition = FilterDefinition<Gaussian>(
    "gaussian", "Blurs with a true Gaussian.",
    [
      .sigma("x", \.x, "Standard deviation along x; 0 leaves the axis alone."),
      .sigma("y", \.y, "Standard deviation along y; as along x when left out."),
      .choice("edge", \.edge, "Beyond the border; as the chain's when left out."),
    ], example: "gaussian(4px)")

  public init() {}

  public init(x: Sigma, y: Sigma? = nil, edge: EdgeMode? = nil) {
    self.x = x
    self.y = y
    self.edge = edge
  }

  public func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    let name = Gaussian.definition.name
    let scale = planner.options.scale
    let x = try self.x.pixels(for: planner.size, scale: scale, filter: name, parameter: "x")
    let y = try self.y?.pixels(for: planner.size, scale: scale, filter: name, parameter: "y")
    if let strength = planner.strength {
      return planner.gaussian(source, upTo: x, y ?? x, by: strength, edge: edge)
    }
    return planner.gaussian(source, x: x, y: y ?? x, edge: edge)
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
      surface = grow(
        surface, x: PyramidKernel(levels: alongX.levels).growing,
        y: PyramidKernel(levels: alongY.levels).growing)
    }
    return surface.extended(x: nil, y: nil)
  }
}

extension Filter where Self == Gaussian {
  /// A Gaussian blur, the same along both axes; 0…1000 px.
  public static func gaussian(sigma: Sigma) -> Gaussian { Gaussian(x: sigma) }

  /// A Gaussian blur, the same along both axes; 0…1000 px.
  ///
  /// - Parameter sigma: in pixels.
  public static func gaussian(sigma: some BinaryFloatingPoint) -> Gaussian {
    Gaussian(x: Sigma(Double(sigma)))
  }

  /// A Gaussian blur with a standard deviation per axis; each 0…1000 px.
  public static func gaussian(x: Sigma, y: Sigma) -> Gaussian { Gaussian(x: x, y: y) }
}
