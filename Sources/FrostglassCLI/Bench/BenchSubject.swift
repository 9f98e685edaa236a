internal import Frostglass

/// What a row of `frostglass bench` is about.
enum BenchSubject {
  /// A Gaussian with this standard deviation in pixels.
  case sigma(Double)
  /// Filters, as they were written.
  case filters(FilterChain, text: String)

  var chain: FilterChain {
    switch self {
    case .sigma(let sigma): [.gaussian(sigma: Sigma(sigma))]
    case .filters(let chain, _): chain
    }
  }

  /// For people: what is not said elsewhere on the line.
  var label: String {
    switch self {
    case .sigma(let sigma): "sigma \(sigma)"
    case .filters(_, let text): text
    }
  }
}
