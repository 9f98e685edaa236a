internal import Glibc

/// A Gaussian along a line, as short ones at growing distances whose variances add up.
///
/// The first is sampled at every step; each one after that at steps no farther apart than 4/3 of the
/// deviation reached before it, where what is left of the gaps is under 3·10⁻⁵ of the weights. All
/// are cut at 4 deviations.
struct LineGaussian {
  /// The weights of each pass.
  let passes: [[(step: Int, weight: Double)]]
  /// How far all passes together can be from the Gaussian sampled at every step, in levels of 255.
  let bound: Double

  /// - Parameter sigma: in steps, more than 0.
  init(sigma: Double) {
    var spacings = [1]
    var deviations: [Double] = []
    let count = sigma <= 6 ? 1 : sigma <= 100 ? 2 : 3
    // The passes have about the same number of taps when each goes 4/3 as far as the first.
    let first = pow(sigma * pow(0.75, Double(count - 1)), 1 / Double(count))
    var reached = 0.0
    for pass in 0..<count {
      let isLast = pass == count - 1
      let wanted = isLast ? sigma : pass == 0 ? first : reached * first / 0.75
      deviations.append((wanted * wanted - reached * reached).squareRoot())
      reached = wanted
      if !isLast { spacings.append(max(Int(reached / 0.75), 1)) }
    }
    passes = zip(spacings, deviations).map { Self.weights(spacing: $0, sigma: $1) }
    bound = Self.bound(passes, GaussianKernel(sigma: sigma))
  }

  private static func weights(spacing: Int, sigma: Double) -> [(step: Int, weight: Double)] {
    let radius = Int((4 * sigma / Double(spacing)).rounded(.up))
    let raw = (-radius...radius).map { index -> (step: Int, weight: Double) in
      let step = index * spacing
      return (step, exp(-Double(step * step) / (2 * sigma * sigma)))
    }
    let sum = raw.reduce(0) { $0 + $1.weight }
    return raw.map { ($0.step, $0.weight / sum) }
  }

  private static func bound(
    _ passes: [[(step: Int, weight: Double)]], _ gaussian: GaussianKernel
  ) -> Double {
    let reach = passes.reduce(0) { $0 + ($1.last?.step ?? 0) }
    var composite = [Double](repeating: 0, count: 2 * reach + 1)
    composite[reach] = 1
    for pass in passes {
      var next = [Double](repeating: 0, count: composite.count)
      for (index, value) in composite.enumerated() where value > 0 {
        for (step, weight) in pass { next[index + step] += value * weight }
      }
      composite = next
    }
    var (positive, negative) = (0.0, 0.0)
    for distance in -max(reach, gaussian.radius)...max(reach, gaussian.radius) {
      let made = abs(distance) <= reach ? composite[reach + distance] : 0
      let wanted = abs(distance) <= gaussian.radius ? gaussian.weights[abs(distance)] : 0
      if made > wanted { positive += made - wanted } else { negative += wanted - made }
    }
    return 255 * max(positive, negative)
  }
}
