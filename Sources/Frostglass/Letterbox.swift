internal import FrostglassCore
internal import Glibc

/// A picture on a canvas of another shape, before its own enlarged and blurred copy.
public struct Letterbox: Sendable, Hashable {
  /// The canvas.
  public enum Canvas: Sendable, Hashable {
    /// So many pixels; the picture is scaled to fit.
    case size(Size)
    /// Width to height; the canvas is the smallest that holds the picture, which is not scaled.
    case aspect(width: Double, height: Double)
  }

  /// Where the picture is put, along the axis on which there is room.
  public enum Alignment: String, Sendable, Hashable, CaseIterable {
    /// In the middle.
    case center, top, bottom, left, right
  }

  /// The canvas's size or shape.
  public var canvas: Canvas
  /// Blur of the copy; percentages refer to the canvas.
  public var sigma: Sigma
  /// How much darker the copy is: 0 not at all, 1 black.
  public var dim: Double
  /// How colorful the copy is: 0 is gray, 1 as the picture.
  public var saturation: Double
  /// Of the picture's corners; at most half its shorter side counts. Percentages refer to the
  /// canvas.
  public var radius: Length
  /// How black the picture's shadow is: 0 no shadow, 1 black.
  public var shadow: Double
  /// Room kept free around the picture. Percentages refer to the canvas.
  public var margin: Length
  /// Where the sharp picture is.
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

  /// What is done to the copy.
  ///
  /// - Parameter gray: whether it has no colors to make more or less of.
  func backdrop(gray: Bool) -> FilterChain {
    var chain: FilterChain = [.gaussian(sigma: sigma)]
    if saturation != 1, !gray { chain.append(.saturate(saturation)) }
    if dim > 0 { chain.append(.brightness(1 - dim)) }
    return chain
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
  /// Where everything is on the canvas, in whole pixels.
  package struct Geometry: Sendable, Hashable {
    /// The whole canvas.
    package let canvas: Size
    /// The sharp picture.
    package let foreground: Rect
    /// The part of the sharp picture, in its own pixels, that covers the canvas when it is enlarged.
    package let cover: Rect
    /// Of the corners, in pixels.
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

/// Puts the sharp picture, its shadow and the backdrop together.
struct LetterboxCanvas {
  let geometry: Letterbox.Geometry
  let foreground: Image
  let backdrop: Image
  /// The shadow, 0…1, as large as the canvas; `nil` for none.
  let shadow: Image?
  /// How black the shadow is.
  let shadowStrength: Double
  /// Behind transparent parts where the result has no alpha.
  let background: Color

  /// - Parameters:
  ///   - format: the result's; with alpha it is straight.
  ///   - cancellation: looked at for every row.
  /// - Throws: `.cancelled` or `.deadlineExceeded`.
  func composed(
    as format: PixelFormat, _ cancellation: Cancellation
  ) throws(FrostglassError) -> Image {
    var result =
      backdrop.format == format ? backdrop : Image(zeros: geometry.canvas, format: format)
    let corners = CornerCoverage(geometry.foreground.size, radius: geometry.radius)
    let area = geometry.foreground
    for y in 0..<geometry.canvas.height {
      try cancellation.checkJob()
      let copied = copyRow(y, corners, into: &result)
      for x in 0..<geometry.canvas.width where !copied.contains(x) {
        let isInside = area.columns.contains(x) && area.rows.contains(y)
        guard isInside || shadow != nil || backdrop.format != format else { continue }
        let coverage = isInside ? corners.at(x: x - area.x, y: y - area.y) : 0
        result.set(pixel(x, y, coverage), x: x, y: y, on: background)
      }
    }
    return result
  }

  /// Copies what needs no arithmetic: the opaque picture away from its corners.
  ///
  /// - Returns: the columns that are done.
  private func copyRow(_ y: Int, _ corners: CornerCoverage, into result: inout Image) -> Range<Int>
  {
    let area = geometry.foreground
    guard area.rows.contains(y), foreground.format == result.format,
      !foreground.format.layout.hasAlpha
    else { return 0..<0 }
    let columns = corners.solidColumns(y: y - area.y)
    let pixel = foreground.format.bytesPerPixel
    let source = (y - area.y) * foreground.bytesPerRow + columns.lowerBound * pixel
    let target = y * result.bytesPerRow + (area.x + columns.lowerBound) * pixel
    result.bytes.replaceSubrange(
      target..<target + columns.count * pixel,
      with: foreground.bytes[source..<source + columns.count * pixel])
    return area.x + columns.lowerBound..<area.x + columns.upperBound
  }

  /// The picture over its shadow over the backdrop, premultiplied.
  private func pixel(_ x: Int, _ y: Int, _ coverage: Double) -> SIMD4<Double> {
    var color = backdrop.premultipliedPixel(x: x, y: y)
    if let shadow {
      let darkness = shadowStrength * Double(shadow.sample(x: x, y: y, channel: 0))
      color = color * (1 - darkness) + SIMD4(0, 0, 0, darkness)
    }
    guard coverage > 0 else { return color }
    let area = geometry.foreground
    let top = foreground.premultipliedPixel(x: x - area.x, y: y - area.y) * coverage
    return top + color * (1 - top.w)
  }
}

extension Image {
  /// Writes a premultiplied color, straight where there is alpha, else composed on `background`.
  fileprivate mutating func set(_ color: SIMD4<Double>, x: Int, y: Int, on background: Color) {
    let straight: SIMD4<Double>
    if format.layout.hasAlpha {
      straight = color.w > 0 ? SIMD4(color.x, color.y, color.z, color.w * color.w) / color.w : color
    } else {
      let behind = background.components * (1 - color.w)
      straight = color + SIMD4(behind.x, behind.y, behind.z, 0)
    }
    for channel in 0..<format.layout.channels {
      setSample(Float(straight[channel]), x: x, y: y, channel: channel)
    }
  }
}

/// How much of each pixel a rectangle with rounded corners covers.
package struct CornerCoverage {
  /// The pixels of a row of the top left corner that are covered in part.
  private struct Row {
    /// Those before are not covered.
    let first: Int
    /// Where their coverages are; those behind are covered wholly.
    let place: Range<Int>
  }

  private let size: Size
  /// Pixels to which a corner reaches.
  private let side: Int
  private let rows: [Row]
  /// Of all rows. A large corner has few pixels that are covered in part, and many others.
  private let values: [Double]

  /// - Parameter radius: in pixels, at most half the shorter side.
  package init(_ size: Size, radius: Double) {
    self.size = size
    side = Int(radius.rounded(.up))
    var (rows, values): ([Row], [Double]) = ([], [])
    for y in 0..<side {
      let edges = Self.edges(y: y, radius: radius)
      let first = Int((edges.min() ?? 0).rounded(.down))
      let end = max(first, min(Int((edges.max() ?? 0).rounded(.up)), side))
      let start = values.count
      for x in first..<end {
        // The mean over lines through the pixel; along a line it is exact.
        let sum = edges.reduce(0) { $0 + max(0, min(1, Double(x + 1) - $1)) }
        values.append(sum / Double(edges.count))
      }
      rows.append(Row(first: first, place: start..<values.count))
    }
    (self.rows, self.values) = (rows, values)
  }

  /// 0…1, for a pixel of the rectangle.
  package func at(x: Int, y: Int) -> Double {
    let fromSide = min(x, size.width - 1 - x)
    let fromEnd = min(y, size.height - 1 - y)
    guard fromSide < side, fromEnd < side else { return 1 }
    let row = rows[fromEnd]
    guard fromSide >= row.first else { return 0 }
    let place = row.place.lowerBound + fromSide - row.first
    return row.place.contains(place) ? values[place] : 1
  }

  /// The columns of a row that are wholly covered.
  func solidColumns(y: Int) -> Range<Int> {
    min(y, size.height - 1 - y) < side ? side..<max(size.width - side, side) : 0..<size.width
  }

  /// Where the corner begins on 64 lines through a row.
  private static func edges(y: Int, radius: Double) -> [Double] {
    (0..<64).map { line in
      let distance = radius - Double(y) - (Double(line) + 0.5) / 64
      // Below the circle's middle the edge is straight.
      return distance <= 0 ? 0 : radius - sqrt(max(0, radius * radius - distance * distance))
    }
  }
}
