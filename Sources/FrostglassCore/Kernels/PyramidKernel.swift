/// The kernels of shrinking and growing by 2ᵏ, built from `[1 3 3 1]`.
///
/// One level down is `[1 3 3 1]/8` over the source samples 2i−1 … 2i+2; one level up is the
/// transpose, `[1 3]/4` and `[3 1]/4`. Several levels at once are the cascade of these.
package struct PyramidKernel {
  /// The ratio, a power of two from 1 up.
  let factor: Int
  /// What one small sample spreads over the large grid when growing: `3 factor - 2` weights that
  /// start at offset `1 - factor` from `factor * i` and sum to `factor`.
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
/// kernels, so solving takes microseconds at any σ. Derivation: docs/blur-mathematics.md.
struct LeastSquaresTaps {
  /// Symmetric taps, center first, none negative, summing to 1 with both sides counted.
  let taps: [Double]

  init(gaussian: GaussianKernel, pyramid: PyramidKernel, radius: Int) {
    let factor = pyramid.factor
    let lag = Self.lagProducts(pyramid)
    func product(_ shift: Int) -> Double { abs(shift) < lag.count ? lag[abs(shift)] : 0 }

    // Basis r is the pair of taps at distance r; basis 0 the center alone.
    var matrix = [[Double]](
      repeating: [Double](repeating: 0, count: radius + 1), count: radius + 1)
    for row in 0...radius {
      for column in 0...radius {
        matrix[row][column] =
          switch (row, column) {
          case (0, 0): product(0)
          case (0, _), (_, 0): 2 * product(row + column)
          default: 2 * (product(row - column) + product(row + column))
          }
      }
    }
    let match = Self.pyramidMatch(pyramid)
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
  private static func pyramidMatch(_ pyramid: PyramidKernel) -> [Double] {
    var levels = 0
    while 1 << levels < pyramid.factor { levels += 1 }
    return PyramidKernel.cascade(
      base: [1, 6, 15, 20, 15, 6, 1].map { $0 / 32 }, levels: levels)
  }
}

/// Solves a symmetric positive definite system by Cholesky factorization.
private func solveSymmetric(_ matrix: [[Double]], _ right: [Double]) -> [Double] {
  let count = right.count
  var lower = [[Double]](repeating: [Double](repeating: 0, count: count), count: count)
  for row in 0..<count {
    for column in 0...row {
      var sum = matrix[row][column]
      for k in 0..<column { sum -= lower[row][k] * lower[column][k] }
      lower[row][column] =
        row == column ? max(sum, 1e-300).squareRoot() : sum / lower[column][column]
    }
  }
  var solution = right
  for row in 0..<count {
    for k in 0..<row { solution[row] -= lower[row][k] * solution[k] }
    solution[row] /= lower[row][row]
  }
  for row in (0..<count).reversed() {
    for k in row + 1..<count { solution[row] -= lower[k][row] * solution[k] }
    solution[row] /= lower[row][row]
  }
  return solution
}
