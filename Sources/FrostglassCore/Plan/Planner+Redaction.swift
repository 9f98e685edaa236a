// Images without what a mask covers.
extension Planner {
  /// The original with another fill where a masking hides it.
  ///
  /// Nothing that is made here depends on a hidden pixel: they are multiplied by exactly 0 before
  /// anything else reads them, and where the fill is shown it is shown wholly.
  mutating func redacted(_ masking: Masking, by redaction: Redaction) -> Surface {
    guard let kept = masking.kept else { return original }
    guard redaction.fill == .surroundings else {
      let fill = constant(redaction.color, weight: 1, beside: generate(.coverage(kept)))
      return masked(original, fill, by: masking.shown)
    }
    var result = original
    for hole in FillHole.all(of: masking.shown, in: Rect(pixels)) {
      let fill = surroundings(of: hole, kept, redaction.color)
      result = masked(result, fill, by: masking.shown.only(hole.shapes))
    }
    return result
  }

  /// The weight of the fallback color, relative to pixels seen with full weight. Plans with it are in floats: 16 bits
  /// have nothing left where only this color counts.
  private static let fallbackWeight = 1.0 / 8192

  /// The image as it is around a hole, all over it.
  ///
  /// With `w` what a blur sees of the weights and `c` what it sees of the weighted colors, the
  /// result is `c / w` where `w` is 1, and what a wider blur gives where `w` is 0: from the widest to
  /// the narrowest, `C ← c + (1 − w) C` and `W ← w + (1 − w) W`; in the end `C / W`.
  ///
  /// Each blur is made, and laid over the wider ones, at the scale that is fine enough for it, and the
  /// quotient is grown to pixels once: so a hole costs little more than its area. A fill is made up;
  /// its blurs are what these steps do, and there is nothing truer to be near to.
  private mutating func surroundings(
    of hole: FillHole, _ kept: Coverage, _ color: Color
  ) -> Surface {
    let box = plane.flatMap { $0.samples(of: hole.seen, in: picture) } ?? hole.seen
    let edges = (x: AxisEdge(.transparent, box.columns), y: AxisEdge(.transparent, box.rows))
    // Samples at the border are made of pixels beside it, of which there are at most 7 for 4:1:1.
    let around = Rect(
      columns: hole.seen.columns.expanded(by: 8), rows: hole.seen.rows.expanded(by: 8))
    let near = kept.shapes(touching: around, of: Rect(pixels))
    let mask = generate(.coverage(kept.only(near)))
    let colors = weighted(original, by: mask).extended(x: edges.x, y: edges.y)
    let seen = mask.extended(x: edges.x, y: edges.y)
    var made: (fill: Surface, weight: Surface, blur: CoarseBlur)?
    for sigma in hole.sigmas {
      let blur = CoarseBlur(
        x: CoarseBlur.Axis(sigma / pitch.x), y: CoarseBlur.Axis(sigma / pitch.y))
      let near = blurred(shrunk(colors, for: blur), by: blur)
      let share = blurred(shrunk(seen, for: blur), by: blur)
      let rest = colorMatrix(share, ColorMatrix(scale: -1, offset: SIMD3(repeating: 1)))
      let fill =
        made.map { grown($0.fill, from: $0.blur, to: blur) }
        ?? constant(color, weight: Planner.fallbackWeight, beside: share)
      let weight =
        made.map { grown($0.weight, from: $0.blur, to: blur) }
        ?? colorMatrix(
          share, ColorMatrix(scale: 0, offset: SIMD3(repeating: Planner.fallbackWeight)))
      made = (
        plusLighter(near, weighted(fill, by: rest)), plusLighter(share, weighted(weight, by: rest)),
        blur
      )
    }
    guard let made else { return constant(color, weight: 1, beside: mask) }
    // Inside a hole the widest blur sees at least a hundredth of its weight, unless all is hidden.
    return grown(divide(made.fill, by: made.weight, least: 1.0 / 128), from: made.blur)
  }

  /// One color everywhere, premultiplied by a weight; made from a gray image, and so from nothing
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

/// The hole of shapes that touch and are filled together, and the part of the image that their fill is made of.
private struct FillHole {
  /// The indices of the coverage's shapes.
  let shapes: [Int]
  /// The standard deviations of the blurs that a fill is made of, in pixels, from the widest to the
  /// narrowest. The narrowest reaches well into the smallest shape, the widest far beyond the middle
  /// of the largest.
  let sigmas: [Double]
  /// Pixels that the fill looks at: as far around as the hole is half deep, which is three times the
  /// narrowest standard deviation of one shape.
  let seen: Rect

  private static let ratio = 3.0
  /// A margin is at least so wide, in pixels.
  private static let leastMargin = 8.0

  /// - Parameters:
  ///   - shown: the coverage that is to be filled.
  ///   - picture: the image's pixels.
  static func all(of shown: Coverage, in picture: Rect) -> [FillHole] {
    shown.islands(of: picture).map { FillHole($0, in: picture) }
  }

  private init(_ island: CoverageIsland, in picture: Rect) {
    shapes = island.shapes.sorted()
    let parts = island.parts
    let depths = parts.map { $0.depth(in: picture) }
    let (least, most) = (depths.min() ?? 0, depths.max() ?? 0)
    var sigma = max(least / 6, 0.5)
    var sigmas: [Double] = []
    while sigma < Self.ratio * most {
      sigmas.append(min(sigma, Sigma.range.upperBound))
      if sigma >= Sigma.range.upperBound { break }
      sigma *= Self.ratio
    }
    self.sigmas = sigmas.reversed()
    let margin = Int(max(most / 2, Self.leastMargin).rounded(.up))
    seen = Rect(
      columns: island.box.columns.expanded(by: margin),
      rows: island.box.rows.expanded(by: margin)
    ).intersection(picture)
  }
}

extension Rect {
  /// Returns the largest distance of its pixels from the rest of an image. A rectangle that reaches from border to
  /// border both ways may have holes; then half the shorter side is as good as any.
  fileprivate func depth(in picture: Rect) -> Double {
    let depths = [(columns, picture.columns), (rows, picture.rows)].compactMap { part, whole in
      let sides =
        (part.lowerBound > whole.lowerBound ? 1 : 0) + (part.upperBound < whole.upperBound ? 1 : 0)
      return sides == 0 ? nil : Double(part.count) / Double(sides)
    }
    return depths.min() ?? Double(size.shorterSide) / 2
  }
}
