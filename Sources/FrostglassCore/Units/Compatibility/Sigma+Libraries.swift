extension Sigma {
  /// Pillow's `ImageFilter.GaussianBlur(radius)`.
  ///
  /// Three box blurs with fractional borders, chosen so that their variances add up to radius².
  /// Source: Pillow's BoxBlur.c.
  public init(pillow radius: Double) { self.init(radius) }

  /// Pillow's `ImageFilter.BoxBlur(radius)`: the Gaussian as wide as that box.
  ///
  /// The box counts `2 radius + 1` pixels, the outermost two in part. For whole radii the filter
  /// `box` gives the box itself.
  public init(pillowBox radius: Double) {
    guard radius > 0, radius <= Sigma.mostForeign else {
      self.init(radius)
      return
    }
    let whole = Int(radius)
    let weights = [Double](repeating: 1, count: whole + 1) + [radius - Double(whole)]
    self.init(SymmetricKernel(weights: weights))
  }

  /// libvips' `gaussblur(sigma, min_ampl)` with its default precision, integer.
  ///
  /// The mask ends before the first weight under `min_ampl` of the middle one, and holds twentieths:
  /// the blur is narrower than asked for. With 0.2, libvips' default, by about a fifth. Source:
  /// libvips, gaussmat.
  public init(vips sigma: Double, minAmplitude: Double = 0.2) {
    guard sigma >= 0.2, sigma <= Sigma.mostForeign, minAmplitude > 0 else {
      self.init(sigma < 0.2 && sigma >= 0 ? 0 : sigma)
      return
    }
    let most = min(Int(8 * sigma), 5000)
    var radius = 0
    while radius < most,
      SymmetricKernel.gaussian(Double(radius + 1), sigma) >= minAmplitude
    { radius += 1 }
    let weights = SymmetricKernel.gaussian(sigma: sigma, radius: radius).weights
    self.init(SymmetricKernel(weights: weights.map { (20 * $0).rounded(.toNearestOrEven) }))
  }

  /// thumbor's `blur(radius, sigma)`; without sigma it is the radius.
  ///
  /// The kernel ends at the radius, so `blur(10)` is cut at one standard deviation. Over 150 only
  /// sigma follows the radius. Source: thumbor's filters/blur.py.
  public init(thumbor radius: Int, sigma: Double = 0) {
    guard radius > 0, radius <= Int(Sigma.mostForeign) else {
      self.init(Double(radius))
      return
    }
    self.init(.gaussian(sigma: sigma == 0 ? Double(radius) : sigma, radius: min(radius, 150)))
  }

  /// OpenCV's `GaussianBlur` with a kernel of `size` and a sigma; either may be 0.
  ///
  /// Sigma 0 follows from the size, `0.3 ((size − 1) / 2 − 1) + 0.8`, but up to size 9 the kernels are
  /// fixed. Size 0 follows from sigma: 3 sigma to each side, for 8-bit pictures. Source: OpenCV's
  /// getGaussianKernel.
  public init(openCV size: Int, sigma: Double = 0) {
    guard (0...Int(Sigma.mostForeign)).contains(size), sigma >= 0, sigma <= Sigma.mostForeign else {
      self.init(size < 0 ? Double(size) : sigma)
      return
    }
    let fixed: [Int: [Double]] = [
      1: [1], 3: [2, 1], 5: [6, 4, 1], 7: [9, 7, 3.5, 1], 9: [60, 51, 30, 13, 4],
    ]
    if sigma == 0 {
      guard size > 0 else {
        self.init(0)
        return
      }
      let following = 0.3 * (Double(size - 1) / 2 - 1) + 0.8
      self.init(
        fixed[size].map { SymmetricKernel(weights: $0) }
          ?? .gaussian(sigma: following, radius: size / 2))
      return
    }
    let width = size > 0 ? size : Int((6 * sigma + 1).rounded(.toNearestOrEven)) | 1
    self.init(.gaussian(sigma: sigma, radius: width / 2))
  }
}
