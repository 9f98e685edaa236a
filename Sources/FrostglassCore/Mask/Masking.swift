internal import Glibc

/// A mask for one picture, in pixels.
struct Masking {
  /// Where the chain shows.
  var shown: Coverage
  /// What a redaction sees of the picture: all that is not covered at all.
  var kept: Coverage?
}

extension Mask {
  /// The mask for a picture.
  ///
  /// - Throws: `PlanError.badValue` for lengths out of range, for what cannot be redacted, and when
  ///   the mask covers nothing.
  func masking(of size: Size, scale: Double) throws(PlanError) -> Masking {
    guard redaction != nil else { return Masking(shown: try coverage(of: size, scale: scale)) }
    // Says what is wrong with the lengths, or that nothing is covered.
    _ = try coverage(of: size, scale: scale)
    let feather = try self.feather.pixels(
      for: size, scale: scale, in: 0...100_000, filter: "redaction", parameter: "feather")
    let grow = try self.grow.pixels(
      for: size, scale: scale, in: 0...100_000, filter: "redaction", parameter: "grow")
    guard use == .show else {
      throw .badValue(
        filter: "redaction", parameter: "mask use", value: use.rawValue,
        accepted: "show; a redaction sees only what is not covered")
    }
    var kept: [CoverageShape] = []
    var shown: [CoverageShape] = []
    for shape in shapes {
      let outline = try decided(shape).outline(in: size, scale: scale)
      if case .ramp = outline {
        throw .badValue(
          filter: "redaction", parameter: "region", value: "a gradient",
          accepted: "a shape or a mask; a gradient would leave a part visible")
      }
      kept.append(hidden(outline, grow: grow, feather: 0, extra: 0.25))
      shown.append(hidden(outline, grow: grow, feather: feather, extra: 1.26))
    }
    return Masking(
      shown: Coverage(shown, isInverted: isInverted),
      kept: Coverage(kept, isInverted: isInverted).untouched)
  }

  /// A mask with only 0 and 1, before it is stretched: nothing in it may be lost between samples.
  private func decided(_ shape: MaskShape) -> MaskShape {
    guard case .picture(let picture) = shape else { return shape }
    return .picture(picture.decided(byAll: isInverted))
  }

  /// A shape moved outward by `grow` and by `extra`.
  ///
  /// A shape covers something of the pixels whose centers are nearer than half a pixel. A pixel can
  /// have a corner in a shape and its center 0.71 away: so what is hidden reaches a quarter farther,
  /// and what is shown one more pixel, where all that is hidden is covered wholly. Upright
  /// rectangles are on whole pixels instead, so that nothing lies between.
  private func hidden(
    _ outline: CoverageShape.Outline, grow: Double, feather: Double, extra: Double
  ) -> CoverageShape {
    // What is inverted grows where its shapes shrink, and is feathered into them.
    let inward = feather >= 1 ? feather : 0
    let moved = isInverted ? -(grow + extra + inward) : grow + extra
    switch outline {
    case .rectangle(let box) where box.radius == 0:
      let direction = isInverted ? -1.0 : 1
      let amount = grow.rounded(.up) + (isInverted ? inward.rounded(.up) : 0)
      return CoverageShape(
        .rectangle(box.onWholePixels(outward: direction, amount)), feather: feather)
    case .picture(let picture):
      // Decided again, as stretching has mixed samples.
      return CoverageShape(
        .picture(picture.decided(byAll: isInverted).moved(outward: moved, feather: feather)))
    default:
      return CoverageShape(outline, feather: feather, grow: moved)
    }
  }
}

extension RoundedRectangle {
  /// Moved to whole pixels and by a whole number of them, outward (1) or inward (-1).
  fileprivate func onWholePixels(outward direction: Double, _ amount: Double) -> RoundedRectangle {
    func low(_ value: Double) -> Double {
      (value * direction).rounded(.down) * direction - amount * direction
    }
    func high(_ value: Double) -> Double {
      (value * direction).rounded(.up) * direction + amount * direction
    }
    return RoundedRectangle(
      left: low(left), top: low(top), right: high(right), bottom: high(bottom))
  }
}

extension MaskPicture {
  /// Each sample 0 or 1: 1 where there is anything, or only where there is all.
  fileprivate func decided(byAll: Bool) -> MaskPicture {
    MaskPicture(
      size: size, samples: samples.map { (byAll ? $0 == 65535 : $0 > 0) ? 65535 : 0 })
  }
}
