internal import Glibc

// What a mask covers of a part of a picture at least and at most, without a look at each pixel.
extension Coverage {
  /// Numbers between which the coverage of all pixels of a part lies; 0 and 1 where that is not easily
  /// known.
  package func range(in part: Rect) -> ClosedRange<Float> {
    guard plane == nil, window == nil, !isUntouched, !part.isEmpty else { return 0...1 }
    var (low, high) = (0.0, 0.0)
    for shape in shapes {
      let range = shape.range(in: part)
      (low, high) = (max(low, range.lowerBound), max(high, range.upperBound))
    }
    if isInverted { (low, high) = (1 - high, 1 - low) }
    // Easing may fall by a last place where it should rise.
    let doubt = 1e-6
    return Float(low < 1 ? max(low - doubt, 0) : 1)...Float(high > 0 ? min(high + doubt, 1) : 0)
  }
}

extension CoverageShape {
  fileprivate func range(in part: Rect) -> ClosedRange<Double> {
    switch outline {
    case .rectangle(let shape): range(in: part, slope: shape.slope, shape.distance)
    case .ellipse(let shape): range(in: part, slope: 1, shape.distance)
    case .polygon(let shape): range(in: part, slope: 1, shape.distance)
    case .ramp(let ramp): ramp.range(in: part)
    case .picture: 0...1
    }
  }

  /// The distance of the part's middle says how far all its pixels are, as it changes slowly.
  private func range(
    in part: Rect, slope: Double, _ distance: (Double, Double) -> Double
  ) -> ClosedRange<Double> {
    let middle = distance(
      Double(part.x) + Double(part.width) / 2, Double(part.y) + Double(part.height) / 2)
    let half = SIMD2(Double(part.width - 1), Double(part.height - 1)) / 2
    let reach = (half * half).sum().squareRoot() * slope + 1e-6
    guard middle.isFinite else { return 0...1 }
    return coverage(at: middle - grow + reach)...coverage(at: middle - grow - reach)
  }
}
