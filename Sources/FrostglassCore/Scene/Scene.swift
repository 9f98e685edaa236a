internal import Glibc

/// An image made of layers, as it is at one moment: what bars, backdrop views and whatever else is
/// shown come to, in pixels.
///
/// A scene compiles to a `Plan` like everything else. Two scenes that follow each other tell where
/// they differ, see `SceneCompiler.damage`, so that only that is computed again, see `SceneRenderer`.
package struct Scene: Sendable, Hashable {
  /// The size of the canvas.
  package var size: Size
  /// The color behind all layers; with an alpha under 1 the result has an alpha channel.
  package var background: Color
  /// From the farthest to the nearest.
  package var layers: [Layer]
  /// The descriptions of the images that layers show; all of the same transfer.
  package var pictures: [Plan.Input]
  /// Pixels per point, for lengths in filters.
  package var scale: Double
  package var quality: PlanOptions.Quality

  package init(
    size: Size, background: Color = .white, layers: [Layer] = [], pictures: [Plan.Input] = [],
    scale: Double = 1, quality: PlanOptions.Quality = .high
  ) {
    self.size = size
    self.background = background
    self.layers = layers
    self.pictures = pictures
    self.scale = scale
    self.quality = quality
  }

  /// True if nothing can be seen through the background.
  var isOpaque: Bool { background.alpha >= 1 }

  /// The whole canvas.
  var canvas: Rect { Rect(size) }
}

/// One of the things that a scene shows, in canvas pixels.
package struct Layer: Sendable, Hashable {
  /// The content of a layer.
  package enum Content: Sendable, Hashable {
    /// A color everywhere; its alpha counts.
    case color(Color)
    case picture(PlacedImage)
    /// The image behind the layer, filtered.
    case backdrop(FilterChain, of: Capture)
    /// Layers as one, the farthest first: opacity, clips and mask count once for what they make of what
    /// lies behind them.
    case group([Layer])
  }

  /// The input of a backdrop's filters.
  package enum Capture: Sendable, Hashable {
    /// All that is below the layer, as it is now.
    case below
    /// Layers on the scene's background: as they were at another time, or what several backdrops
    /// share.
    case captured(CapturedLayers)

    /// These layers on the scene's background.
    package static func layers(_ layers: [Layer]) -> Capture { .captured(CapturedLayers(layers)) }
  }

  /// Tells it from the scene's others, from frame to frame.
  package var id: String
  package var content: Content
  /// It shows only where all of these are; none is everywhere.
  package var clips: [LayerShape]
  /// A gray image: it shows as much as that is bright, and not beyond it.
  package var mask: PlacedImage?
  /// 0…1.
  package var opacity: Double

  package init(
    id: String, _ content: Content, clips: [LayerShape] = [], mask: PlacedImage? = nil,
    opacity: Double = 1
  ) {
    self.id = id
    self.content = content
    self.clips = clips
    self.mask = mask
    self.opacity = opacity
  }

  /// Pixels that it may change: none where nothing of it shows.
  func bounds(in scene: Scene) -> Rect {
    guard opacity > 0 else { return Rect(x: 0, y: 0, width: 0, height: 0) }
    var bounds = clips.filter { !$0.isHole }
      .reduce(scene.canvas) { $0.intersection($1.covered.pixels) }
    if case .group(let layers) = content {
      let inner = layers.map { $0.bounds(in: scene) }.filter { !$0.isEmpty }
      guard let first = inner.first else { return Rect(x: 0, y: 0, width: 0, height: 0) }
      bounds = bounds.intersection(inner.dropFirst().reduce(first) { $0.union($1) })
    }
    let shown: PlacedImage? = if case .picture(let picture) = content { picture } else { nil }
    for picture in [shown, mask].compactMap({ $0 }) {
      guard picture.canBeRead(on: scene.size) else { return Rect(x: 0, y: 0, width: 0, height: 0) }
      bounds = bounds.intersection(picture.bounds(of: scene.pictures[picture.picture].size))
    }
    return bounds
  }
}

extension Layer {
  /// The number of layers, with those that are in it.
  var count: Int {
    if case .group(let layers) = content { layers.reduce(1) { $0 + $1.count } } else { 1 }
  }
}

/// Layers as they were at a time. One value serves all who show them: what holds the same layers by
/// the same reference is told to be equal without looking at them.
package final class CapturedLayers: Sendable, Hashable {
  package let layers: [Layer]

  package init(_ layers: [Layer]) { self.layers = layers }

  package static func == (left: CapturedLayers, right: CapturedLayers) -> Bool {
    left === right || left.layers == right.layers
  }

  // Layers hold captures that hold layers; their number tells most apart.
  package func hash(into hasher: inout Hasher) { hasher.combine(layers.count) }
}

/// One of a scene's images, in its place.
///
/// Moved by whole pixels it is shown as it is; otherwise its pixels are interpolated linearly, which
/// serves sizes from half to any multiple of its own.
package struct PlacedImage: Sendable, Hashable {
  /// Index into the scene's images.
  package var picture: Int
  /// The transform from the image's pixels to those of the canvas.
  package var transform: AffineTransform

  package init(_ picture: Int, transform: AffineTransform = .identity) {
    self.picture = picture
    self.transform = transform
  }

  /// Returns true if anything of it can be seen: it is no line or point, and not so small or so far away that 32-bit
  /// machines could not compute where to read, see `AffineMap`.
  func canBeRead(on canvas: Size) -> Bool {
    guard transform.wholeMove == nil else { return true }
    guard let back = transform.inverse else { return false }
    let side = Double(max(canvas.width, canvas.height))
    let farthest = Double(1 << 18)
    return [back.a, back.b, back.c, back.d].allSatisfy { abs($0) * side <= farthest }
      && abs(back.tx) <= farthest && abs(back.ty) <= farthest
  }

  /// Pixels of the canvas it touches.
  func bounds(of size: Size) -> Rect {
    let own = LayoutRect(x: 0, y: 0, width: Double(size.width), height: Double(size.height))
    // Interpolation fades the border out over a pixel.
    let fade = transform.wholeMove == nil ? 1 : 0
    let pixels = transform.bounds(of: own).pixels
    return Rect(
      columns: pixels.columns.expanded(by: fade), rows: pixels.rows.expanded(by: fade))
  }
}

/// A rectangle, perhaps with round corners, perhaps turned: where a layer shows.
package struct LayerShape: Sendable, Hashable {
  /// The rectangle before the transform.
  package var rect: LayoutRect
  /// The radius of the corners; at most half of either side counts.
  package var cornerRadius: Double
  /// True if corners bend earlier and softer, as those of iOS; for upright shapes.
  package var isContinuous: Bool
  /// The transform from the rectangle's coordinates to canvas pixels.
  package var transform: AffineTransform
  /// True if the shape is a hole: the layer shows outside.
  package var isHole = false
  /// The distance over which the shape ends softly, from its grown outline outward, in canvas pixels; under 1 it is
  /// only anti-aliased.
  package var feather = 0.0
  /// The distance that the outline is moved outward, in canvas pixels; negative inward.
  package var grow = 0.0

  package init(
    _ rect: LayoutRect, cornerRadius: Double = 0, isContinuous: Bool = false,
    transform: AffineTransform = .identity
  ) {
    self.rect = rect
    self.cornerRadius = cornerRadius
    self.isContinuous = isContinuous
    self.transform = transform
  }

  /// The bounds in canvas pixels.
  var bounds: LayoutRect { transform.bounds(of: rect) }

  /// The rectangle in which it may show anything, in canvas pixels.
  fileprivate var covered: LayoutRect {
    let reach = max(grow, 0) + (feather >= 1 ? feather : 0)
    let bounds = bounds
    return LayoutRect(
      x: bounds.x - reach, y: bounds.y - reach, width: bounds.width + 2 * reach,
      height: bounds.height + 2 * reach)
  }

  /// The shape if it is nothing but an upright rectangle.
  var sharpRectangle: LayoutRect? {
    let isSharp = cornerRadius <= 0 && !isHole && feather < 1 && grow == 0
    return isSharp && transform.keepsUpright ? bounds : nil
  }

  var coverage: Coverage {
    Coverage([CoverageShape(covering, feather: feather, grow: grow)], isInverted: isHole)
  }

  private var covering: CoverageShape.Outline {
    let bounds = bounds
    guard !transform.keepsUpright || transform.a != transform.d && cornerRadius > 0 else {
      return .rectangle(
        RoundedRectangle(
          left: bounds.x, top: bounds.y, right: bounds.maxX, bottom: bounds.maxY,
          radius: max(cornerRadius, 0) * transform.a, isContinuous: isContinuous))
    }
    let corners = outline.map { transform.apply(to: $0) }
    return .polygon(Polygon(corners.map { Polygon.Corner(x: $0.x, y: $0.y) }))
  }

  /// Straight pieces of a quarter of a round corner.
  private static let pieces = 12

  /// The outline before the transform, round corners in short straight pieces.
  private var outline: [LayoutPoint] {
    let radius = min(cornerRadius, rect.width / 2, rect.height / 2)
    guard radius > 0 else { return rect.corners }
    let centers = [
      LayoutPoint(x: rect.maxX - radius, y: rect.maxY - radius),
      LayoutPoint(x: rect.x + radius, y: rect.maxY - radius),
      LayoutPoint(x: rect.x + radius, y: rect.y + radius),
      LayoutPoint(x: rect.maxX - radius, y: rect.y + radius),
    ]
    return centers.enumerated().flatMap { quarter, center in
      (0...LayerShape.pieces).map { piece in
        let angle =
          (Double(quarter) + Double(piece) / Double(LayerShape.pieces)) * Double.pi / 2
        return LayoutPoint(x: center.x + radius * cos(angle), y: center.y + radius * sin(angle))
      }
    }
  }
}

/// A rectangle in a layout, in points or pixels as the context says; y grows downward.
public struct LayoutRect: Sendable, Hashable {
  /// The top left corner.
  public var origin: LayoutPoint
  /// Its width and height.
  public var size: LayoutSize

  /// A rectangle with its upper left corner at `origin`.
  public init(origin: LayoutPoint, size: LayoutSize) {
    self.origin = origin
    self.size = size
  }

  /// A rectangle, in points.
  public init(x: Double, y: Double, width: Double, height: Double) {
    self.init(origin: LayoutPoint(x: x, y: y), size: LayoutSize(width: width, height: height))
  }

  /// Nothing, at the origin.
  public static let zero = LayoutRect(origin: .zero, size: .zero)

  /// The left border.
  public var x: Double { origin.x }
  /// The upper border.
  public var y: Double { origin.y }
  /// The distance from the left border to the right one.
  public var width: Double { size.width }
  /// The distance from the upper border to the lower one.
  public var height: Double { size.height }
  /// The right border.
  public var maxX: Double { x + width }
  /// The lower border.
  public var maxY: Double { y + height }
  /// The middle.
  public var center: LayoutPoint { LayoutPoint(x: x + width / 2, y: y + height / 2) }
}

extension LayoutRect {
  /// Top left, top right, bottom right, bottom left.
  public var corners: [LayoutPoint] {
    [
      origin, LayoutPoint(x: maxX, y: y), LayoutPoint(x: maxX, y: maxY), LayoutPoint(x: x, y: maxY),
    ]
  }

  /// The pixels it touches; none where a number is not one.
  package var pixels: Rect {
    func touched(_ low: Double, _ high: Double) -> Range<Int> {
      guard low <= high else { return 0..<0 }
      let limit = { (value: Double) in Int(min(max(value, -1e9), 1e9)) }
      let first = limit(low.rounded(.down))
      return first..<max(first, limit(high.rounded(.up)))
    }
    return Rect(columns: touched(x, maxX), rows: touched(y, maxY))
  }
}

/// A place in a layout, in points or pixels as the context says; y grows downward.
public struct LayoutPoint: Sendable, Hashable {
  /// To the right.
  public var x: Double
  /// Downward.
  public var y: Double

  /// A point, in points.
  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }

  /// The origin.
  public static let zero = LayoutPoint(x: 0, y: 0)
}

/// A width and a height in a layout, in points or pixels as the context says.
public struct LayoutSize: Sendable, Hashable {
  /// To the right.
  public var width: Double
  /// Downward.
  public var height: Double

  /// A size, in points.
  public init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  /// No width and no height.
  public static let zero = LayoutSize(width: 0, height: 0)
}

/// A change of place, size and angle in the plane: `x' = a x + c y + tx`, `y' = b x + d y + ty`.
///
/// The six numbers have the names and places of `CGAffineTransform`.
package struct AffineTransform: Sendable, Hashable {
  package var a: Double
  package var b: Double
  package var c: Double
  package var d: Double
  package var tx: Double
  package var ty: Double

  package init(a: Double, b: Double, c: Double, d: Double, tx: Double, ty: Double) {
    self.a = a
    self.b = b
    self.c = c
    self.d = d
    self.tx = tx
    self.ty = ty
  }

  /// Changes nothing.
  package static let identity = AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0)

  package static func translation(x: Double, y: Double) -> AffineTransform {
    AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: x, ty: y)
  }

  /// A change of size around the origin.
  package static func scale(x: Double, y: Double) -> AffineTransform {
    AffineTransform(a: x, b: 0, c: 0, d: y, tx: 0, ty: 0)
  }

  /// First this transform, then another.
  package func followed(by other: AffineTransform) -> AffineTransform {
    AffineTransform(
      a: a * other.a + b * other.c, b: a * other.b + b * other.d,
      c: c * other.a + d * other.c, d: c * other.b + d * other.d,
      tx: tx * other.a + ty * other.c + other.tx, ty: tx * other.b + ty * other.d + other.ty)
  }

  /// The way back; `nil` where the plane became a line or a point.
  package var inverse: AffineTransform? {
    let determinant = a * d - b * c
    guard abs(determinant) > 1e-12 else { return nil }
    let scale = 1 / determinant
    return AffineTransform(
      a: d * scale, b: -b * scale, c: -c * scale, d: a * scale,
      tx: (c * ty - d * tx) * scale, ty: (b * tx - a * ty) * scale)
  }

  package func apply(to point: LayoutPoint) -> LayoutPoint {
    LayoutPoint(x: a * point.x + c * point.y + tx, y: b * point.x + d * point.y + ty)
  }

  /// The smallest upright rectangle around a rectangle that was transformed.
  package func bounds(of rect: LayoutRect) -> LayoutRect {
    let corners = rect.corners.map { apply(to: $0) }
    let (left, right) = (corners.map(\.x).min() ?? 0, corners.map(\.x).max() ?? 0)
    let (top, bottom) = (corners.map(\.y).min() ?? 0, corners.map(\.y).max() ?? 0)
    return LayoutRect(x: left, y: top, width: right - left, height: bottom - top)
  }

  /// True if upright rectangles stay upright, and their sides keep their directions.
  package var keepsUpright: Bool { b == 0 && c == 0 && a > 0 && d > 0 }

  /// The number of whole pixels it moves by, if it does nothing else; `nil` otherwise.
  var wholeMove: (x: Int, y: Int)? {
    guard a == 1, b == 0, c == 0, d == 1, tx == tx.rounded(), ty == ty.rounded(),
      max(abs(tx), abs(ty)) < 1e9
    else { return nil }
    return (Int(tx), Int(ty))
  }
}
