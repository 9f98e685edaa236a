extension Sigma {
  /// `stdDeviation` of SVG's `feGaussianBlur`, in pixels. Source: Filter Effects Module Level 1.
  public init(svg stdDeviation: Double) { self.init(stdDeviation) }

  /// Figma's layer blur or background blur, whose number is twice the standard deviation: Figma hands
  /// a blur of 32 over to CSS as `blur(16px)`.
  public init(figma blur: Double) { self.init(blur / 2) }

  /// GPUImage's `blurRadiusInPixels`.
  ///
  /// GPUImage rounds it to a whole standard deviation and ends the kernel where the weight falls
  /// below 1/256, which is nearer than it looks: over 62 the kernel shrinks again. From 103 on there is
  /// none, and the number is taken as it is. Source: GPUImageGaussianBlurFilter.m. Computed, not
  /// measured: it runs on Apple's systems only.
  public init(gpuImage radius: Double) {
    guard (0.5..<102.5).contains(radius) else {
      self.init(radius < 0.5 && radius >= 0 ? 0 : radius)
      return
    }
    let sigma = radius.rounded()
    let full = 2.50662827463 * sigma / 256
    var reach = 0
    while SymmetricKernel.gaussian(Double(reach + 1), sigma) >= full { reach += 1 }
    self.init(.gaussian(sigma: sigma, radius: reach + reach % 2))
  }

  /// The radius of Apple's sample UIImage+ImageEffects, times the screen's scale: three boxes of odd
  /// width, see `OddBoxes`.
  ///
  /// 7blur does the same on a picture of a quarter of the size: its radius comes to four times as
  /// much. Computed, not measured: both run on Apple's systems only.
  public init(imageEffects radius: Double) {
    guard radius > 0, radius <= Sigma.mostForeign else {
      self.init(radius)
      return
    }
    self.init(OddBoxes(radius: radius).sigma)
  }
}
