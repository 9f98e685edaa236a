internal import Glibc

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
    bound = Self.bound(aperture, small: radius / Double(1 << levels), levels: levels)
  }

  /// How far a rim can be off: as much as its softness, times its length, over the shape's area.
  ///
  /// Measured as `KernelBound` does, in two dimensions and over all phases, for radii from 8 to 17
  /// small samples. A disc of small radius r is off by at most 121/r levels of 255 after one level,
  /// 153/r after two, 165/r, 170/r and 173/r after up to five; 2 % are added. A polygon has a longer
  /// rim by one over the cosine of half a side's angle, or up to 3 % more.
  private static func bound(_ aperture: Aperture, small: Double, levels: Int) -> Double {
    let disc = [123, 157, 169, 174, 176, 177.0][min(levels, 6) - 1] / small
    return aperture.blades.map { 1.05 * disc / cos(.pi / Double($0)) } ?? disc
  }
}
