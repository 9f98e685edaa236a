// Images from planes of brightness and color differences, and back.
extension Planner {
  /// The image in red, green and blue whose planes are the planner's inputs.
  ///
  /// Between samples of the color differences it is linear; beyond the outermost they go on as they
  /// are.
  mutating func picture(of format: YCbCrFormat) -> Surface {
    let luma = plane(0, of: format)
    var chroma = differences(of: format)
    // Twice as many columns at a time: from a quarter by way of half.
    for step in format.halvings.reversed() {
      chroma = resample(
        chroma.clamped(to: step.small(of: size)),
        x: step.x ? ChromaKernel.growing(format.siting.x) : .identity,
        y: step.y ? ChromaKernel.growing(format.siting.y) : .identity)
    }
    return colorMatrix(packChannels(luma, with: chroma), format.toColors)
  }

  /// One plane, made of the image in red, green and blue that is the planner's only input; the
  /// planner's size is that of the plane.
  mutating func plane(_ index: Int, from format: YCbCrFormat) -> Surface {
    let picture = load(0).extended(x: nil, y: nil)
    guard index > 0 else { return component(0, of: picture, format) }
    let small = shrunk(picture, format)
    guard format.arrangement == .interleaved else { return component(index, of: small, format) }
    return interleaved(component(1, of: small, format), component(2, of: small, format))
  }

  /// A loaded plane, as fractions of the largest code.
  private mutating func plane(_ index: Int, of format: YCbCrFormat) -> Surface {
    load(index, bits: format.bits.inWords).extended(x: nil, y: nil)
  }

  /// Blue and red differences, as red and green of one image.
  private mutating func differences(of format: YCbCrFormat) -> Surface {
    let first = plane(1, of: format)
    guard format.arrangement == .interleaved else {
      return packChannels(first, with: plane(2, of: format))
    }
    let blue = resample(first, x: ChromaKernel.picking(0), y: .identity)
    return packChannels(blue, with: resample(first, x: ChromaKernel.picking(1), y: .identity))
  }

  /// Brightness, blue or red difference of every pixel.
  private mutating func component(
    _ index: Int, of picture: Surface, _ format: YCbCrFormat
  ) -> Surface {
    let row = format.fromColors[index]
    let matrix = ColorMatrix(rows: [row, row, row])
    return append(
      .colorMatrix(matrix), [picture.source], layout: .gray,
      error: picture.error.scaled(by: matrix.gain(hasAlpha: false))
        + CertifiedError(arithmetic: Arithmetic.colorMatrix(matrix, isGray: true, precision)))
  }

  /// An image with as many pixels as there are samples of the color differences. As both are sums,
  /// they may as well be taken of fewer pixels.
  private mutating func shrunk(_ picture: Surface, _ format: YCbCrFormat) -> Surface {
    var small = picture
    for step in format.halvings {
      let x = step.x ? ChromaKernel.shrinking(format.siting.x) : .identity
      let y = step.y ? ChromaKernel.shrinking(format.siting.y) : .identity
      small = append(
        .resample(Resample(x: x, y: y)), [small.clamped(to: step.large(of: inputs[0].size)).source],
        layout: picture.layout,
        error: small.error.scaled(by: x.gain * y.gain)
          + CertifiedError(arithmetic: Arithmetic.resample(x: x, y: y, precision)))
      // Beside edges of color it goes beyond 0…1, and the differences need it there.
      raisePrecision(of: small, to: .float32)
    }
    return small
  }

  /// Returns a row of twice the length in which the samples of both are interleaved.
  fileprivate mutating func interleaved(_ first: Surface, _ second: Surface) -> Surface {
    plusLighter(
      resample(first, x: ChromaKernel.spreading(odd: false), y: .identity),
      resample(second, x: ChromaKernel.spreading(odd: true), y: .identity))
  }

  /// Puts a gray image in front of another's channels.
  private mutating func packChannels(_ gray: Surface, with rest: Surface) -> Surface {
    append(
      .packChannels(PackChannels()), [gray.source, rest.source], layout: .rgb,
      error: gray.error.worst(rest.error) + stored)
  }
}

extension Plan {
  /// One plane of an image in red, green and blue.
  ///
  /// - Parameter parts: the parts of the plane that are made from the image; the rest comes from the plane itself, a
  ///   second input. `nil` is all of it.
  package init(
    plane index: Int, of format: YCbCrFormat, from picture: Input, in parts: [Rect]? = nil
  ) {
    let plane = format.planes(of: picture.size)[index]
    var planner = Planner(
      size: plane.size, inputs: parts == nil ? [picture] : [picture, plane], options: PlanOptions(),
      PlanSearch.Tightness(budget: 0, precision: format.bits == .eight ? .fixed16 : .float32))
    var made = planner.plane(index, from: format)
    if let parts {
      let kept = planner.load(1, bits: format.bits.inWords).extended(x: nil, y: nil)
      made = planner.masked(kept, made, by: Coverage(parts.map { CoverageShape($0) }))
    }
    self = planner.finish(
      made, format: plane.format, alpha: plane.alpha, bits: format.bits.inWords)
  }
}

extension CoverageShape {
  /// Whole pixels.
  fileprivate init(_ rect: Rect) {
    self.init(
      .rectangle(
        RoundedRectangle(
          left: Double(rect.x), top: Double(rect.y), right: Double(rect.columns.upperBound),
          bottom: Double(rect.rows.upperBound))), feather: 0)
  }
}

extension YCbCrFormat {
  /// Samples of a plane that pixels of a part of the image have a share in, and some more: shrinking the
  /// differences reads two samples of each scale to each side, which for 4:1:1 is six pixels.
  func samples(ofPlane index: Int, near part: Rect, of size: Size) -> Rect {
    let plane = Rect(planes(of: size)[index].size)
    guard index > 0 else { return part.intersection(plane) }
    let reach = 8
    let (columns, rows) = (part.columns.expanded(by: reach), part.rows.expanded(by: reach))
    let repeats = arrangement == .interleaved ? 2 : 1
    func samples(_ pixels: Range<Int>, _ pitch: Int) -> Range<Int> {
      floorDivide(pixels.lowerBound, pitch)..<floorDivide(pixels.upperBound - 1, pitch) + 1
    }
    let across = samples(columns, sampling.columns)
    return Rect(
      columns: repeats * across.lowerBound..<repeats * across.upperBound,
      rows: samples(rows, sampling.rows)
    ).intersection(plane)
  }

  /// One of the steps from pixels to the samples of color differences: half as many along an axis.
  fileprivate struct Halving {
    let x: Bool
    let y: Bool
    /// Pixels of a row that a sample serves after this step.
    let columns: Int

    /// Returns the number of samples after this step.
    func small(of size: Size) -> Size {
      Size(
        width: (size.width + columns - 1) / columns, height: y ? (size.height + 1) / 2 : size.height
      )
    }

    /// Returns the number of samples before this step.
    func large(of size: Size) -> Size {
      let before = x ? columns / 2 : columns
      return Size(width: (size.width + before - 1) / before, height: size.height)
    }
  }

  /// None for 4:4:4, two for 4:1:1, one otherwise.
  fileprivate var halvings: [Halving] {
    switch sampling {
    case .none: []
    case .both, .columns: [Halving(x: true, y: sampling == .both, columns: 2)]
    case .quarterColumns:
      [Halving(x: true, y: false, columns: 2), Halving(x: true, y: false, columns: 4)]
    }
  }
}

extension Surface {
  /// Returns the same image, of a size, with its border pixels continued outward.
  fileprivate func clamped(to size: Size) -> Surface {
    extended(x: AxisEdge(.clamp, 0..<size.width), y: AxisEdge(.clamp, 0..<size.height))
  }
}

extension Polyphase {
  /// The largest factor by which an error in the source is multiplied: the largest sum of magnitudes.
  var gain: Double {
    phases.map { $0.taps.reduce(0) { $0 + Double(abs($1)) } }.max() ?? 1
  }
}

extension FilterChain {
  /// Decides everything that will happen to an image in planes.
  ///
  /// Blurs that do not mix channels work on each plane alone, see `worksOnPlanes`: outside a mask
  /// not a byte changes. All other filters work on the image in red, green and blue, limited to
  /// 0…1: colors that planes can hold and screens cannot show become the nearest, and what a chain
  /// leaves as it is comes back in the planes it came from within a level, where its colors are
  /// inside 0…1.
  ///
  /// A redaction hides up to three pixels more to each side (seven for 4:1:1) where there are fewer
  /// color differences than pixels: these are part of the colors around what is hidden.
  ///
  /// - Parameters:
  ///   - size: the size of the image; both sides at least 1.
  ///   - background: the color behind a result with alpha, as planes have none.
  /// - Throws: `PlanError.badValue` when a side is below 1 or a parameter is out of range for this
  ///   image.
  public func plan(
    for format: YCbCrFormat, size: Size, options: PlanOptions = PlanOptions(),
    background: Color = .white
  ) throws(PlanError) -> YCbCrPlan {
    try size.check(of: "planes")
    return worksOnPlanes(of: format, size, options)
      ? try planByPlanes(for: format, size: size, options: options)
      : try planByColors(for: format, size: size, options: options, background: background)
  }

  /// The plan for an image in planes by way of its colors, whatever the filters.
  package func planByColors(
    for format: YCbCrFormat, size: Size, options: PlanOptions = PlanOptions(),
    background: Color = .white
  ) throws(PlanError) -> YCbCrPlan {
    let options = try options.hidingColors(of: format, size)
    let between = YCbCrPlan.picture(of: size)
    // What a mask leaves alone is left in the planes as it was; apart by what makes one plane's samples.
    var changed: [Rect]?
    if options.mask?.use != .scale, let masking = try masking(of: size, options) {
      changed = masking.shown.islands(of: Rect(size), margin: 24, most: 12).map(\.whole)
    }
    guard options.linearLight else {
      let plan = try picture(of: format, size, options, background)
      return YCbCrPlan(size: size, format: format, toImage: [plan], changed: changed)
    }
    // Transfer curves are part of loading and storing, so colors must be converted before.
    let colors = try FilterChain([]).picture(
      of: format, size, PlanOptions(quality: options.quality), background)
    let chain = try plan(for: between, options: options)
    return YCbCrPlan(
      size: size, format: format,
      toImage: [colors, chain.storing(as: between.format, on: background)], changed: changed)
  }

  /// From the planes to the filtered image, in one plan.
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

// Chains that work on each plane alone.
extension FilterChain {
  /// Returns true if every filter makes each plane from that plane alone, as it does with each color. Blurring planes
  /// then equals blurring colors, as colors are weighted sums of planes.
  ///
  /// Blurs in linear light and those that see nothing beyond the border need colors. An edge mode that repeats the
  /// image does so alike in all planes only where no side is rounded up; one that mirrors it at the border pixels does
  /// only where all planes are of the same size.
  package func worksOnPlanes(
    of format: YCbCrFormat, _ size: Size, _ options: PlanOptions
  ) -> Bool {
    guard !options.linearLight, options.mask.map({ $0.use == .show }) ?? true else { return false }
    let isRounded =
      size.width % format.sampling.columns != 0 || size.height % format.sampling.rows != 0
    return primitives.allSatisfy { filter in
      guard let filter = filter as? any PlaneFilter else { return false }
      switch filter.edge ?? options.edge {
      case .clamp, .mirror: return true
      case .reflect101: return format.sampling == .none
      case .wrap: return !isRounded
      case .transparent: return false
      }
    }
  }

  private func planByPlanes(
    for format: YCbCrFormat, size: Size, options: PlanOptions
  ) throws(PlanError) -> YCbCrPlan {
    let options = try options.hidingColors(of: format, size)
    let masking = try masking(of: size, options)
    var plans: [Plan] = []
    var parts: [[Rect]] = []
    for index in format.planes(of: size).indices {
      let plan = try plan(forPlane: index, of: format, size, options, masking)
      plans.append(plan)
      // Loading and storing alone change nothing.
      let shown = masking.flatMap { plan.part($0.shown, of: index, in: format, size) }
      let part = plan.steps.count == 2 ? nil : masking == nil ? plan.result.rect : shown
      parts.append(part.map { [$0] } ?? [])
    }
    return YCbCrPlan(size: size, format: format, toPlanes: plans, parts: parts)
  }

  /// Returns the chain's plan for one plane.
  private func plan(
    forPlane index: Int, of format: YCbCrFormat, _ size: Size, _ options: PlanOptions,
    _ masking: Masking?
  ) throws(PlanError) -> Plan {
    let plane = format.planes(of: size)[index]
    let components = SampledPlane.components(of: index, in: format, size)
    let hasAllBits = format.bits == .sixteen
    var precision = startingPrecision(plane.format.depth, options)
    // Fixed point keeps 15 of 16 bits: too few for samples that must not change.
    if hasAllBits, masking != nil || primitives.isEmpty { precision = .float32 }
    let search = PlanSearch(options.quality, from: precision)
    return try search.best { tightness throws(PlanError) in
      var planner = Planner(
        size: index == 0 ? size : format.chromaSize(of: size), inputs: [plane], options: options,
        tightness)
      let loaded = planner.load(0, bits: format.bits.inWords).extended(x: nil, y: nil)
      var made: [Surface] = []
      for (place, component) in components.enumerated() {
        planner.plane = component
        let isAlone = components.count == 1
        planner.restart(
          from: isAlone
            ? loaded : planner.resample(loaded, x: ChromaKernel.picking(place), y: .identity))
        made.append(try surface(with: &planner, showing: masking?.sampled(component)))
        // An unchanged plane must keep all of its bits.
        if hasAllBits, made[place].slot == planner.original.slot {
          planner.raisePrecision(of: loaded, to: .float32)
        }
      }
      let whole = made.count == 1 ? made[0] : planner.interleaved(made[0], made[1])
      return planner.finish(
        whole, format: plane.format, alpha: plane.alpha, rect: Rect(plane.size),
        bits: format.bits.inWords)
    }.plan
  }
}

extension Plan {
  /// The part of a plane that a mask covers.
  fileprivate func part(
    _ shown: Coverage, of index: Int, in format: YCbCrFormat, _ size: Size
  ) -> Rect? {
    let components = SampledPlane.components(of: index, in: format, size)
    let repeats = components.count
    let samples = Size(width: result.rect.width / repeats, height: result.rect.height)
    return shown.sampled(components[0], .mean).part(above: 0, of: Rect(samples)).map {
      Rect(
        columns: repeats * $0.columns.lowerBound..<repeats * $0.columns.upperBound, rows: $0.rows)
    }
  }
}

extension SampledPlane {
  /// Returns the components that a plane of a format holds: one, or two interleaved.
  fileprivate static func components(
    of index: Int, in format: YCbCrFormat, _ size: Size
  ) -> [SampledPlane] {
    let components = index == 1 && format.arrangement == .interleaved ? [1, 2] : [index]
    return components.map { SampledPlane($0, of: format, size) }
  }
}

extension PlanOptions {
  /// Returns the options with a redaction that also hides every pixel whose color depends on a sample of a hidden
  /// pixel.
  ///
  /// Such a sample is part of pixels up to two columns and two rows away, which is under three pixels
  /// along a diagonal; of 4:1:1, up to six columns.
  fileprivate func hidingColors(
    of format: YCbCrFormat, _ size: Size
  ) throws(PlanError) -> PlanOptions {
    guard let mask, mask.redaction != nil, format.sampling != .none else { return self }
    let accepted = 0.0...100_000
    let grow = try mask.grow.pixels(
      for: size, scale: scale, in: accepted, filter: "redaction", parameter: "grow")
    var options = self
    let reach = format.sampling == .quarterColumns ? 7.0 : 3
    options.mask?.grow = Length(min(grow + reach, accepted.upperBound))
    return options
  }
}
