/// Other tools whose blur parameters can be given as they are: `--sigma pillow:10`.
///
/// Each is turned into the standard deviation of what that tool really does, which is not always the
/// number it calls sigma. The formulas' sources are at the initializers of `Sigma`; what the tools
/// measure is in docs/compat.md.
public enum BlurTool: String, Sendable, Hashable, CaseIterable {
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

  /// How its numbers are written.
  public var usage: String {
    switch self {
    case .css, .svg, .uikit, .figma, .gpuimage, .cssShadow, .pillow, .pillowBox, .imageEffects:
      "\(rawValue):N"
    case .imagemagick, .imagemagickGaussian: "\(rawValue):RADIUSxSIGMA"
    case .opencv: "\(rawValue):KSIZE or \(rawValue):KSIZExSIGMA"
    case .thumbor: "\(rawValue):RADIUS or \(rawValue):RADIUSxSIGMA"
    case .vips: "\(rawValue):SIGMA or \(rawValue):SIGMAxMIN_AMPL"
    }
  }

  /// What the tool's numbers come to; `nil` for too many of them.
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
    let words = trimmed(parts[1]).lowercased().split(
      separator: "x", omittingEmptySubsequences: false)
    let numbers = words.compactMap { Quantity(String($0), units: [""])?.number }
    guard numbers.count == words.count, (1...2).contains(numbers.count),
      numbers.allSatisfy({ (0...10_000).contains($0) }),
      let sigma = tool.sigma(numbers[0], numbers.count == 2 ? numbers[1] : nil)
    else { return nil }
    return Sigma.range.contains(sigma.value) ? sigma : nil
  }
}
