// Blurs whose strength differs from pixel to pixel.
extension Planner {
  /// Blurs with standard deviations of `most × coverage` at each pixel.
  ///
  /// The picture is blurred with a few standard deviations, from 0 to `most`, and what lies between
  /// two of them is their mix with the same variance, see `BlurWindow`. Each of the pictures is
  /// computed only where it shows.
  ///
  /// - Parameters:
  ///   - mostX: along x, in pixels, 0…1000.
  ///   - mostY: along y; as along x when left out.
  ///   - edge: the edge mode, for what lies beyond the image; `nil` means the options'.
  mutating func gaussian(
    _ source: Surface, upTo mostX: Double, _ mostY: Double? = nil, by coverage: Coverage,
    edge: EdgeMode? = nil
  ) -> Surface {
    usedStrength = true
    let mostY = mostY ?? mostX
    let most = max(mostX, mostY)
    guard most > GaussianDesign.weakestSigma else { return source }
    // Once for all of the pictures that are mixed.
    let source = (edge ?? options.edge) == .transparent ? covered(source) : source
    let scales = BlurScales(upTo: most)
    var result = source
    for (low, high) in zip(scales.sigmas, scales.sigmas.dropFirst()) {
      var part = coverage
      part.window = BlurWindow(from: low, to: high, most: most)
      result = masked(
        result, gaussian(source, x: high * mostX / most, y: high * mostY / most, edge: edge),
        by: part)
    }
    return result.adding(model: BlurScales.worstError)
  }
}

/// The standard deviations that a variable blur mixes.
package struct BlurScales {
  /// The deviations from 0 to the largest: each is at most 5/4 of the one before, except for the first two.
  package let sigmas: [Double]

  /// The ratio of neighbors.
  private static let ratio = 1.25
  /// The ratio of neighbors where kernels are a few pixels wide and differ more in their shapes, and the largest σ of
  /// these.
  private static let (smallRatio, largestSmall) = (1.21, 0.92)
  /// Up to here three taps are nearly all of the kernel, and a mix of it with the picture itself is
  /// nearly the kernel of any smaller σ.
  private static let first = 0.46

  package init(upTo most: Double) {
    guard most > 0 else {
      sigmas = []
      return
    }
    var sigmas = [most]
    while let last = sigmas.last, last > BlurScales.first {
      sigmas.append(
        last / (last > BlurScales.largestSmall ? BlurScales.ratio : BlurScales.smallRatio))
    }
    self.sigmas = [0] + sigmas.reversed()
  }

  /// The most that a mix of two scales differs from the Gaussian between them, in levels of 255, for any
  /// picture: 127.5 times the sum of the kernels' absolute difference, in two dimensions.
  ///
  /// For a picture that is 255 where the difference is positive, and 0 elsewhere, it is just that. Of all mixes
  /// of two neighbors that there can be, the largest is 4.02, between 1.33 and 1.66; it is under 3.9 for large
  /// ones, where kernels are as smooth as the bell itself.
  package static let worstError = 4.1
}
