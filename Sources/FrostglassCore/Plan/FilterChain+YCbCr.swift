extension FilterChain {
  /// Decides everything that will happen to a picture in planes.
  ///
  /// The filters work on the picture in red, green and blue, limited to 0…1: colors that planes can
  /// hold and screens cannot show become the nearest. What a chain leaves as it is comes back in the
  /// planes it came from within a level, where its colors are inside 0…1.
  ///
  /// A redaction hides up to three pixels more to each side where there are fewer color differences
  /// than pixels: these are part of the colors around what is hidden.
  ///
  /// - Parameters:
  ///   - size: of the picture; both sides at least 1.
  ///   - background: what a result with alpha is composed on, as planes have none.
  /// - Throws: `PlanError.badValue` when a side is below 1 or a parameter is out of range for this
  ///   picture.
  public func plan(
    for format: YCbCrFormat, size: Size, options: PlanOptions = PlanOptions(),
    background: Color = .white
  ) throws(PlanError) -> YCbCrPlan {
    guard size.width >= 1, size.height >= 1 else {
      throw .badValue(
        filter: "planes", parameter: "size", value: "\(size)", accepted: "at least 1×1")
    }
    let options = try options.hidingColors(of: format, size)
    let between = YCbCrPlan.picture(of: size)
    guard options.linearLight else {
      let plan = try picture(of: format, size, options, background)
      return YCbCrPlan(size: size, format: format, toPicture: [plan])
    }
    // Curves are part of loading and storing: colors have to be there before.
    let colors = try FilterChain([]).picture(
      of: format, size, PlanOptions(quality: options.quality), background)
    let chain = try plan(for: between, options: options)
    return YCbCrPlan(
      size: size, format: format,
      toPicture: [colors, chain.storing(as: between.format, on: background)])
  }

  /// From the planes to the filtered picture, in one plan.
  private func picture(
    of format: YCbCrFormat, _ size: Size, _ options: PlanOptions, _ background: Color
  ) throws(PlanError) -> Plan {
    let masking = try masking(of: size, options)
    let inputs = format.planes(of: size)
    let between = YCbCrPlan.picture(of: size).format
    let search = PlanSearch(options.quality, from: startingPrecision(format.bits.depth, options))
    return try search.best { tightness throws(PlanError) in
      var planner = Planner(size: size, inputs: inputs, options: options, tightness)
      planner.restart(from: planner.picture(of: format))
      let surface = try surface(with: &planner, showing: masking)
      return planner.finish(
        surface, format: PixelFormat(surface.layout, between.depth), alpha: .straight
      ).storing(as: between, on: background)
    }.plan
  }
}

extension PlanOptions {
  /// The same with a redaction that also hides every pixel whose color depends on a sample that
  /// serves a hidden one.
  ///
  /// Such a sample is part of pixels up to two columns and two rows away, which is under three pixels
  /// along a diagonal.
  fileprivate func hidingColors(
    of format: YCbCrFormat, _ size: Size
  ) throws(PlanError) -> PlanOptions {
    guard let mask, mask.redaction != nil, format.sampling != .none else { return self }
    let accepted = 0.0...100_000
    let grow = try mask.grow.pixels(
      for: size, scale: scale, in: accepted, filter: "redaction", parameter: "grow")
    var options = self
    options.mask?.grow = Length(min(grow + 3, accepted.upperBound))
    return options
  }
}
