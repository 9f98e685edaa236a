extension Sigma {
  /// ImageMagick's `-blur radiusxsigma`; radius 0 lets it choose.
  ///
  /// Each weight is the mean of a Gaussian at three places of its pixel, which widens it a little; a
  /// radius cuts the kernel. Source: ImageMagick 6, AcquireKernelInfo.
  public init(imageMagick radius: Double, sigma: Double) {
    guard let reach = Self.imageMagickReach(radius, sigma, axes: 1) else {
      self.init(sigma)
      return
    }
    let weights = (0...reach).map { place in
      (-1...1).reduce(0.0) { sum, third in
        sum + SymmetricKernel.gaussian(Double(3 * place + third) / 3, sigma)
      }
    }
    self.init(SymmetricKernel(weights: weights))
  }

  /// ImageMagick's `-gaussian-blur radiusxsigma`; radius 0 lets it choose.
  ///
  /// Its square kernel ends where one weight of the square no longer counts in 16 bits, which cuts
  /// large sigmas: at 20 it loses 4 percent.
  public init(imageMagickGaussian radius: Double, sigma: Double) {
    guard let reach = Self.imageMagickReach(radius, sigma, axes: 2) else {
      self.init(sigma)
      return
    }
    self.init(.gaussian(sigma: sigma, radius: reach))
  }

  /// Pixels to each side: the radius, or as far as a weight on an axis is 1/65535 of them all; `nil`
  /// where there is nothing to blur, or too much.
  private static func imageMagickReach(_ radius: Double, _ sigma: Double, axes: Int) -> Int? {
    guard sigma > 0, sigma <= mostForeign, radius >= 0, radius <= mostForeign else { return nil }
    if radius > 0 { return Int(radius.rounded(.up)) }
    var reach = 2
    var sum = 1 + 2 * SymmetricKernel.gaussian(1, sigma)
    while true {
      let weight = SymmetricKernel.gaussian(Double(reach), sigma)
      sum += 2 * weight
      guard weight / (axes == 1 ? sum : sum * sum) >= 1.0 / 65535 else { return reach - 1 }
      reach += 1
    }
  }
}
