internal import FrostglassCore
internal import Glibc

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
struct CornerCoverage {
  private let size: Size
  /// Pixels to which a corner reaches.
  private let side: Int
  /// The top left corner's pixels, row by row.
  private let table: [Double]

  /// - Parameter radius: in pixels, at most half the shorter side.
  init(_ size: Size, radius: Double) {
    self.size = size
    side = Int(radius.rounded(.up))
    var table: [Double] = []
    for y in 0..<side {
      for x in 0..<side { table.append(Self.coverage(x: x, y: y, radius: radius)) }
    }
    self.table = table
  }

  /// 0…1, for a pixel of the rectangle.
  func at(x: Int, y: Int) -> Double {
    let fromSide = min(x, size.width - 1 - x)
    let fromEnd = min(y, size.height - 1 - y)
    guard fromSide < side, fromEnd < side else { return 1 }
    return table[fromEnd * side + fromSide]
  }

  /// The columns of a row that are wholly covered.
  func solidColumns(y: Int) -> Range<Int> {
    min(y, size.height - 1 - y) < side ? side..<max(size.width - side, side) : 0..<size.width
  }

  /// The mean over 64 lines through the pixel; along a line it is exact.
  private static func coverage(x: Int, y: Int, radius: Double) -> Double {
    var sum = 0.0
    for line in 0..<64 {
      let distance = radius - Double(y) - (Double(line) + 0.5) / 64
      // Below the circle's middle the edge is straight.
      let edge = distance <= 0 ? 0 : radius - sqrt(max(0, radius * radius - distance * distance))
      sum += max(0, min(1, Double(x + 1) - edge))
    }
    return sum / 64
  }
}
