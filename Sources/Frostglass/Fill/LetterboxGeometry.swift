/// Where everything is on the canvas, in whole pixels.
public struct LetterboxGeometry: Sendable, Hashable {
  public let canvas: Size
  /// The sharp picture.
  public let foreground: Rect
  /// The part of the sharp picture, in its own pixels, that covers the canvas when it is enlarged.
  public let cover: Rect
  /// Of the corners, in pixels.
  public let radius: Double

  /// - Parameter picture: its upright size.
  /// - Throws: `PlanError.badValue` for a margin or radius that cannot be, `PlanError.tooLarge` for
  ///   a canvas of more than `mostPixels`.
  public init(
    _ letterbox: Letterbox, picture: Size, mostPixels: Int = .max
  ) throws(PlanError) {
    canvas = try Self.canvas(letterbox, picture, mostPixels)
    let margin = try letterbox.margin.pixels(
      for: canvas, scale: 1, in: 0...Double((canvas.shorterSide - 1) / 2), filter: "fill",
      parameter: "margin")
    let border = Int(margin.rounded())
    let box = Size(width: canvas.width - 2 * border, height: canvas.height - 2 * border)
    let size = picture.fitted(in: box)
    let room = (x: canvas.width - size.width, y: canvas.height - size.height)
    let x =
      switch letterbox.alignment {
      case .left: border
      case .right: room.x - border
      default: room.x / 2
      }
    let y =
      switch letterbox.alignment {
      case .top: border
      case .bottom: room.y - border
      default: room.y / 2
      }
    foreground = Rect(x: x, y: y, width: size.width, height: size.height)
    let part = canvas.fitted(in: size)
    cover = Rect(
      x: (size.width - part.width) / 2, y: (size.height - part.height) / 2, width: part.width,
      height: part.height)
    radius = min(
      try letterbox.radius.pixels(
        for: canvas, scale: 1, in: 0...1e6, filter: "fill", parameter: "radius"),
      Double(size.shorterSide) / 2)
  }

  private static func canvas(
    _ letterbox: Letterbox, _ picture: Size, _ mostPixels: Int
  ) throws(PlanError) -> Size {
    let canvas: Size
    switch letterbox.canvas {
    case .size(let size): canvas = size
    case .aspect(let width, let height):
      let aspect = width / height
      guard aspect.isFinite, (0.001...1000).contains(aspect) else {
        throw .badValue(
          filter: "fill", parameter: "aspect", value: "\(width):\(height)",
          accepted: "from 1:1000 to 1000:1")
      }
      let isWider = Double(picture.width) >= aspect * Double(picture.height)
      canvas = Size(
        width: isWider ? picture.width : Int((aspect * Double(picture.height)).rounded()),
        height: isWider ? Int((Double(picture.width) / aspect).rounded()) : picture.height)
    }
    guard canvas.width >= 1, canvas.height >= 1 else {
      throw .badValue(
        filter: "fill", parameter: "size", value: "\(canvas)", accepted: "1×1 or more")
    }
    guard canvas.width <= mostPixels / canvas.height else {
      throw .tooLarge(canvas, limit: "\(mostPixels) pixels")
    }
    return canvas
  }
}

extension Size {
  /// The largest size of this shape inside another; no side below 1.
  func fitted(in box: Size) -> Size {
    let isWider = width * box.height >= box.width * height
    let scale =
      isWider
      ? Double(box.width) / Double(width) : Double(box.height) / Double(height)
    func scaled(_ length: Int) -> Int { max(1, Int((Double(length) * scale).rounded())) }
    return Size(
      width: isWider ? box.width : min(scaled(width), box.width),
      height: isWider ? min(scaled(height), box.height) : box.height)
  }
}
