import FrostglassCore
import Testing

/// Other tools' blur parameters, against what those tools measure (Benchmarks/results/compat.md).
@Suite struct CompatibilityTests {
  @Test(arguments: [
    (Sigma(pillow: 10), 9.972), (Sigma(pillow: 7.5), 7.475), (Sigma(pillowBox: 10), 6.055),
    (Sigma(pillowBox: 2.5), 1.782), (Sigma(vips: 2), 1.618), (Sigma(vips: 20), 16.512),
    (Sigma(vips: 10, minAmplitude: 0.05), 9.445), (Sigma(thumbor: 10), 5.593),
    (Sigma(thumbor: 20, sigma: 10), 8.860), (Sigma(openCV: 3), 0.707), (Sigma(openCV: 7), 1.369),
    (Sigma(openCV: 9), 1.658), (Sigma(openCV: 31), 4.927), (Sigma(openCV: 0, sigma: 10), 9.876),
    (Sigma(imageMagick: 0, sigma: 8), 8.001), (Sigma(imageMagick: 5, sigma: 8), 3.067),
    (Sigma(imageMagickGaussian: 0, sigma: 20), 19.232),
    (Sigma(imageMagickGaussian: 5, sigma: 8), 3.066), (Sigma(svg: 5), 4.966),
    (Sigma(cssShadow: 20), 9.969),
  ])
  func areWhatTheToolsDo(sigma: Sigma, measured: Double) {
    #expect(sigma.unit == .pixels)
    #expect(abs(sigma.value / measured - 1) < 0.01, "\(sigma), measured \(measured)")
  }

  /// ImageEffects' boxes are 39 and 57 wide for radius 20 and 30. GPUImage's taps end at 58 for radius 48.
  @Test func whatRunsElsewhereIsComputed() {
    #expect(abs(Sigma(imageEffects: 20).value - 19.49) < 0.01)
    #expect(abs(Sigma(imageEffects: 30).value - 28.50) < 0.01)
    #expect(abs(Sigma(gpuImage: 2).value - 2) < 0.02)
    #expect((27...33).contains(Sigma(gpuImage: 48).value))
    #expect(Sigma(gpuImage: 12.4) == Sigma(gpuImage: 12))
    #expect(Sigma(gpuImage: 0.4) == 0)
    #expect(Sigma(figma: 32) == 16)
  }

  @Test(arguments: [
    ("pillow:10", Sigma(10)), ("PILLOW: 7.5", Sigma(7.5)), ("pillow-box:4", Sigma(pillowBox: 4)),
    ("vips:10", Sigma(vips: 10)), ("vips:10x0.05", Sigma(vips: 10, minAmplitude: 0.05)),
    ("thumbor:10", Sigma(thumbor: 10)), ("thumbor:10x3", Sigma(thumbor: 10, sigma: 3)),
    ("opencv:31", Sigma(openCV: 31)), ("opencv:0x5", Sigma(openCV: 0, sigma: 5)),
    ("imagemagick:0x8", Sigma(imageMagick: 0, sigma: 8)),
    ("imagemagick:8", Sigma(imageMagick: 8, sigma: 1)), ("css-shadow:10", Sigma(5)),
    ("uikit:20", Sigma(20, .points)), ("image-effects:20", Sigma(imageEffects: 20)),
    ("figma:8", Sigma(4)), ("css:4px", Sigma(4)), ("css-shadow:10px", Sigma(5)),
    ("uikit:20pt", Sigma(20, .points)),
  ])
  func textForms(text: String, sigma: Sigma) throws {
    #expect(Sigma(text: text) == sigma)
    #expect(try FilterChain(text: "gaussian(\(text))") == [.gaussian(sigma: sigma)])
  }

  @Test(arguments: [
    "pilow:10", "pillow:", "pillow:x", "pillow:1x2", "pillow:-1", "pillow:1px", "css:4pt", "css:px",
    "uikit:2px", ":10", "opencv:2.5",
    "pillow:10:1", "thumbor:1x2x3", "pillow:2000", "vips:1e9", "opencv:nan",
  ])
  func whatIsNotOneIsRefused(text: String) {
    #expect(Sigma(text: text) == nil)
  }

  /// Invalid standard deviations stay invalid, so that planning refuses them.
  @Test(arguments: [Double.nan, -1, .infinity]) func whatIsNoSigmaIsNoOtherTools(_ sigma: Double) {
    for made in [Sigma(thumbor: 5, sigma: sigma), Sigma(openCV: 5, sigma: sigma)] {
      #expect(!Sigma.range.contains(made.value), "\(made)")
    }
  }

  /// No blur is no blur in every tool, more is more, and no number is a trap.
  @Test(arguments: BlurTool.allCases)
  func numbersOfAllSizes(tool: BlurTool) {
    for number in ["0", "0.001", "1", "149", "151", "1000", "9999", "10000", "99999"] {
      for text in [number, number + "x0", number + "x0.00001", number + "x7", number + "x10000"] {
        if let sigma = Sigma(text: "\(tool.rawValue):\(text)") {
          #expect(Sigma.range.contains(sigma.value), "\(tool) \(text)")
        }
      }
    }
    // OpenCV's sizes are odd, and 1 is nothing.
    let steps = tool == .opencv ? ["1", "3", "9", "21", "81"] : ["0", "2", "5", "11", "40"]
    let tail = tool == .imagemagick || tool == .imagemagickGaussian ? "0x" : ""
    let sigmas = steps.compactMap { Sigma(text: "\(tool.rawValue):\(tail)\($0)")?.value }
    #expect(sigmas.count == steps.count && sigmas.first == 0)
    #expect(zip(sigmas, sigmas.dropFirst()).allSatisfy { $0 < $1 }, "\(tool) \(sigmas)")
  }
}
