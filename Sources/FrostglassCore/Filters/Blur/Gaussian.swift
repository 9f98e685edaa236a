internal import Glibc

/// A Gaussian blur: the convolution with `exp(-x²/2σ²)`, within the plan's certified error.
///
/// For σ = 20 on both axes the plan reads
///
///     Load → Resample ÷2 → Resample ÷2 → Resample ÷2 → Convolve x → Convolve y → Resample ×8 → Store
///
/// Shrinking, a few taps on the small image, growing: `GaussianDesign` below decides how far
/// to shrink and which taps make the composite kernel closest to the true one. Each pass has
/// its name in all places: in `Passes/Pass.swift` (its numbers), `Convolve+Reference.swift` (what it
/// means), `Convolve+Fast.swift` (row by row) and `Shaders/passes/convolve.glsl` (GPU).
package struct Gaussian: PlaneFilter {
  /// Standard deviation along x.
  package var x: Sigma = 10
  /// Standard deviation along y; `nil` means the same as along x.
  package var y: Sigma?
  /// The edge mode, for what lies beyond the image; `nil` means the plan's.
  package var edge: EdgeMode?

  package static let definition = FilterDefinition<Gaussian>(
    "gaussian", "Blurs with a true Gaussian.",
    [
      .sigma("x", \.x, "Standard deviation along x; 0 leaves the axis alone."),
      .sigma("y", \.y, "Standard deviation along y; as along x when left out."),
      .choice("edge", \.edge, "Beyond the border; as the chain's when left out."),
    ], example: "gaussian(4px)", isTranslationInvariant: true)

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
  ///   - coloring: a change of colors on the way, on an image of a quarter of the size: after the second halving, or
  ///     after the last where there are fewer. The certified error is then that of blurring the image so colored.
  ///   - edge: the edge mode, for what lies beyond the image; `nil` means the options'.
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
      surface = convolve(surface, axis, .taps(design.taps), kernelError: design.bound)
    }
    if alongX.levels > 0 || alongY.levels > 0 {
      surface = resample(
        surface, x: KnownPyramid.all[alongX.levels].growing,
        y: KnownPyramid.all[alongY.levels].growing)
    }
    return surface.extended(x: nil, y: nil)
  }
}

extension FilterChain {
  /// A Gaussian blur, the same along both axes.
  ///
  /// - Parameters:
  ///   - sigma: the standard deviation, 0…1000 px; 0 changes nothing.
  ///   - edge: the edge mode, for what lies beyond the image; `nil` means the plan's.
  public static func gaussian(sigma: Sigma, edge: EdgeMode? = nil) -> FilterChain {
    FilterChain(Gaussian(x: sigma, edge: edge))
  }

  /// A Gaussian blur, the same along both axes.
  ///
  /// - Parameters:
  ///   - sigma: the standard deviation in pixels, 0…1000; 0 changes nothing.
  ///   - edge: the edge mode, for what lies beyond the image; `nil` means the plan's.
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
  ///   - edge: the edge mode, for what lies beyond the image; `nil` means the plan's.
  public static func gaussian(x: Sigma, y: Sigma, edge: EdgeMode? = nil) -> FilterChain {
    FilterChain(Gaussian(x: x, y: y, edge: edge))
  }
}

/// A way to compute one axis of a Gaussian, and its largest distance from the true one.
package struct GaussianDesign: Sendable, Hashable {
  /// Levels of shrinking before the taps; 0 computes at full size.
  package var levels: Int
  /// Symmetric taps, center first; empty when the axis is left alone.
  package var taps: [Float]
  /// The worst case along this axis, in levels of 255.
  package var bound: Double

  package var radius: Int { max(taps.count - 1, 0) }
  package var isIdentity: Bool { taps.isEmpty }

  private static let identity = GaussianDesign(levels: 0, taps: [], bound: 0)

  /// Up to this σ a Gaussian changes nothing: the neighbors' weight is under 10⁻²⁰⁰.
  static let weakestSigma = 0.03

  /// The cheapest design whose bound is at most `budget`; failing that, the one that comes closest.
  ///
  /// - Parameters:
  ///   - sigma: in pixels; up to `weakestSigma` nothing changes.
  ///   - budget: the bound to meet, in levels of 255.
  ///   - taps: the form the taps must have.
  package static func cheapest(
    sigma: Double, budget: Double, taps form: TapForm
  ) -> GaussianDesign {
    guard sigma > weakestSigma else { return .identity }
    let gaussian = GaussianKernel(sigma: sigma)
    let small = pyramid(gaussian, budget: budget, form)
    if let small, small.cost < directCost(sigma: sigma) { return small }
    let large = direct(gaussian, budget: budget, form)
    if large.bound <= budget && large.radius <= longestDirectRadius { return large }
    return small ?? large
  }

  /// A convolution at full size longer than this is not worth what it gains in certainty.
  private static let longestDirectRadius = 128

  /// Shrinking by more than 64 gains nothing, as the small image is next to free by then, and
  /// certifying it would take longer: the work grows with the square of the factor.
  fileprivate static let mostLevels = 6

  /// The full-size taps cut no nearer than 3.5 σ (a nearer cut would lose over 0.5 % of σ), and
  /// farther out where the budget asks for it.
  private static func direct(
    _ gaussian: GaussianKernel, budget: Double, _ form: TapForm
  ) -> GaussianDesign {
    var reach = 3.5
    while true {
      let radius = min(Int((reach * gaussian.sigma).rounded(.up)), gaussian.radius)
      let taps = form.normalized(gaussian.cut(at: radius))
      let bound = KernelBound.direct(taps: taps, true: gaussian)
      if bound <= budget || radius == gaussian.radius {
        return GaussianDesign(levels: 0, taps: taps, bound: bound)
      }
      reach += 0.5
    }
  }

  /// The pyramid with the fewest operations among those that meet the budget, from the smallest
  /// image up; `nil` when none does.
  private static func pyramid(
    _ gaussian: GaussianKernel, budget: Double, _ form: TapForm
  ) -> GaussianDesign? {
    var levels = 0
    while gaussian.sigma / Double(2 << levels) >= 1.2, levels < mostLevels { levels += 1 }
    while levels > 0 {
      let pyramid = KnownPyramid.all[levels]
      let kernel = pyramid.kernel
      let ratio = gaussian.sigma / Double(kernel.factor)
      if ratio > 32 { return nil }
      for reach in [3.3, 4.0, 5.0] {
        let radius = Int((reach * ratio).rounded(.up))
        let solved = LeastSquaresTaps(gaussian: gaussian, pyramid: pyramid, radius: radius)
        let taps = form.normalized(solved.taps)
        let bound = KernelBound.pyramid(kernel, taps: taps, true: gaussian, limit: budget)
        if bound <= budget { return GaussianDesign(levels: levels, taps: taps, bound: bound) }
      }
      levels -= 1
    }
    return nil
  }

  /// Operations per full-size sample along this axis: the taps on the small image, plus shrinking
  /// (4 taps on halves, quarters, …) and growing (3 taps).
  private var cost: Double {
    let factor = Double(1 << levels)
    return Double(2 * radius + 1) / factor + (levels > 0 ? 4 + 3 : 0)
  }

  private static func directCost(sigma: Double) -> Double {
    2 * (3.5 * sigma).rounded(.up) + 1
  }
}

/// The true Gaussian: the function `exp(-x²/2σ²)` sampled at whole pixels and normalized.
///
/// Cut at 6.5 σ, where what is lost is under 10⁻¹⁰ of the whole.
package struct GaussianKernel: Sendable {
  package let sigma: Double
  /// Samples to each side of the center.
  package let radius: Int
  /// `weights[k]` belongs to distance k; all of them, both sides counted, sum to 1.
  package let weights: [Double]

  /// - Parameter sigma: in pixels, 0 or more; 0 gives the single weight 1.
  package init(sigma: Double) {
    self.sigma = sigma
    radius = Int((6.5 * sigma).rounded(.up))
    let raw = (0...radius).map { k in
      sigma > 0 ? exp(-Double(k * k) / (2 * sigma * sigma)) : 1
    }
    let sum = 2 * raw.reduce(0, +) - raw[0]
    weights = raw.map { $0 / sum }
  }

  /// The kernel's second moment, which differs from σ² below σ ≈ 0.7.
  package var secondMoment: Double {
    weights.enumerated().reduce(0) { $0 + 2 * Double($1.offset * $1.offset) * $1.element }
  }

  /// The kernel cut at `radius` and normalized again, as symmetric taps.
  package func cut(at radius: Int) -> [Double] {
    let kept = Array(weights.prefix(radius + 1))
    let sum = 2 * kept.reduce(0, +) - kept[0]
    return kept.map { $0 / sum }
  }
}

/// The form that the taps of a symmetric filter have in a plan.
package enum TapForm: Sendable {
  /// Floats.
  case float
  /// Multiples of 1/65536 (the center's of 1/32768) that sum to exactly 1, so that fixed point
  /// computes with them and not with something near them.
  case fixed

  init(_ precision: Precision) { self = precision == .float32 ? .float : .fixed }

  /// Taps in this form, center first; `taps` sum to 1 with both sides counted.
  func normalized(_ taps: [Double]) -> [Float] {
    switch self {
    case .float: Self.floats(taps)
    case .fixed: Self.multiples(taps)
    }
  }

  /// Floats whose sum is 1 to within a rounding.
  private static func floats(_ taps: [Double]) -> [Float] {
    var floats = taps.map { Float($0) }
    let sides = floats.dropFirst().reduce(0.0) { $0 + 2 * Double($1) }
    floats[0] = Float(1 - sides)
    return floats
  }

  private static func multiples(_ taps: [Double]) -> [Float] {
    var sides = taps.dropFirst().map { ($0 * 65536).rounded() }
    while sides.count > 1, sides.last == 0 { sides.removeLast() }
    // A center of all would not be a 16-bit number.
    if sides.allSatisfy({ $0 == 0 }) { sides = [1] }
    let center = 32768 - sides.reduce(0, +)
    return ([2 * center] + sides).map { Float($0 / 65536) }
  }
}

/// The kernels of shrinking and growing by 2ᵏ, built from `[1 3 3 1]`.
///
/// One level down is `[1 3 3 1]/8` over the source samples 2i−1 … 2i+2; one level up is the
/// transpose, `[1 3]/4` and `[3 1]/4`. Several levels at once are the cascade of these.
package struct PyramidKernel {
  /// The ratio, a power of two from 1 up.
  let factor: Int
  /// The weights by which growing spreads one small sample over the large grid.
  ///
  /// There are `3 factor - 2`, from offset `1 - factor` from `factor * i`; their sum is `factor`.
  let spread: [Double]

  package init(levels: Int) {
    factor = 1 << levels
    spread = Self.cascade(base: [0.25, 0.75, 0.75, 0.25], levels: levels)
  }

  /// The weight at `offset` from the small sample's position on the large grid.
  func spread(at offset: Int) -> Double {
    let index = offset + factor - 1
    return spread.indices.contains(index) ? spread[index] : 0
  }

  /// Growing by `factor` in one go, as the plan's numbers.
  package var growing: Polyphase {
    guard factor > 1 else { return .identity }
    let phases = (0..<factor).map { phase in
      let taps = (-1...1).map { spread(at: phase - factor * $0) }
      let first = taps.firstIndex { $0 > 0 } ?? 0
      let last = taps.lastIndex { $0 > 0 } ?? 0
      return Polyphase.Phase(first: first - 1, taps: taps[first...last].map { Float($0) })
    }
    return Polyphase(stride: 1, phases: phases)
  }

  /// Shrinking by 2.
  package static let halving = Polyphase(
    stride: 2, phases: [Polyphase.Phase(first: -1, taps: [0.125, 0.375, 0.375, 0.125])])

  /// Shrinking by 2 twice: `halving` of what `halving` gives.
  package static let quartering = Polyphase(
    stride: 4,
    phases: [
      Polyphase.Phase(first: -3, taps: [1, 3, 6, 10, 12, 12, 10, 6, 3, 1].map { Float($0) / 64 })
    ])

  /// The kernel of applying `base` on each of `levels` grids, every one twice as fine as the last.
  static func cascade(base: [Double], levels: Int) -> [Double] {
    var kernel: [Double] = [1]
    for _ in 0..<levels {
      var finer = [Double](repeating: 0, count: 2 * (kernel.count - 1) + base.count)
      for (i, weight) in kernel.enumerated() {
        for (j, tap) in base.enumerated() { finer[2 * i + j] += weight * tap }
      }
      kernel = finer
    }
    return kernel
  }
}

/// The taps for the small image that bring shrink ∘ taps ∘ grow closest to the true Gaussian.
///
/// Minimizes, over all phases of the output grid, the squared difference between the composite
/// kernel and the true one. The normal equations need only short autocorrelations of the pyramid's
/// kernels, so solving takes microseconds at any σ. Derivation: docs/contribute/blur-mathematics.md.
private struct LeastSquaresTaps {
  /// Symmetric taps, center first, none negative, summing to 1 with both sides counted.
  let taps: [Double]

  init(gaussian: GaussianKernel, pyramid: KnownPyramid, radius: Int) {
    let factor = pyramid.kernel.factor
    let lag = pyramid.lagProducts
    func product(_ shift: Int) -> Double { abs(shift) < lag.count ? lag[abs(shift)] : 0 }

    // Basis r is the pair of taps at distance r; basis 0 the center alone. Row after row.
    let count = radius + 1
    var matrix = [Double](repeating: 0, count: count * count)
    for row in 0...radius {
      for column in 0...row {
        matrix[row * count + column] =
          switch (row, column) {
          case (0, 0): product(0)
          case (0, _), (_, 0): 2 * product(row + column)
          default: 2 * (product(row - column) + product(row + column))
          }
      }
    }
    let match = pyramid.match
    let half = (match.count - 1) / 2
    func overlap(shiftedBy shift: Int) -> Double {
      var sum = 0.0
      for (index, weight) in match.enumerated() {
        let distance = abs(index - half + shift)
        if distance <= gaussian.radius { sum += weight * gaussian.weights[distance] }
      }
      return sum
    }
    let right = (0...radius).map { r in
      r == 0
        ? overlap(shiftedBy: 0) : overlap(shiftedBy: factor * r) + overlap(shiftedBy: -factor * r)
    }
    let solved = solveSymmetric(matrix, right).map { max($0, 0) }
    let sum = 2 * solved.reduce(0, +) - solved[0]
    taps = solved.map { $0 / sum }
  }
}

/// The values that planning needs of a pyramid whatever σ is, computed once.
private struct KnownPyramid {
  let kernel: PyramidKernel
  let growing: Polyphase
  let lagProducts: [Double]
  let match: [Double]

  /// By the number of levels.
  static let all = (0...GaussianDesign.mostLevels).map { KnownPyramid(levels: $0) }

  private init(levels: Int) {
    kernel = PyramidKernel(levels: levels)
    growing = kernel.growing
    lagProducts = Self.lagProducts(kernel)
    match = Self.match(levels: levels)
  }

  /// `Σ_phases <c(x), c(x - factor * l)>` for l = 0, 1, …, where `c` is shrink ∘ grow at one phase.
  private static func lagProducts(_ pyramid: PyramidKernel) -> [Double] {
    let f = pyramid.factor
    // Autocorrelation of the shrinking kernel, which is the growing one divided by the factor.
    let shrink = (0...2).map { lag in
      pyramid.spread.indices.reduce(0.0) { sum, i in
        let j = i + f * lag
        return j < pyramid.spread.count ? sum + pyramid.spread[i] * pyramid.spread[j] : sum
      } / Double(f * f)
    }
    // Products of the three growing weights of a phase, summed over phases.
    var grow = [[Double]](repeating: [0, 0, 0], count: 3)
    for phase in 0..<f {
      let taps = (-1...1).map { pyramid.spread(at: phase - f * $0) }
      for m in 0..<3 { for n in 0..<3 { grow[m][n] += taps[m] * taps[n] } }
    }
    return (0...4).map { lag in
      var sum = 0.0
      for m in 0..<3 {
        for n in 0..<3 where abs(lag + n - m) < shrink.count {
          sum += grow[m][n] * shrink[abs(lag + n - m)]
        }
      }
      return sum
    }
  }

  /// The sum of shrink ∘ grow over all phases, each moved to its own center; symmetric around 0.
  private static func match(levels: Int) -> [Double] {
    PyramidKernel.cascade(base: [1, 6, 15, 20, 15, 6, 1].map { $0 / 32 }, levels: levels)
  }
}

/// Solves a symmetric positive definite system by Cholesky factorization.
///
/// - Parameter matrix: row after row, of which what is up to the diagonal is read.
private func solveSymmetric(_ matrix: [Double], _ right: [Double]) -> [Double] {
  let count = right.count
  var lower = matrix
  for row in 0..<count {
    for column in 0...row {
      var sum = lower[row * count + column]
      for k in 0..<column { sum -= lower[row * count + k] * lower[column * count + k] }
      lower[row * count + column] =
        row == column ? max(sum, 1e-300).squareRoot() : sum / lower[column * count + column]
    }
  }
  var solution = right
  for row in 0..<count {
    for k in 0..<row { solution[row] -= lower[row * count + k] * solution[k] }
    solution[row] /= lower[row * count + row]
  }
  for row in (0..<count).reversed() {
    for k in row + 1..<count { solution[row] -= lower[k * count + row] * solution[k] }
    solution[row] /= lower[row * count + row]
  }
  return solution
}
