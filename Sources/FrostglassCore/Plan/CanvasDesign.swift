internal import Glibc

/// Plans for an image on a canvas of another shape, before its own enlarged and blurred copy: for pixels of colors, or
/// for each plane separately.
package struct CanvasDesign: Sendable, Hashable {
  /// Pixels of the image, which need not be square.
  package var picture: Size
  /// Pixels of the canvas, which are.
  package var canvas: Size
  /// The rectangle of the image on the canvas.
  package var place: Rect
  /// The part of `place` that covers the canvas when it is enlarged, counted from its corner.
  package var cover: Rect
  /// The radius of the image's corners, in pixels of the canvas.
  package var radius: Double
  /// Blur of the copy, of the canvas.
  package var sigma: Sigma
  /// The darkness of the copy: 0 as the image, 1 black.
  package var dim: Double
  /// The saturation of the copy: 0 is gray, 1 as the image.
  package var saturation: Double
  /// The opacity of the image's shadow: 0 no shadow, 1 black.
  package var shadow: Double

  package init(
    picture: Size, canvas: Size, place: Rect, cover: Rect, radius: Double, sigma: Sigma,
    dim: Double, saturation: Double, shadow: Double
  ) {
    (self.picture, self.canvas, self.place, self.cover) = (picture, canvas, place, cover)
    (self.radius, self.sigma, self.dim) = (radius, sigma, dim)
    (self.saturation, self.shadow) = (saturation, shadow)
  }

  /// The plan for pixels of colors or gray; where they are transparent, the shadow and the copy show through.
  ///
  /// - Parameter input: the image, as large as `picture`; with alpha as large as on the canvas, as a sharp
  ///   scale of alpha leaves 0…1.
  /// - Throws: `PlanError.badValue` for a blur that is out of range for this canvas.
  package func plan(for input: Plan.Input) throws(PlanError) -> Plan {
    guard !input.format.layout.hasAlpha || picture == place.size else {
      throw .malformed("an image with alpha is scaled on a canvas")
    }
    return try PlanSearch(.high, from: .fixed16).best { tightness throws(PlanError) in
      var planner = Planner(
        size: canvas, inputs: [input], options: PlanOptions(edge: .mirror), tightness)
      let axis = SampledPlane.Axis.pixels(canvas)
      let made = try planner.canvas(self, planner.load(0), axis.x, axis.y, nil)
      return planner.finish(made, input: input)
    }.plan
  }

  /// The plan for one plane: from that of the image to that of the canvas.
  ///
  /// - Parameters:
  ///   - index: the index of the plane; brightness is 0.
  ///   - format: a format of planes that hold one component each.
  /// - Throws: `PlanError.badValue` for a blur that is out of range for this canvas.
  package func plan(forPlane index: Int, of format: YCbCrFormat) throws(PlanError) -> Plan {
    let (input, plane) = (format.planes(of: picture)[index], format.planes(of: canvas)[index])
    let component = SampledPlane(index, of: format, canvas)
    return try PlanSearch(.high, from: .fixed16).best { tightness throws(PlanError) in
      var planner = Planner(
        size: plane.size, inputs: [input], options: PlanOptions(edge: .mirror), tightness)
      planner.plane = component
      let made = try planner.canvas(
        self, planner.load(0, bits: format.bits.inWords), component.x, component.y, index)
      return planner.finish(
        made, format: plane.format, alpha: plane.alpha, rect: Rect(plane.size),
        bits: format.bits.inWords)
    }.plan
  }

  /// The position of the whole image if its part `cover` filled the canvas.
  fileprivate var enlarged: (x: Span, y: Span) {
    func span(_ canvas: Int, _ start: Int, _ part: Int, of whole: Int) -> Span {
      let scale = Double(canvas) / Double(part)
      return Span(start: -Double(start) * scale, length: Double(whole) * scale)
    }
    return (
      span(canvas.width, cover.x, cover.width, of: place.width),
      span(canvas.height, cover.y, cover.height, of: place.height)
    )
  }

  /// The position of the image on the canvas.
  fileprivate var placed: (x: Span, y: Span) {
    (
      Span(start: Double(place.x), length: Double(place.width)),
      Span(start: Double(place.y), length: Double(place.height))
    )
  }

  /// Returns the part of the canvas that the image covers, moved down by some pixels.
  fileprivate func coverage(down: Int = 0) -> Coverage {
    Coverage([
      CoverageShape(
        .rectangle(
          RoundedRectangle(
            left: Double(place.x), top: Double(place.y + down),
            right: Double(place.columns.upperBound), bottom: Double(place.rows.upperBound + down),
            radius: radius)))
    ])
  }

  /// Pixels of the canvas along one axis.
  fileprivate struct Span {
    var start: Double
    var length: Double

    /// Returns the blur of what lies here, in samples; there are as many samples here as pixels.
    ///
    /// - Parameter pixels: the pixels of the image that is placed here; its samples shrink by 48 at most at once.
    func blur(_ sigma: Double, of pixels: Int) -> CoarseBlur.Axis {
      let ratio = Double(pixels) / length
      var most = 0
      while most < CoarseBlur.mostLevels, ratio * Double(2 << most) <= 48 { most += 1 }
      // A triangle reaches to the next sample, of image or grid.
      return CoarseBlur.Axis(sigma, most: most, shrinking: 1.0 / 6)
    }
  }
}

extension Planner {
  /// The canvas.
  ///
  /// - Parameters:
  ///   - source: the loaded image, or a plane of it.
  ///   - x: samples of a row.
  ///   - y: samples of a column.
  ///   - component: brightness, blue or red difference, from 0; `nil` for colors.
  fileprivate mutating func canvas(
    _ design: CanvasDesign, _ source: Surface, _ x: SampledPlane.Axis, _ y: SampledPlane.Axis,
    _ component: Int?
  ) throws(PlanError) -> Surface {
    let source = source.extended(
      x: AxisEdge(.clamp, 0..<inputs[0].size.width), y: AxisEdge(.clamp, 0..<inputs[0].size.height))
    let (large, small) = (design.enlarged, design.placed)
    let sigma = try design.sigma.pixels(
      for: pixels, scale: options.scale, filter: "gaussian", parameter: "x")
    let blur = CoarseBlur(
      x: large.x.blur(sigma / pitch.x, of: design.picture.width),
      y: large.y.blur(sigma / pitch.y, of: design.picture.height))
    // Enlarged no further than to what is left of it, and tinted there.
    let copy = placed(
      source, .placing(design.picture.width, on: large.x, x, .triangle, every: blur.x.factor),
      .placing(design.picture.height, on: large.y, y, .triangle, every: blur.y.factor))
    let tinted = try tinted(blurred(copy, by: blur), design, component)
    var backdrop = grown(tinted, from: blur)
    let (across, down) = (
      Polyphase.placing(design.picture.width, on: small.x, x, .lanczos),
      Polyphase.placing(design.picture.height, on: small.y, y, .lanczos)
    )
    var sharp = placed(source, across, down)
    if across.move == nil || down.move == nil {
      // Near edges it overshoots 0…1, where the copy must not be mixed with it.
      sharp = colorMatrix(sharp, ColorMatrix(scale: 1))
    }
    if design.shadow > 0 { backdrop = try shadowed(backdrop, by: sharp, design) }
    let coverage = inSamples(design.coverage())
    guard sharp.layout.hasAlpha else { return masked(backdrop, sharp, by: coverage) }
    return over(multiply(sharp, by: generate(.coverage(coverage))), backdrop)
  }

  private mutating func placed(_ source: Surface, _ x: Polyphase, _ y: Polyphase) -> Surface {
    append(
      .resample(Resample(x: x, y: y)), [source.source], layout: source.layout,
      error: source.error.scaled(by: x.gain * y.gain)
        + CertifiedError(arithmetic: Arithmetic.resample(x: x, y: y, precision)))
  }

  /// Darker, and more or less colorful. The differences of a color come to nothing in the middle.
  private mutating func tinted(
    _ surface: Surface, _ design: CanvasDesign, _ component: Int?
  ) throws(PlanError) -> Surface {
    let light = 1 - design.dim
    guard let component else {
      var chain: FilterChain = []
      if design.saturation != 1 { chain.append(.saturate(design.saturation)) }
      if light < 1 { chain.append(.brightness(light)) }
      return try applied(chain, to: surface)
    }
    let scale = component == 0 ? light : light * design.saturation
    guard scale != 1 else { return surface }
    let black = working(.black)
    return colorMatrix(surface, ColorMatrix(scale: scale, offset: black * (1 - scale)))
  }

  /// Darker where the image's shadow falls: 1 % of the canvas lower, blurred by 2 %, as of light from above.
  private mutating func shadowed(
    _ surface: Surface, by picture: Surface, _ design: CanvasDesign
  ) throws(PlanError) -> Surface {
    let down = design.canvas.shorterSide / 100
    var shape = generate(.coverage(inSamples(design.coverage(down: down))))
    if picture.layout.hasAlpha {
      shape = weighted(moved(alpha(of: picture), right: 0, down: down), by: shape)
    }
    let soft = try applied([.gaussian(sigma: Sigma(percent: 2), edge: .clamp)], to: shape)
    let shade = colorMatrix(soft, ColorMatrix(scale: design.shadow))
    let black = colorMatrix(shape, ColorMatrix(scale: 0, offset: working(.black)))
    return masked(surface, black, by: shade)
  }

  private func inSamples(_ coverage: Coverage) -> Coverage {
    plane.map { coverage.sampled($0, .mean) } ?? coverage
  }
}

/// A kernel that makes a sample of others where a scale changes.
private enum ScalingKernel {
  /// Linear between samples.
  case triangle
  /// Lanczos' with three lobes, which keeps what is sharp.
  case lanczos

  /// Samples to each side, at scales that do not shrink.
  var reach: Double { self == .triangle ? 1 : 3 }

  func weight(_ distance: Double) -> Double {
    let x = abs(distance)
    guard x < reach else { return 0 }
    switch self {
    case .triangle: return 1 - x
    case .lanczos:
      guard x > 1e-9 else { return 1 }
      let angle = Double.pi * x
      return 3 * sin(angle) * sin(angle / 3) / (angle * angle)
    }
  }
}

extension Polyphase {
  /// Samples of a canvas, made of those of an image that lies somewhere on it.
  ///
  /// The ratio of their scales is the nearest with so few phases that devices hold all of them. In the middle
  /// of the image positions are exact; at the border of 4000 pixels they are off by less than half of one.
  ///
  /// - Parameters:
  ///   - pixels: the pixels of the image, along this axis.
  ///   - span: its position on the canvas, in pixels of the canvas.
  ///   - axis: the position of samples among the pixels of both.
  ///   - factor: so many samples of the canvas are one, which lies in their middle.
  fileprivate static func placing(
    _ pixels: Int, on span: CanvasDesign.Span, _ axis: SampledPlane.Axis, _ kernel: ScalingKernel,
    every factor: Int = 1
  ) -> Polyphase {
    let scale = Double(pixels) / span.length
    // Nothing is scaled.
    if kernel == .lanczos, scale == 1, axis.pitch == 1, span.start == span.start.rounded() {
      return .moving(by: Int(span.start))
    }
    let ratio = scale * Double(factor)
    let spread = max(ratio, 1)
    let side = Int((kernel.reach * spread).rounded(.up))
    let taps = 2 * side
    // 1024 vectors of four hold the first offset and the taps of every phase.
    let most = min(max(1000 / ((taps + 4) / 4), 1), 128)
    let (stride, phases) = Self.fraction(near: ratio, upTo: most)
    let center = axis.place == .cosited || axis.pitch == 1 ? 0.5 : Double(axis.pitch) / 2
    let pitch = Double(axis.pitch * factor)
    let middleOfFirst = center + Double(axis.pitch * (factor - 1)) / 2
    let middle = ((span.start + span.length / 2 - middleOfFirst) / pitch).rounded()
    func exact(_ sample: Double) -> Double {
      let pixel = pitch * sample + middleOfFirst - span.start
      return (pixel * scale - center) / Double(axis.pitch)
    }
    let step = Double(stride) / Double(phases)
    return Polyphase(
      stride: stride,
      phases: (0..<phases).map { phase in
        let position = exact(middle) + (Double(phase) - middle) * step
        let first = Int(position.rounded(.down)) - side + 1
        let weights = (first..<first + taps).map {
          kernel.weight((Double($0) - position) / spread)
        }
        let sum = weights.reduce(0, +)
        return Phase(first: first, taps: weights.map { Float($0 / sum) })
      })
  }

  /// The fraction nearest to a number, with a denominator of so much at most.
  private static func fraction(near number: Double, upTo most: Int) -> (Int, Int) {
    var best = (max(Int(number.rounded()), 1), 1)
    var error = abs(number - Double(best.0))
    for denominator in 1...most {
      let numerator = max(Int((number * Double(denominator)).rounded()), 1)
      let off = abs(number - Double(numerator) / Double(denominator))
      guard off < error - 1e-12 else { continue }
      (best, error) = ((numerator, denominator), off)
    }
    return best
  }
}
