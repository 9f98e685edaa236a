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

  /// A picture of one color.
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

  /// A picture in its place; only to be read inside its bounds where it is opaque.
  private mutating func place(_ placed: PlacedPicture, asMask: Bool = false) -> Surface {
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

  /// Shows the second picture through a gray one, over the first.
  private mutating func masked(
    _ first: Surface, _ second: Surface, by mask: PlacedPicture, _ scene: Scene
  ) -> Surface {
    let gray = place(mask, asMask: true)
    let part = mask.bounds(of: scene.pictures[mask.picture].size).intersection(picture)
    return masked(first, second, by: gray, secondPart: part)
  }

  /// Lays a picture over another, whose channels the result has.
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
  /// Reads a picture that was transformed; `nil` where nothing is left of it.
  init?(_ transform: AffineTransform) {
    guard let back = transform.inverse else { return nil }
    // Samples have their centers half a pixel from the border.
    let center = back.apply(to: LayoutPoint(x: 0.5, y: 0.5))
    self.init(
      xx: back.a, xy: back.c, x: center.x - 0.5, yx: back.b, yy: back.d, y: center.y - 0.5)
  }
}
