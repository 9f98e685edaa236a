internal import FrostglassCore

/// Turns what is placed in points into layers in pixels.
struct LayerComposer {
  let scale: Double
  /// What the scene's pictures are.
  let pictures: [Plan.Input]
  /// The present, in seconds.
  var time = 0.0

  /// What items are in.
  struct Parent {
    var id: String
    /// In points of the canvas.
    var origin = LayoutPoint.zero
    var alpha = 1.0
    /// Cuts the items off, in points of the canvas.
    var clip: LayoutRect?
    var clipRadius = 0.0
    /// Over how many points the clip's lower edge is soft.
    var fade = 0.0
    /// The color of what is in the content's color.
    var content = Color.black
  }

  /// Items laid out in a bar or view.
  func layers(_ bar: FlexibleBar, width: Double, _ group: ItemGroup, in parent: Parent) -> [Layer] {
    var bar = bar
    bar.time = time
    return bar.layout(width: width).flatMap { placed in
      group[placed.id].map { layers(of: $0, placed.attributes, in: parent) } ?? []
    }
  }

  /// What a bar or view is made of, over a frame in points.
  func layers(_ surface: SurfaceDocument, id: String, frame: LayoutRect, alpha: Double) -> [Layer] {
    guard alpha > 0 else { return [] }
    let clip = rounded(pixels(frame), surface.cornerRadius * scale)
    var layer = Layer(id: "\(id)/surface", .color(.black), clips: [clip], opacity: alpha)
    if let material = surface.material {
      layer.content = .backdrop(material.tinted(surface.color, alpha: 1), of: .below)
    } else if let color = surface.color {
      layer.content = .color(color)
    } else {
      layer.opacity = 0
    }
    return decorated([layer].filter { $0.opacity > 0 }, surface.decoration, clip, id: id, alpha)
  }

  /// Layers with the shadow and the border of their shape.
  ///
  /// - Parameter alpha: of both.
  func decorated(
    _ layers: [Layer], _ decoration: DecorationDocument, _ shape: LayerShape, id: String,
    _ alpha: Double
  ) -> [Layer] {
    var layers = layers
    if let shadow = decoration.shadow {
      var hole = shape
      hole.isHole = true
      layers.insert(
        Layer(
          id: "\(id)/shadow", .color(shadow.color), clips: [self.shape(of: shadow, shape), hole],
          opacity: alpha), at: 0)
    }
    if let border = decoration.border {
      let width = max(1, (border.width * scale).rounded())
      let rect = LayoutRect(
        x: shape.rect.x + width, y: shape.rect.y + width,
        width: max(0, shape.rect.width - 2 * width), height: max(0, shape.rect.height - 2 * width))
      var hole = LayerShape(
        rect, cornerRadius: max(0, shape.cornerRadius - width), isContinuous: shape.isContinuous,
        transform: shape.transform)
      hole.isHole = true
      let clips = rect.hasNoArea ? [shape] : [shape, hole]
      layers.append(
        Layer(id: "\(id)/border", .color(border.color), clips: clips, opacity: alpha))
    }
    return layers
  }

  private func shape(of shadow: DecorationDocument.Shadow, _ shape: LayerShape) -> LayerShape {
    var soft = shape
    soft.transform = shape.transform.followed(
      by: .translation(x: shadow.x * scale, y: shadow.y * scale))
    // The slope of t² (3 − 2t) over a length has a standard deviation of the length by √20.
    soft.feather = shadow.blur / 2 * scale * 20.0.squareRoot()
    soft.grow = soft.feather < 1 ? 0 : -soft.feather / 2
    return soft
  }

  private func layers(
    of visual: ItemVisual, _ attributes: LayoutAttributes, in parent: Parent
  ) -> [Layer] {
    let alpha = attributes.alpha * parent.alpha
    guard !attributes.isHidden, alpha > 0, let shape = shape(attributes, parent) else { return [] }
    var layer = Layer(id: "\(parent.id)/\(visual.id)", .color(.black), opacity: alpha)
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
      let weak = chain.weakened(to: attributes.blurStrength)
      // What has no blur to weaken fades.
      if weak == chain { layer.opacity *= attributes.blurStrength }
      layer.content = .backdrop(weak.tinted(tint, alpha: attributes.tintAlpha), of: .below)
      layer.clips = [shape]
    }
    var layers = decorated([layer], visual.decoration, shape, id: layer.id, layer.opacity)
    for index in layers.indices { layers[index].clips += clips(of: parent) }
    return layers
  }

  private func clips(of parent: Parent) -> [LayerShape] {
    guard let clip = parent.clip else { return [] }
    let shape = rounded(pixels(clip), parent.clipRadius * scale)
    return [shape] + faded(shape, over: parent.fade)
  }

  /// What cuts off the lower edge of a shape softly, over some points.
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

  /// The frame of an item in canvas pixels; `nil` where its transform leaves nothing to be seen.
  ///
  /// Without a transform its edges lie on whole pixels, so that it stays sharp.
  private func shape(_ attributes: LayoutAttributes, _ parent: Parent) -> LayerShape? {
    let radius = attributes.cornerRadius * scale
    guard !attributes.transform.isIdentity else {
      var frame = attributes.untransformedFrame
      frame.origin.x += parent.origin.x
      frame.origin.y += parent.origin.y
      return rounded(pixels(frame), radius)
    }
    guard let affine = attributes.transform.affine, affine.inverse != nil else { return nil }
    let (width, height) = (attributes.size.width * scale, attributes.size.height * scale)
    let center = LayoutPoint(
      x: (attributes.center.x + parent.origin.x) * scale,
      y: (attributes.center.y + parent.origin.y) * scale)
    var transform = affine
    transform.tx = affine.tx * scale + center.x
    transform.ty = affine.ty * scale + center.y
    // A mere move is one by whole pixels.
    if transform.keepsUpright, transform.a == 1, transform.d == 1 {
      let rect = LayoutRect(
        x: (transform.tx - width / 2) / scale, y: (transform.ty - height / 2) / scale,
        width: width / scale, height: height / scale)
      return rounded(pixels(rect), radius)
    }
    return LayerShape(
      LayoutRect(x: -width / 2, y: -height / 2, width: width, height: height),
      cornerRadius: radius, transform: transform)
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

// Where pictures and texts are in their frames.
extension LayerComposer {
  /// A picture that fills a frame, around its center.
  func placed(_ picture: Int, _ fit: PictureFit, in shape: LayerShape) -> PlacedPicture {
    let size = pictures[picture].size
    let factors = fit.factors(from: size, to: shape.rect.size)
    let (width, height) = (Double(size.width) * factors.x, Double(size.height) * factors.y)
    let left = shape.rect.x + ((shape.rect.width - width) / 2).rounded()
    let top = shape.rect.y + ((shape.rect.height - height) / 2).rounded()
    return PlacedPicture(
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
  ) -> PlacedPicture {
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
    return PlacedPicture(text, transform: move.followed(by: shape.transform))
  }
}

extension FilterChain {
  /// With a color over it all.
  func tinted(_ color: Color?, alpha: Double) -> FilterChain {
    guard let color, alpha > 0 else { return self }
    return [self, .tint(color, alpha: alpha)]
  }
}
