internal import Glibc

/// A tool's blur along one axis as weights, center first: what it comes to is its second moment.
struct SymmetricKernel {
  /// `weights[k]` belongs to both samples at distance k; they need not sum to 1.
  var weights: [Double]

  /// The standard deviation of a blur with these weights, in pixels.
  var standardDeviation: Double {
    var sum = weights.first ?? 0
    var moment = 0.0
    for (distance, weight) in weights.enumerated().dropFirst() {
      sum += 2 * weight
      moment += 2 * weight * Double(distance * distance)
    }
    return sum > 0 ? (moment / sum).squareRoot() : 0
  }

  /// A Gaussian sampled at whole pixels and cut after `radius`.
  static func gaussian(sigma: Double, radius: Int) -> SymmetricKernel {
    SymmetricKernel(weights: (0...max(radius, 0)).map { Self.gaussian(Double($0), sigma) })
  }

  static func gaussian(_ x: Double, _ sigma: Double) -> Double {
    sigma > 0 ? exp(-x * x / (2 * sigma * sigma)) : (x == 0 ? 1 : 0)
  }
}

extension Sigma {
  /// The standard deviation of a kernel, in pixels.
  init(_ kernel: SymmetricKernel) { self.init(kernel.standardDeviation) }

  /// Beyond this a number is no blur of any tool; conversions give it back as it is, and planning
  /// refuses it. Keeps their loops short.
  static let mostForeign = 10_000.0
}
