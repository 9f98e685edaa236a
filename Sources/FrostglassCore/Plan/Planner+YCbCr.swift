// Pictures from planes of brightness and color differences, and back.
extension Planner {
  /// The picture in red, green and blue whose planes are the planner's inputs.
  ///
  /// Between samples of the color differences it is linear; beyond the outermost they go on as they
  /// are.
  mutating func picture(of format: YCbCrFormat) -> Surface {
    let luma = plane(0, of: format)
    var chroma = differences(of: format)
    let (columns, rows) = (format.sampling.halvesColumns, format.sampling.halvesRows)
    if columns || rows {
      chroma = resample(
        chroma.clamped(to: format.chromaSize(of: size)),
        x: columns ? ChromaKernel.growing(format.siting.x) : .identity,
        y: rows ? ChromaKernel.growing(format.siting.y) : .identity)
    }
    return colorMatrix(packChannels(luma, with: chroma), format.toColors)
  }

  /// One plane, made of the picture in red, green and blue that is the planner's only input; the
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
    let loaded = load(index).extended(x: nil, y: nil)
    let fill = format.bits.fill
    guard fill < 1 else { return loaded }
    // What fills a small part of the words would have too few steps in fixed point.
    raisePrecision(of: loaded, to: .float32)
    let error = CertifiedError(arithmetic: Arithmetic.store(.float32) / fill)
    return append(
      .colorMatrix(ColorMatrix(scale: 1 / fill)), [loaded.source], layout: .gray,
      error: error + stored)
  }

  /// Blue and red differences, as red and green of one picture.
  private mutating func differences(of format: YCbCrFormat) -> Surface {
    let first = plane(1, of: format)
    guard format.arrangement == .interleaved else {
      return packChannels(first, with: plane(2, of: format))
    }
    let blue = resample(first, x: ChromaKernel.picking(0), y: .identity)
    return packChannels(blue, with: resample(first, x: ChromaKernel.picking(1), y: .identity))
  }

  /// Brightness, blue or red difference of every pixel, as words hold it.
  private mutating func component(
    _ index: Int, of picture: Surface, _ format: YCbCrFormat
  ) -> Surface {
    let row = format.fromColors[index]
    var matrix = ColorMatrix(rows: [row, row, row])
    // Limited to the largest code before it becomes a fraction of what words can hold.
    matrix.opacity = Float(format.bits.fill)
    return append(
      .colorMatrix(matrix), [picture.source], layout: .gray,
      error: picture.error.scaled(by: matrix.gain(hasAlpha: false)) + stored)
  }

  /// A picture with as many pixels as there are samples of the color differences. As both are sums,
  /// they may as well be taken of fewer pixels.
  private mutating func shrunk(_ picture: Surface, _ format: YCbCrFormat) -> Surface {
    let (columns, rows) = (format.sampling.halvesColumns, format.sampling.halvesRows)
    guard columns || rows else { return picture }
    let x = columns ? ChromaKernel.shrinking(format.siting.x) : .identity
    let y = rows ? ChromaKernel.shrinking(format.siting.y) : .identity
    let small = append(
      .resample(Resample(x: x, y: y)), [picture.clamped(to: inputs[0].size).source],
      layout: picture.layout,
      error: picture.error.scaled(by: x.gain * y.gain)
        + CertifiedError(arithmetic: Arithmetic.resample(x: x, y: y, precision)))
    // Beside edges of color it goes beyond 0…1, and the differences need it there.
    raisePrecision(of: small, to: .float32)
    return small
  }

  /// A row of twice the length in which samples of both take turns.
  private mutating func interleaved(_ first: Surface, _ second: Surface) -> Surface {
    plusLighter(
      resample(first, x: ChromaKernel.spreading(odd: false), y: .identity),
      resample(second, x: ChromaKernel.spreading(odd: true), y: .identity))
  }

  /// Puts a gray picture in front of another's channels.
  private mutating func packChannels(_ gray: Surface, with rest: Surface) -> Surface {
    append(
      .packChannels(PackChannels()), [gray.source, rest.source], layout: .rgb,
      error: gray.error.worst(rest.error) + stored)
  }
}

extension Plan {
  /// One plane of a picture in red, green and blue.
  init(plane index: Int, of format: YCbCrFormat, from picture: Input) {
    let plane = format.planes(of: picture.size)[index]
    var planner = Planner(
      size: plane.size, inputs: [picture], options: PlanOptions(),
      PlanSearch.Tightness(budget: 0, precision: format.bits == .eight ? .fixed16 : .float32))
    let made = planner.plane(index, from: format)
    self = planner.finish(made, format: plane.format, alpha: plane.alpha)
  }
}

extension Surface {
  /// The same picture, of a size, that goes on beyond its border as it is there.
  fileprivate func clamped(to size: Size) -> Surface {
    extended(x: AxisEdge(.clamp, 0..<size.width), y: AxisEdge(.clamp, 0..<size.height))
  }
}

extension Polyphase {
  /// What an error in the source can at most be multiplied by: the largest sum of magnitudes.
  fileprivate var gain: Double {
    phases.map { $0.taps.reduce(0) { $0 + Double(abs($1)) } }.max() ?? 1
  }
}

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
