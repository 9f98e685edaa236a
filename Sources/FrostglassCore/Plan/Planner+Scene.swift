// Layers laid over each other.
extension Planner {
  /// A function that returns the design of a backdrop's filters.
  typealias Designs = (FilterChain) throws(PlanError) -> BackdropDesign

  /// A scene's layers on its background.
  mutating func layers(
    _ layers: [Layer], of scene: Scene, _ designs: Designs
  ) throws(PlanError) -> Surface {
    try lay(layers, over: constant(scene.background), of: scene, designs)
  }

  private mutating func lay(
    _ layers: [Layer], over below: Surface, of scene: Scene, _ designs: Designs
  ) throws(PlanError) -> Surface {
    var surface = below
    for layer in layers { surface = try lay(layer, over: surface, of: scene, designs) }
    return surface
  }

  /// An image of one color.
  private mutating func constant(_ color: Color) -> Surface {
    let paint = working(color)
    var matrix = ColorMatrix(rows: [paint.x, paint.y, paint.z].map { SIMD4(0, 0, 0, $0) })
    matrix.opacity = Float(color.alpha)
    return colorMatrix(generate(.coverage(Coverage([]))), matrix, layout: .rgb)
  }

  private mutating func lay(
    _ layer: Layer, over below: Surface, of scene: Scene, _ designs: Designs
  ) throws(PlanError) -> Surface {
    let bounds = layer.bounds(in: scene)
    guard !bounds.isEmpty else { return below }
    var shown = try content(of: layer, over: below, scene, designs)
    if layer.opacity < 1 { shown = mix(below, shown, amount: layer.opacity) }
    if let mask = layer.mask { shown = masked(below, shown, by: mask, scene) }
    for clip in layer.clips where clip.sharpRectangle == nil {
      shown = masked(below, shown, by: clip.coverage)
    }
    return masked(below, shown, by: layer.frame(in: bounds))
  }

  /// Returns the content of a layer without any clipping.
  private mutating func content(
    of layer: Layer, over below: Surface, _ scene: Scene, _ designs: Designs
  ) throws(PlanError) -> Surface {
    switch layer.content {
    case .color(let color):
      guard !below.layout.hasAlpha else { return laid(constant(color), over: below) }
      let paint = working(color) * color.alpha
      return colorMatrix(below, ColorMatrix(scale: 1 - color.alpha, offset: paint))
    case .picture(let picture):
      let placed = place(picture)
      return placed.layout.hasAlpha ? laid(placed, over: below) : placed
    case .backdrop(let chain, let capture):
      let behind =
        switch capture {
        case .below: below
        case .captured(let captured): try self.captured(captured, of: scene, designs)
        }
      let own = tightness
      defer { tightness = own }
      tightness = try designs(chain).tightness
      restart(from: behind)
      let seen = try applied(chain, to: behind)
      // Transparent filter results show what lies behind.
      return seen.layout.hasAlpha && !below.layout.hasAlpha ? laid(seen, over: below) : seen
    case .group(let layers): return try lay(layers, over: below, of: scene, designs)
    }
  }

  /// Returns the content of captured layers, computed once for all backdrops that show it.
  private mutating func captured(
    _ captured: CapturedLayers, of scene: Scene, _ designs: Designs
  ) throws(PlanError) -> Surface {
    let name = ObjectIdentifier(captured)
    if let surface = captures[name] { return surface }
    let own = tightness
    defer { tightness = own }
    let surface = try layers(captured.layers, of: scene, designs)
    captures[name] = surface
    return surface
  }

  /// An image in its place; only to be read inside its bounds where it is opaque.
  private mutating func place(_ placed: PlacedImage, asMask: Bool = false) -> Surface {
    let move = placed.transform.wholeMove
    if let move, move == (0, 0) { return load(placed.picture) }
    let size = inputs[placed.picture].size
    // Transparent beyond its border, it fades between pixels.
    let source = load(placed.picture, layout: move == nil ? (asMask ? .gray : .rgba) : nil)
      .extended(
        x: AxisEdge(.transparent, 0..<size.width), y: AxisEdge(.transparent, 0..<size.height))
    if let move { return moved(source, right: move.x, down: move.y) }
    guard let map = AffineMap(placed.transform) else { return source }
    return gather(source, Gather(views: [Gather.View(map: map, weight: 1)]))
      .extended(x: nil, y: nil)
  }

  /// Shows the second image through a gray one, over the first.
  private mutating func masked(
    _ first: Surface, _ second: Surface, by mask: PlacedImage, _ scene: Scene
  ) -> Surface {
    let gray = place(mask, asMask: true)
    let part = mask.bounds(of: scene.pictures[mask.picture].size).intersection(picture)
    return masked(first, second, by: gray, secondPart: part)
  }

  /// Lays an image over another, whose channels the result has.
  private mutating func laid(_ top: Surface, over bottom: Surface) -> Surface {
    append(
      .blend(Blend(.over)), [top.source, bottom.source], layout: max(bottom.layout, .rgb),
      error: top.error.scaled(by: 2) + bottom.error + shared)
  }
}

extension Layer {
  /// Returns the intersection of the bounds and all clips that are upright rectangles.
  fileprivate func frame(in bounds: Rect) -> Coverage {
    var (left, top) = (Double(bounds.x), Double(bounds.y))
    var (right, bottom) = (Double(bounds.columns.upperBound), Double(bounds.rows.upperBound))
    for rect in clips.compactMap(\.sharpRectangle) {
      (left, top) = (max(left, rect.x), max(top, rect.y))
      (right, bottom) = (min(right, rect.maxX), min(bottom, rect.maxY))
    }
    return Coverage([
      CoverageShape(
        .rectangle(RoundedRectangle(left: left, top: top, right: right, bottom: bottom)))
    ])
  }
}

extension AffineMap {
  /// Reads an image that was transformed; `nil` where nothing is left of it.
  init?(_ transform: AffineTransform) {
    guard let back = transform.inverse else { return nil }
    // Samples have their centers half a pixel from the border.
    let center = back.apply(to: LayoutPoint(x: 0.5, y: 0.5))
    self.init(
      xx: back.a, xy: back.c, x: center.x - 0.5, yx: back.b, yy: back.d, y: center.y - 0.5)
  }
}

// Images put together.
extension Planner {
  /// Mixes two images: 0 gives the first, 1 the second. The result has the channels of both.
  public mutating func mix(_ first: Surface, _ second: Surface, amount: Double) -> Surface {
    blend(
      .mix(Float(amount)), first, second,
      error: first.error.scaled(by: 1 - amount) + second.error.scaled(by: amount))
  }

  /// Shows the second image through a mask, over the first.
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

  /// Shows the second image through a gray one, over the first; each only in its part, if it has one.
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

  /// A chain's result as its mask shows it, over the image the chain began with.
  mutating func shown(_ surface: Surface, by coverage: Coverage) -> Surface {
    switch options.mask?.use {
    case .scale, nil: surface
    case .show: masked(original, surface, by: coverage)
    case .confine: masked(original, normalized(surface, like: original), by: coverage)
    }
  }

  /// Lays the first image over the second.
  public mutating func over(_ top: Surface, _ bottom: Surface) -> Surface {
    // The bottom's color counts with what the top lets through, and errs with the top's alpha.
    let error = top.error.scaled(by: top.layout.hasAlpha ? 2 : 1) + bottom.error
    return blend(.over, top, bottom, error: error)
  }

  /// Multiplies each channel, alpha too, by a gray image.
  public mutating func multiply(_ surface: Surface, by gray: Surface) -> Surface {
    // Alpha keeps the weight, on gray images too.
    blend(.multiply, surface, gray, layout: .rgba, error: surface.error + gray.error)
  }

  /// Multiplies each channel there is by a gray image: an opaque image becomes weighted colors
  /// without an alpha of their own.
  mutating func weighted(_ surface: Surface, by gray: Surface) -> Surface {
    blend(.multiply, surface, gray, layout: surface.layout, error: surface.error + gray.error)
  }

  /// Divides each channel by a gray image, which was multiplied with it before both were blurred.
  ///
  /// - Parameter least: the smallest divisor that matters; errors grow by what it divides.
  package mutating func divide(
    _ surface: Surface, by gray: Surface, least: Double
  ) -> Surface {
    blend(
      .divide, surface, gray, layout: surface.layout,
      error: (surface.error + gray.error).scaled(by: 1 / least))
  }

  /// Gives the color of the first image the alpha of the second: what was weighted by a mask and
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

  /// Adds two images, limited to 1.
  package mutating func plusLighter(_ first: Surface, _ second: Surface) -> Surface {
    blend(.plusLighter, first, second, error: first.error + second.error)
  }

  /// An image made of numbers alone.
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
