// Pictures put together.
extension Planner {
  /// Mixes two pictures: 0 gives the first, 1 the second. The result has the channels of both.
  public mutating func mix(_ first: Surface, _ second: Surface, amount: Double) -> Surface {
    blend(
      .mix(Float(amount)), first, second,
      error: first.error.scaled(by: 1 - amount) + second.error.scaled(by: amount))
  }

  /// Shows the second picture through a mask, over the first.
  ///
  /// Each is computed only where it shows.
  package mutating func masked(
    _ first: Surface, _ second: Surface, by coverage: Coverage
  ) -> Surface {
    let covered = coverage.part(above: 0, of: picture)
    let uncovered = coverage.part(below: 1, of: picture)
    guard let covered else { return first }
    guard let uncovered else { return second }
    return masked(
      first, second, by: generate(.coverage(coverage)),
      firstPart: uncovered == picture ? nil : uncovered,
      secondPart: covered == picture ? nil : covered)
  }

  /// Shows the second picture through a gray one, over the first; each only in its part, if it has one.
  mutating func masked(
    _ first: Surface, _ second: Surface, by mask: Surface, firstPart: Rect? = nil,
    secondPart: Rect? = nil
  ) -> Surface {
    // The mask is stored with the same steps as everything else.
    append(
      .blend(Blend(.masked, firstPart: firstPart, secondPart: secondPart)),
      [first.source, second.source, mask.source], layout: max(first.layout, second.layout),
      error: first.error.worst(second.error) + mask.error + shared)
  }

  /// A chain's result as its mask shows it, over the picture the chain began with.
  mutating func shown(_ surface: Surface, by coverage: Coverage) -> Surface {
    switch options.mask?.use {
    case .scale, nil: surface
    case .show: masked(original, surface, by: coverage)
    case .confine: masked(original, normalized(surface, like: original), by: coverage)
    }
  }

  /// Lays the first picture over the second.
  public mutating func over(_ top: Surface, _ bottom: Surface) -> Surface {
    // The bottom's color counts with what the top lets through, and errs with the top's alpha.
    let error = top.error.scaled(by: top.layout.hasAlpha ? 2 : 1) + bottom.error
    return blend(.over, top, bottom, error: error)
  }

  /// Multiplies each channel, alpha too, by a gray picture.
  public mutating func multiply(_ surface: Surface, by gray: Surface) -> Surface {
    // Alpha keeps the weight, on gray pictures too.
    blend(.multiply, surface, gray, layout: .rgba, error: surface.error + gray.error)
  }

  /// Multiplies each channel there is by a gray picture: an opaque picture becomes weighted colors
  /// without an alpha of their own.
  mutating func weighted(_ surface: Surface, by gray: Surface) -> Surface {
    blend(.multiply, surface, gray, layout: surface.layout, error: surface.error + gray.error)
  }

  /// Divides each channel by a gray picture, which was multiplied with it before both were blurred.
  ///
  /// - Parameter least: the smallest divisor that matters; errors grow by what it divides.
  package mutating func divide(
    _ surface: Surface, by gray: Surface, least: Double
  ) -> Surface {
    blend(
      .divide, surface, gray, layout: surface.layout,
      error: (surface.error + gray.error).scaled(by: 1 / least))
  }

  /// Gives the color of the first picture the alpha of the second: what was weighted by a mask and
  /// blurred becomes a mean of what the mask covers.
  ///
  /// The error of a mean holds where at least a quarter of the weight is covered, as in a mask's corner.
  ///
  /// Samples picked by rank may have any weight at all, wherever a mask has corners or soft edges: down to where
  /// rounding takes as much of it as is there. Under a sixteenth, the second image makes up for what is missing. So the
  /// error holds everywhere: color and weight are off by as much each, and both are divided by a sixteenth at least.
  package mutating func normalized(_ surface: Surface, like second: Surface) -> Surface {
    guard isPicked(surface) else {
      return blend(
        .normalize, surface, second, layout: second.layout,
        error: surface.error.scaled(by: 4) + second.error)
    }
    let share = 1.0 / 16
    return blend(
      .normalizeAbove(Float(share)), surface, second, layout: second.layout,
      error: surface.error.scaled(by: 2 / share) + second.error)
  }

  /// Returns true if a step on the way to an image picks one of several samples and ignores the others.
  private func isPicked(_ surface: Surface) -> Bool {
    var read: Set<Int> = [surface.slot]
    for step in steps.reversed() {
      guard let target = step.target, read.contains(target) else { continue }
      if case .median = step.pass { return true }
      read.formUnion(step.sources.map(\.slot))
    }
    return false
  }

  /// Adds two pictures, limited to 1.
  package mutating func plusLighter(_ first: Surface, _ second: Surface) -> Surface {
    blend(.plusLighter, first, second, error: first.error + second.error)
  }

  /// A picture made of numbers alone.
  mutating func generate(_ content: Generate.Content) -> Surface {
    let generate = Generate(content)
    return append(.generate(generate), [], layout: generate.layout, error: stored)
  }

  private mutating func blend(
    _ mode: Blend.Mode, _ first: Surface, _ second: Surface, layout: PixelFormat.Layout? = nil,
    error: CertifiedError
  ) -> Surface {
    let rounding =
      switch mode {
      case .mix, .masked, .over, .multiply: shared
      case .divide, .normalize, .normalizeAbove, .plusLighter: stored
      }
    return append(
      .blend(Blend(mode)), [first.source, second.source],
      layout: layout ?? max(first.layout, second.layout), error: error + rounding)
  }
}
