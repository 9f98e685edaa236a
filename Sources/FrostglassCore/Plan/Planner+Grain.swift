extension Planner {
  /// Adds noise to every pixel.
  mutating func grain(_ surface: Surface, _ grain: Grain) -> Surface {
    let layout = grain.isColored && surface.layout == .gray ? .rgb : surface.layout
    let error =
      surface.error.scaled(by: grain.gain(surface.layout))
      + CertifiedError(arithmetic: Arithmetic.store(precision))
    return append(.grain(grain), [surface.source], layout: layout, error: error)
  }
}

extension Grain {
  /// What an error in the source is at most multiplied by.
  ///
  /// Limited to the room a color leaves, c + n is at most 2c and at least 2c − alpha. Even noise
  /// only multiplies an error of alpha. From light to encoded values and back, the slopes of both
  /// curves cancel but for the noise between them.
  fileprivate func gain(_ layout: PixelFormat.Layout) -> Double {
    let curves = encodes ? 1.1 : 1
    switch form {
    case .bell: return (layout.hasAlpha ? 3 : 2) * curves
    case .even: return 1.01 * curves
    }
  }
}

extension Polyphase {
  /// From a lattice of independent numbers to noise of the same variance everywhere.
  ///
  /// The quadratic B-spline through the three nearest lattice points, each phase scaled to the root
  /// of a sum of squares of 1.
  ///
  /// - Parameter size: pixels between lattice points.
  static func noiseGrowth(_ size: Int) -> Polyphase {
    guard size > 1 else { return .identity }
    let phases = (0..<size).map { phase in
      let place = (Double(phase) + 0.5) / Double(size)
      let (before, after) = ((1 - place) * (1 - place) / 2, place * place / 2)
      let taps = [before, 1 - before - after, after]
      let norm = taps.reduce(0) { $0 + $1 * $1 }.squareRoot()
      return Phase(first: -1, taps: taps.map { Float($0 / norm) })
    }
    return Polyphase(stride: 1, phases: phases)
  }
}
