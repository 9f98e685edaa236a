internal import FrostglassCore

/// An image on a canvas of another shape, before its own enlarged and blurred copy.
public struct Letterbox: Sendable, Hashable {
  /// The canvas.
  public enum Canvas: Sendable, Hashable {
    /// So many pixels; the image is scaled to fit.
    case size(Size)
    /// Width to height; the canvas is the smallest that holds the image, which is not scaled.
    case aspect(width: Double, height: Double)
  }

  /// The position of the image along the axis that has room.
  public enum Alignment: String, Sendable, Hashable, CaseIterable {
    /// In the middle.
    case center, top, bottom, left, right
  }

  /// The canvas's size or shape.
  public var canvas: Canvas
  /// Blur of the copy; percentages refer to the canvas.
  public var sigma: Sigma
  /// The darkening of the copy, from 0 (none) to 1 (black).
  public var dim: Double
  /// The saturation of the copy: 0 is gray, 1 unchanged.
  public var saturation: Double
  /// The radius of the image's corners, at most half its shorter side. Percentages refer to the canvas.
  public var radius: Length
  /// The opacity of the image's shadow, from 0 (none) to 1 (black).
  public var shadow: Double
  /// Room kept free around the image. Percentages refer to the canvas.
  public var margin: Length
  /// The position of the sharp image.
  public var alignment: Alignment

  /// - Parameters:
  ///   - sigma: 0…1000 px.
  ///   - dim: 0…1.
  ///   - saturation: 0…10.
  ///   - radius: 0 px or more.
  ///   - shadow: 0…1.
  ///   - margin: 0 px or more, and less than half of the canvas.
  public init(
    _ canvas: Canvas, sigma: Sigma = Sigma(percent: 4), dim: Double = 0.2, saturation: Double = 1,
    radius: Length = 0, shadow: Double = 0, margin: Length = 0, alignment: Alignment = .center
  ) {
    self.canvas = canvas
    self.sigma = sigma
    self.dim = dim
    self.saturation = saturation
    self.radius = radius
    self.shadow = shadow
    self.margin = margin
    self.alignment = alignment
  }

  /// The canvas as plans.
  ///
  /// - Parameter picture: pixels of the image, which `geometry` may show at another size.
  func design(_ geometry: Geometry, picture: Size) -> CanvasDesign {
    CanvasDesign(
      picture: picture, canvas: geometry.canvas, place: geometry.foreground, cover: geometry.cover,
      radius: geometry.radius, sigma: sigma, dim: dim, saturation: saturation, shadow: shadow)
  }

  /// Refuses what is no number of its range.
  func check() throws(PlanError) {
    for (name, value, range) in [
      ("dim", dim, 0.0...1.0), ("saturation", saturation, 0...10), ("shadow", shadow, 0...1),
    ] {
      guard range.contains(value) else {
        throw .badValue(
          filter: "fill", parameter: name, value: "\(value)",
          accepted: "a number from \(range.lowerBound) to \(range.upperBound)")
      }
    }
  }
}

extension Letterbox {
  /// The layout of the canvas, in whole pixels.
  package struct Geometry: Sendable, Hashable {
    /// The whole canvas.
    package let canvas: Size
    /// The sharp image.
    package let foreground: Rect
    /// The part of the sharp image, in its own pixels, that covers the canvas when it is enlarged.
    package let cover: Rect
    /// The radius of the corners, in pixels.
    package let radius: Double

    /// - Parameter picture: its upright size.
    /// - Throws: `PlanError.badValue` for a margin or radius that cannot be, `PlanError.tooLarge` for
    ///   a canvas of more than `mostPixels`.
    package init(
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
