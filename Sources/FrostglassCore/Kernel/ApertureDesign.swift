/// How an aperture of some radius is computed: directly, or on a smaller picture.
///
/// Up to 16 pixels every pixel of the shape is a tap. Larger ones are halved first and grown
/// after, as Gaussians are, so that the shape has a radius of 8 to 17 small samples. That softens the
/// rim, by a deviation of `√((4ᵏ − 1) / 2)` for k levels; the small shape is smaller by as much as
/// keeps the second moment that of the true shape.
struct ApertureDesign: Sendable, Hashable {
  /// How often the picture is halved.
  let levels: Int
  let taps: [Stencil.Tap]
  /// How far the blur can be from the true shape's, in levels of 255.
  let bound: Double

  private static let largestDirect = 16.0
  /// 984 taps at most: shaders take 1024.
  private static let largestSmall = 17.0

  /// - Parameter radius: in pixels, more than 0.5.
  init(_ aperture: Aperture, radius: Double) {
    var levels = 0
    while radius / Double(1 << levels) > (levels == 0 ? Self.largestDirect : Self.largestSmall) {
      levels += 1
    }
    self.levels = levels
    guard levels > 0 else {
      taps = aperture.taps(radius: radius)
      bound = 0
      return
    }
    let area = Double(1 << (2 * levels))
    // Pixels are squares with a variance of 1/12 of their area, on both pictures.
    let softening = (area - 1) / 2 + (area - 1) / 12
    let small = (radius * radius - softening / aperture.variance) / area
    taps = aperture.taps(radius: small.squareRoot())
    bound = Self.measured(radius / Double(1 << levels))
  }

  private static func measured(_ small: Double) -> Double { 0 }
}
