package import FrostglassCore

/// Redactions whose covered pixels are known apart from the code that finds them.
package enum RedactionCases {
  /// A mask with what it must hide.
  package struct Case: Sendable, CustomStringConvertible {
    package var description: String
    package var mask: Mask
    /// Returns true if a shape covers any part of a pixel, found from points in it.
    package var covers: @Sendable (_ x: Int, _ y: Int) -> Bool
  }

  /// The images' size.
  package static let size = Size(width: 61, height: 47)

  /// Shapes of every kind, with margins and feathers, inverted and not, at borders and across them.
  package static func all(_ redaction: Redaction) -> [Case] {
    let shapes: [(String, MaskShape, @Sendable (Double, Double) -> Bool)] = [
      (
        "rectangle", .rectangle(x: 20, y: 15, width: 22, height: 14),
        { (20..<42).contains($0) && (15..<29).contains($1) }
      ),
      (
        "between pixels", .rectangle(x: 10.4, y: 15.7, width: 9.3, height: 14.9),
        { (10.4..<19.7).contains($0) && (15.7..<30.6).contains($1) }
      ),
      (
        "across the border", .rectangle(x: -5, y: 30, width: 25, height: 40),
        { $0 < 20 && $1 >= 30 }
      ),
      (
        "ellipse", .ellipse(x: 11.3, y: 8, width: 41, height: 9.5),
        { x, y in
          let (u, v) = ((x - 31.8) / 20.5, (y - 12.75) / 4.75)
          return u * u + v * v <= 1
        }
      ),
      (
        "triangle",
        .polygon([.init(x: 5, y: 5), .init(x: 52.5, y: 9.2), .init(x: 17.1, y: 40.3)]),
        { x, y in
          func side(_ ax: Double, _ ay: Double, _ bx: Double, _ by: Double) -> Bool {
            (bx - ax) * (y - ay) - (by - ay) * (x - ax) >= 0
          }
          return side(5, 5, 52.5, 9.2) && side(52.5, 9.2, 17.1, 40.3) && side(17.1, 40.3, 5, 5)
        }
      ),
      (
        "picture", .picture(speckles),
        { x, y in speckles.samples[Int(y) * size.width + Int(x)] > 0 }
      ),
    ]
    return shapes.flatMap { name, shape, covers in
      [(Length(0), Length(0), false), (3, 0, false), (2.5, 6, false), (1, 4, true)].map {
        grow, feather, isInverted in
        Case(
          description: "\(name), grow \(grow), feather \(feather), inverted \(isInverted)",
          mask: Mask(
            [shape], feather: feather, grow: grow, isInverted: isInverted, redaction: redaction),
          covers: { x, y in
            let points = stride(from: 0.02, to: 1, by: 0.06)
            return points.contains { v in
              points.contains { u in covers(Double(x) + u, Double(y) + v) != isInverted }
            }
          })
      }
    }
  }

  /// A few spots, some faint.
  private static let speckles: MaskImage = {
    let image = TestImages.make(size.width, size.height, .gray8) { x, y, _ in
      let isSpot = (x - 15) * (x - 15) + (y - 20) * (y - 20) < 40 || (x > 40 && x < 45 && y == 9)
      return isSpot ? ((x + y) % 3 == 0 ? 0.01 : 1) : 0
    }
    return MaskImage(image)
  }()

  /// Two images that differ in every pixel that a case covers, and nowhere else.
  package static func pictures(
    _ item: Case, _ format: PixelFormat, alpha: AlphaMode = .straight
  ) -> (Image, Image) {
    let first = TestImages.noise(size.width, size.height, format, alpha: alpha, seed: 4)
    let other = TestImages.noise(size.width, size.height, format, alpha: alpha, seed: 5)
    var second = first
    for y in 0..<size.height {
      for x in 0..<size.width where item.covers(x, y) {
        for channel in 0..<format.layout.channels {
          second.setSample(
            other.sample(x: x, y: y, channel: channel), x: x, y: y, channel: channel)
        }
      }
    }
    return (first, second)
  }
}
