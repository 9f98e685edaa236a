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
  static let halving = Polyphase(
    stride: 2, phases: [Polyphase.Phase(first: -1, taps: [0.125, 0.375, 0.375, 0.125])])

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
