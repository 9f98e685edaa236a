internal import FrostglassCore

/// Turns what is placed in points into layers in pixels.
struct LayerComposer {
  let scale: Double
  /// The scene's images, as a plan's inputs.
  let pictures: [Plan.Input]
  /// The present, in seconds.
  var time = 0.0

  /// The container of items.
  struct Parent {
    var id: String
    /// In points of the canvas, before the transform.
    var origin = LayoutPoint.zero
    /// From where items would be without it, in canvas pixels, to where they are.
    var transform = AffineTransform.identity
    /// Cut the items off, in canvas pixels.
    var clips: [LayerShape] = []
    /// The progress of the bar that holds the items, directly or in groups.
    var progress = 0.0
    /// The color of what is in the content's color.
    var content = Color.black
  }

  /// Items laid out in a bar or view.
  func layers(_ bar: FlexibleBar, width: Double, _ group: ItemGroup, in parent: Parent) -> [Layer] {
    var bar = bar
    bar.time = time
    var parent = parent
    parent.progress = bar.progress
    return bar.layout(width: width).flatMap { placed in
      group[placed.id].map { layers(of: $0, placed.attributes, in: parent) } ?? []
    }
  }

  /// Returns the layers of a bar's or view's surface over a frame in points.
  func layers(_ surface: SurfaceDocument, id: String, frame: LayoutRect) -> [Layer] {
    let clip = rounded(pixels(frame), surface.cornerRadius * scale)
    var layer = Layer(id: "\(id)/surface", .color(.black), clips: [clip])
    if let material = surface.material {
      layer.content = .backdrop(material.tinted(surface.color, alpha: 1), of: .below)
    } else if let color = surface.color {
      layer.content = .color(color)
    } else {
      layer.opacity = 0
    }
    return decorated([layer].filter { $0.opacity > 0 }, surface.decoration, clip, id: id)
  }

  /// Returns the container for a surface's items over a frame in points, with the surface's clip.
  func inside(
    _ surface: SurfaceDocument, id: String, frame: LayoutRect, content: Color = .black
  ) -> Parent {
    var parent = Parent(id: id, origin: frame.origin, content: content)
    if surface.clips { parent.clips = [rounded(pixels(frame), surface.cornerRadius * scale)] }
    return parent
  }

  /// Layers that fade together: their alpha counts once for what they make.
  func asOne(_ layers: [Layer], id: String, opacity: Double) -> [Layer] {
    guard opacity < 1 else { return layers }
    guard opacity > 0, !layers.isEmpty else { return [] }
    if layers.count == 1 {
      var only = layers
      only[0].opacity *= opacity
      return only
    }
    return [Layer(id: "\(id)/group", .group(layers), opacity: opacity)]
  }

  /// Returns layers with the filtered backdrop at some strength.
  ///
  /// A blur becomes narrower and a style weaker; filters without a strength, such as saturation, are mixed with their
  /// input.
  ///
  /// - Parameters:
  ///   - layer: a layer with clips and mask.
  ///   - strength: 0…1.
  func material(
    _ chain: FilterChain, _ tint: Color?, tintAlpha: Double, of capture: Layer.Capture,
    strength: Double, _ layer: Layer
  ) -> [Layer] {
    var layer = layer
    guard strength < 1 else {
      layer.content = .backdrop(chain.tinted(tint, alpha: tintAlpha), of: capture)
      return [layer]
    }
    let (weak, fixed) = chain.split(atStrength: strength)
    guard !weak.filters.isEmpty, !fixed.filters.isEmpty else {
      // What has nothing to weaken fades.
      layer.opacity *= weak.filters.isEmpty ? strength : 1
      let filters = weak.filters.isEmpty ? fixed : weak
      layer.content = .backdrop(filters.tinted(tint, alpha: tintAlpha), of: capture)
      return [layer]
    }
    var above = layer
    layer.id += "/weak"
    layer.content = .backdrop(weak.tinted(tint, alpha: tintAlpha), of: capture)
    above.content = .backdrop(fixed, of: .below)
    above.opacity *= strength
    return [layer, above]
  }

  /// Layers with the shadow and the border of their shape.
  ///
  /// - Parameters:
  ///   - outer: cut off shadow and border.
  ///   - soft: cut off the border, as they do what it is around.
  func decorated(
    _ layers: [Layer], _ decoration: DecorationDocument, _ shape: LayerShape, id: String,
    clips outer: [LayerShape] = [], fading soft: [LayerShape] = []
  ) -> [Layer] {
    var layers = layers
    if let shadow = decoration.shadow {
      var hole = shape
      hole.isHole = true
      layers.insert(
        Layer(
          id: "\(id)/shadow", .color(shadow.color),
          clips: [self.shape(of: shadow, shape), hole] + outer),
        at: 0)
    }
    if let border = decoration.border {
      let clips = [shape] + (hole(of: border, in: shape).map { [$0] } ?? []) + outer + soft
      layers.append(Layer(id: "\(id)/border", .color(border.color), clips: clips))
    }
    return layers
  }

  /// Returns the shape that a border leaves free; `nil` if that is empty.
  private func hole(of border: DecorationDocument.Border, in shape: LayerShape) -> LayerShape? {
    let width = max(1, (border.width * scale).rounded())
    // Along edges without a line it reaches beyond the corners.
    let far = -(shape.cornerRadius + width)
    let (left, right) = (
      border.edges.contains(.left) ? width : far, border.edges.contains(.right) ? width : far
    )
    let (top, bottom) = (
      border.edges.contains(.top) ? width : far, border.edges.contains(.bottom) ? width : far
    )
    let rect = LayoutRect(
      x: shape.rect.x + left, y: shape.rect.y + top,
      width: max(0, shape.rect.width - left - right),
      height: max(0, shape.rect.height - top - bottom))
    guard !rect.hasNoArea else { return nil }
    let isWhole = border.edges.count == DecorationDocument.Edge.allCases.count
    var hole = LayerShape(
      rect, cornerRadius: isWhole ? max(0, shape.cornerRadius - width) : 0,
      isContinuous: shape.isContinuous, transform: shape.transform)
    hole.isHole = true
    return hole
  }

  private func shape(of shadow: DecorationDocument.Shadow, _ shape: LayerShape) -> LayerShape {
    var soft = shape
    // Turned and scaled with what throws it.
    soft.rect.origin.x += shadow.x * scale
    soft.rect.origin.y += shadow.y * scale
    // The slope of t² (3 − 2t) over a length has a standard deviation of the length by √20.
    soft.feather = shadow.blur / 2 * scale * shape.transform.meanScale * 20.0.squareRoot()
    soft.grow = soft.feather < 1 ? 0 : -soft.feather / 2
    return soft
  }

  private func layers(
    of visual: ItemVisual, _ attributes: LayoutAttributes, in parent: Parent
  ) -> [Layer] {
    guard !attributes.isHidden, attributes.alpha > 0, let shape = shape(attributes, parent) else {
      return []
    }
    let id = "\(parent.id)/\(visual.id)"
    var layer = Layer(id: id, .color(.black))
    var shown: [Layer] = []
    switch visual.content {
    case .picture(let picture, let fit):
      layer.content = .picture(placed(picture, fit, in: shape))
      layer.clips = [shape]
    case .mask(let mask, let fit, let paint):
      layer.content = content(paint, parent)
      layer.mask = placed(mask, fit, in: shape)
      layer.clips = [shape]
    case .text(let text, let alignment, let paint):
      layer.content = content(paint, parent)
      layer.mask = placed(text.number(at: time), alignment, in: shape)
    case .fill(let color):
      layer.content = .color(self.color(color, parent))
      layer.clips = [shape]
    case .material(let chain, let tint):
      layer.clips = [shape]
      shown = material(
        chain, tint, tintAlpha: attributes.tintAlpha, of: .below,
        strength: attributes.blurStrength, layer)
    case .group(let group):
      let layers = decorated(
        layers(of: group, attributes, shape, id: id, in: parent), visual.decoration, shape, id: id,
        clips: parent.clips)
      return asOne(layers, id: id, opacity: attributes.alpha)
    }
    if shown.isEmpty { shown = [layer] }
    for index in shown.indices { shown[index].clips += parent.clips }
    let layers = decorated(shown, visual.decoration, shape, id: id, clips: parent.clips)
    return asOne(layers, id: id, opacity: attributes.alpha)
  }

  /// The items of a group, laid out in its frame and moved with it.
  private func layers(
    of group: ItemVisual.Group, _ attributes: LayoutAttributes, _ shape: LayerShape, id: String,
    in parent: Parent
  ) -> [Layer] {
    let frame = frame(attributes, parent)
    var inner = parent
    inner.id = id
    inner.origin = frame.origin
    inner.transform = shape.transform
    if group.clips { inner.clips = [shape] + parent.clips }
    return layers(
      group.layout.still(height: frame.height, progress: parent.progress), width: frame.width,
      group.items, in: inner)
  }

  /// Returns the shapes that fade out the lower edge of a shape over some points.
  func faded(_ shape: LayerShape, over points: Double) -> [LayerShape] {
    guard points * scale >= 1 else { return [] }
    let (length, rect) = (points * scale, shape.rect)
    // Its other edges lie where nothing is soft any more.
    var soft = LayerShape(
      LayoutRect(
        x: rect.x - length, y: rect.y - 2 * length, width: rect.width + 2 * length,
        height: rect.height + length))
    soft.feather = length
    return [soft]
  }

  private func content(_ paint: ItemVisual.Paint, _ parent: Parent) -> Layer.Content {
    switch paint {
    case .color(let color): .color(self.color(color, parent))
    case .vibrancy(let chain): .backdrop(chain, of: .below)
    }
  }

  private func color(_ color: ItemColor, _ parent: Parent) -> Color {
    switch color {
    case .color(let color): color
    case .content: parent.content
    }
  }

  /// The frame of an item in points of the canvas, before its transform unless that only moves it.
  private func frame(_ attributes: LayoutAttributes, _ parent: Parent) -> LayoutRect {
    var frame = attributes.untransformedFrame
    frame.origin.x += parent.origin.x
    frame.origin.y += parent.origin.y
    if let affine = attributes.transform.affine, affine.isMove {
      frame.origin.x += affine.tx
      frame.origin.y += affine.ty
    }
    return frame
  }

  /// The frame of an item in canvas pixels; `nil` where its transform leaves nothing to be seen.
  ///
  /// Without a transform, or only moved, its edges lie on whole pixels, so that it stays sharp.
  private func shape(_ attributes: LayoutAttributes, _ parent: Parent) -> LayerShape? {
    guard let affine = attributes.transform.affine, affine.inverse != nil else { return nil }
    let exact = frame(attributes, parent)
    let still = pixels(exact)
    var shape = rounded(still, attributes.cornerRadius * scale)
    shape.transform = parent.transform
    guard !affine.isMove else { return shape }
    let anchor = LayoutPoint(
      x: still.x + attributes.anchorPoint.x * still.width,
      y: still.y + attributes.anchorPoint.y * still.height)
    // What is transformed moves by parts of a pixel. The less there is of a transform, the nearer it is
    // to where it lies without one: it does not jump when it begins or ends.
    let share = min(1, 20 * affine.farFromMove)
    var own = affine
    own.tx = anchor.x + affine.tx * scale + (exact.x * scale - still.x) * share
    own.ty = anchor.y + affine.ty * scale + (exact.y * scale - still.y) * share
    shape.transform = AffineTransform.translation(x: -anchor.x, y: -anchor.y)
      .followed(by: own).followed(by: parent.transform)
    return shape
  }

  /// A shape with the corners of iOS; what is wholly round is a circle.
  func rounded(_ rect: LayoutRect, _ radius: Double) -> LayerShape {
    let room = min(rect.width, rect.height) / 2
    return LayerShape(
      rect, cornerRadius: radius, isContinuous: radius < room)
  }

  /// A rectangle in points, its edges on the nearest whole pixels.
  func pixels(_ rect: LayoutRect) -> LayoutRect {
    let (left, top) = ((rect.x * scale).rounded(), (rect.y * scale).rounded())
    return LayoutRect(
      x: left, y: top, width: (rect.maxX * scale).rounded() - left,
      height: (rect.maxY * scale).rounded() - top)
  }
}

// Where images and texts are in their frames.
extension LayerComposer {
  /// An image that fills a frame, around its center.
  func placed(_ picture: Int, _ fit: ImageFit, in shape: LayerShape) -> PlacedImage {
    let size = pictures[picture].size
    let factors = fit.factors(from: size, to: shape.rect.size)
    let (width, height) = (Double(size.width) * factors.x, Double(size.height) * factors.y)
    let left = shape.rect.x + ((shape.rect.width - width) / 2).rounded()
    let top = shape.rect.y + ((shape.rect.height - height) / 2).rounded()
    return PlacedImage(
      picture,
      transform: AffineTransform.scale(
        x: near(factors.x, size.width), y: near(factors.y, size.height)
      )
      .followed(by: .translation(x: left, y: top)).followed(by: shape.transform))
  }

  /// A factor, or 1 where it changes a side by less than a pixel: then nothing is interpolated.
  private func near(_ factor: Double, _ side: Int) -> Double {
    abs(factor - 1) * Double(side) < 1 ? 1 : factor
  }

  /// A text, in its own size.
  private func placed(
    _ text: Int, _ alignment: TextDocument.Alignment, in shape: LayerShape
  ) -> PlacedImage {
    let size = pictures[text].size
    let room = shape.rect.width - Double(size.width)
    let left =
      switch alignment {
      case .left: 0.0
      case .center: (room / 2).rounded()
      case .right: room
      }
    let top = ((shape.rect.height - Double(size.height)) / 2).rounded()
    let move = AffineTransform.translation(x: shape.rect.x + left, y: shape.rect.y + top)
    return PlacedImage(text, transform: move.followed(by: shape.transform))
  }
}

extension AffineTransform {
  /// True if the transform only moves.
  fileprivate var isMove: Bool { a == 1 && b == 0 && c == 0 && d == 1 }

  /// The largest difference from a transform that only moves.
  fileprivate var farFromMove: Double { max(abs(a - 1), abs(b), abs(c), abs(d - 1)) }

  /// By how much it makes lengths longer, the mean of two directions.
  fileprivate var meanScale: Double { abs(a * d - b * c).squareRoot() }
}

extension FilterChain {
  /// The filters that can be weaker, weakened, and those that cannot.
  fileprivate func split(
    atStrength strength: Double
  ) -> (weak: FilterChain, fixed: FilterChain) {
    var (weak, fixed) = (FilterChain(), FilterChain())
    for filter in filters {
      let whole = FilterChain(filters: [filter])
      let less = whole.weakened(to: strength)
      if less == whole { fixed.append(whole) } else { weak.append(less) }
    }
    return (weak, fixed)
  }

  /// With a color over it all.
  func tinted(_ color: Color?, alpha: Double) -> FilterChain {
    guard let color, alpha > 0 else { return self }
    return [self, .tint(color, alpha: alpha)]
  }
}
