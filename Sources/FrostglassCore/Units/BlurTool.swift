internal import Glibc

/// Other tools whose blur parameters can be given as they are: `--sigma pillow:10`.
///
/// Each is turned into the standard deviation of what that tool really does, which is not always the
/// number it calls sigma. The formulas' sources are at the initializers of `Sigma`; what the tools
/// measure is in Benchmarks/results/compat.md.
package enum BlurTool: String, Sendable, Hashable, CaseIterable {
  case css
  case cssShadow = "css-shadow"
  case figma
  case gpuimage
  case imageEffects = "image-effects"
  case imagemagick
  case imagemagickGaussian = "imagemagick-gaussian"
  case opencv
  case pillow
  case pillowBox = "pillow-box"
  case svg
  case thumbor
  case uikit
  case vips

  /// The syntax of its numbers.
  package var usage: String {
    switch self {
    case .css, .svg, .uikit, .figma, .gpuimage, .cssShadow, .pillow, .pillowBox, .imageEffects:
      "\(rawValue):N"
    case .imagemagick, .imagemagickGaussian: "\(rawValue):RADIUSxSIGMA"
    case .opencv: "\(rawValue):KSIZE or \(rawValue):KSIZExSIGMA"
    case .thumbor: "\(rawValue):RADIUS or \(rawValue):RADIUSxSIGMA"
    case .vips: "\(rawValue):SIGMA or \(rawValue):SIGMAxMIN_AMPL"
    }
  }

  /// The unit that may follow its number, as the tool itself writes it.
  private var unit: String {
    switch self {
    case .css, .cssShadow, .figma, .svg: "px"
    case .uikit: "pt"
    default: ""
    }
  }

  /// Returns the standard deviation for the tool's numbers; `nil` for too many of them.
  func sigma(_ first: Double, _ second: Double?) -> Sigma? {
    switch (self, second) {
    case (.css, nil): Sigma(cssBlur: first)
    case (.cssShadow, nil): Sigma(cssShadow: first)
    case (.figma, nil): Sigma(figma: first)
    case (.gpuimage, nil): Sigma(gpuImage: first)
    case (.imageEffects, nil): Sigma(imageEffects: first)
    case (.imagemagick, _): Sigma(imageMagick: first, sigma: second ?? 1)
    case (.imagemagickGaussian, _): Sigma(imageMagickGaussian: first, sigma: second ?? 1)
    case (.opencv, _):
      // OpenCV takes odd sizes, or 0 for the size that suits σ.
      Int(exactly: first).flatMap { size in
        size == 0 || size % 2 == 1 ? Sigma(openCV: size, sigma: second ?? 0) : nil
      }
    case (.pillow, nil): Sigma(pillow: first)
    case (.pillowBox, nil): Sigma(pillowBox: first)
    case (.svg, nil): Sigma(svg: first)
    case (.thumbor, _): Int(exactly: first).map { Sigma(thumbor: $0, sigma: second ?? 0) }
    case (.uikit, nil): Sigma(first, .points)
    case (.vips, _):
      (0.001...1).contains(second ?? 0.2) ? Sigma(vips: first, minAmplitude: second ?? 0.2) : nil
    default: nil
    }
  }

  /// Reads `tool:number` or `tool:numberxnumber`; `nil` for anything else.
  static func sigma(text: String) -> Sigma? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let tool = BlurTool(rawValue: trimmed(parts[0]).lowercased()) else {
      return nil
    }
    let written = trimmed(parts[1]).lowercased()
    let bare = written.hasSuffix(tool.unit) ? written.dropLast(tool.unit.count) : written[...]
    let words = bare.split(separator: "x", omittingEmptySubsequences: false)
    let numbers = words.compactMap { Quantity(String($0), units: [""])?.number }
    guard numbers.count == words.count, (1...2).contains(numbers.count),
      numbers.allSatisfy({ (0...10_000).contains($0) }),
      let sigma = tool.sigma(numbers[0], numbers.count == 2 ? numbers[1] : nil)
    else { return nil }
    return Sigma.range.contains(sigma.value) ? sigma : nil
  }
}

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
  /// 7blur does the same on an image of a quarter of the size: its radius comes to four times as
  /// much. Computed, not measured: both run on Apple's systems only.
  public init(imageEffects radius: Double) {
    guard radius > 0, radius <= Sigma.mostForeign else {
      self.init(radius)
      return
    }
    self.init(OddBoxes(radius: radius).sigma)
  }
}

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
    guard sigma >= 0, sigma <= Sigma.mostForeign else {
      self.init(sigma)
      return
    }
    guard radius > 0, radius <= Int(Sigma.mostForeign) else {
      self.init(Double(radius))
      return
    }
    self.init(.gaussian(sigma: sigma == 0 ? Double(radius) : sigma, radius: min(radius, 150)))
  }

  /// OpenCV's `GaussianBlur` with a kernel of `size` and a sigma; either may be 0.
  ///
  /// Sigma 0 follows from the size, `0.3 ((size − 1) / 2 − 1) + 0.8`, but up to size 9 the kernels are
  /// fixed. Size 0 follows from sigma: 3 sigma to each side, for 8-bit images. Source: OpenCV's
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

/// A tool's blur along one axis as weights, center first: what it comes to is its second moment.
private struct SymmetricKernel {
  /// `weights[k]` belongs to both samples at distance k; they need not sum to 1.
  var weights: [Double]

  /// The standard deviation of a blur with these weights, in pixels.
  var standardDeviation: Double {
    var sum = weights.first ?? 0
    var moment = 0.0
    for (distance, weight) in weights.enumerated().dropFirst() {
      sum += 2 * weight
      moment += 2 * weight * Double(distance * distance)
    }
    return sum > 0 ? (moment / sum).squareRoot() : 0
  }

  /// A Gaussian sampled at whole pixels and cut after `radius`.
  static func gaussian(sigma: Double, radius: Int) -> SymmetricKernel {
    SymmetricKernel(weights: (0...max(radius, 0)).map { Self.gaussian(Double($0), sigma) })
  }

  static func gaussian(_ x: Double, _ sigma: Double) -> Double {
    sigma > 0 ? exp(-x * x / (2 * sigma * sigma)) : (x == 0 ? 1 : 0)
  }
}

extension Sigma {
  /// The standard deviation of a kernel, in pixels.
  fileprivate init(_ kernel: SymmetricKernel) { self.init(kernel.standardDeviation) }

  /// Beyond this a number is no blur of any tool; conversions give it back as it is, and planning
  /// refuses it. Keeps their loops short.
  private static let mostForeign = 10_000.0
}
