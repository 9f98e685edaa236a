// Pictures without what a mask covers.
extension Planner {
  /// The original with another fill where a masking hides it.
  ///
  /// Nothing that is made here depends on a hidden pixel: they are multiplied by exactly 0 before
  /// anything else reads them, and where the fill is shown it is shown wholly.
  mutating func redacted(_ masking: Masking, by redaction: Redaction) -> Surface {
    guard let kept = masking.kept else { return original }
    let seen = generate(.coverage(kept))
    let fill =
      redaction.fill == .color
      ? constant(redaction.color, weight: 1, beside: seen)
      : surroundings(of: seen, redaction.color, scales: FillScales(masking.shown, Rect(pixels)))
    return masked(original, fill, by: masking.shown)
  }

  /// How much the fallback color counts beside what is seen with full weight. Plans with it
  /// are in floats: of 16 bits little is left where only this counts.
  private static let fallbackWeight = 1.0 / 1024

  /// The picture as it is around, everywhere.
  ///
  /// With `w` what a blur sees of the weights and `c` what it sees of the weighted colors, the
  /// result is `c / w` where `w` is 1, and what a wider blur gives where `w` is 0: from the widest to
  /// the narrowest, `C ← c + (1 − w) C` and `W ← w + (1 − w) W`; in the end `C / W`.
  private mutating func surroundings(
    of seen: Surface, _ color: Color, scales: FillScales
  ) -> Surface {
    let colors = weighted(original, by: seen)
    var fill = constant(color, weight: Planner.fallbackWeight, beside: seen)
    var weight = colorMatrix(
      seen, ColorMatrix(scale: 0, offset: SIMD3(repeating: Planner.fallbackWeight)))
    for sigma in scales.sigmas {
      let (x, y) = (sigma / pitch.x, sigma / pitch.y)
      let near = gaussian(colors, x: x, y: y)
      let share = gaussian(seen, x: x, y: y)
      let rest = colorMatrix(share, ColorMatrix(scale: -1, offset: SIMD3(repeating: 1)))
      fill = plusLighter(near, weighted(fill, by: rest))
      weight = plusLighter(share, weighted(weight, by: rest))
    }
    // A fill is made up; how exactly its blurs are Gaussians matters to nobody.
    return divide(fill, by: weight, least: 0.5).withKernelsAsModel
  }

  /// One color everywhere, premultiplied by a weight; made from a gray picture, and so from nothing
  /// of the original.
  private mutating func constant(
    _ color: Color, weight: Double, beside gray: Surface
  ) -> Surface {
    let color = working(color)
    guard original.layout.hasAlpha, weight < 1 else {
      return colorMatrix(gray, ColorMatrix(scale: 0, offset: color * weight))
    }
    var matrix = ColorMatrix(scale: 0, offset: color)
    matrix.opacity = Float(weight)
    return colorMatrix(gray, matrix)
  }
}

/// The standard deviations of the blurs that a fill is made of, from the widest to the narrowest.
struct FillScales {
  let sigmas: [Double]

  private static let ratio = 3.0

  /// - Parameter shown: what is to be filled. The narrowest blur reaches well into the smallest
  ///   shape, the widest far beyond the middle of the largest.
  init(_ shown: Coverage, _ picture: Rect) {
    let parts =
      shown.isInverted
      ? [shown.part(above: 0, of: picture)]
      : shown.shapes.map { $0.part(above: 0, of: picture) }
    let depths = parts.compactMap { $0?.depth(in: picture) }
    guard let least = depths.min(), let most = depths.max() else {
      sigmas = []
      return
    }
    var sigma = max(least / 6, 0.5)
    var sigmas: [Double] = []
    while sigma < FillScales.ratio * most {
      sigmas.append(min(sigma, Sigma.range.upperBound))
      if sigma >= Sigma.range.upperBound { break }
      sigma *= FillScales.ratio
    }
    self.sigmas = sigmas.reversed()
  }
}

extension Rect {
  /// How far its pixels are from the rest of a picture, at most. What reaches from border to border
  /// both ways may have holes; then half the shorter side is as good as any.
  fileprivate func depth(in picture: Rect) -> Double {
    let depths = [(columns, picture.columns), (rows, picture.rows)].compactMap { part, whole in
      let sides =
        (part.lowerBound > whole.lowerBound ? 1 : 0) + (part.upperBound < whole.upperBound ? 1 : 0)
      return sides == 0 ? nil : Double(part.count) / Double(sides)
    }
    return depths.min() ?? Double(size.shorterSide) / 2
  }
}
