import FrostglassCPU
import FrostglassCore
import Glibc
import TestSupport
import Testing

/// GPUImage's filters by GPUImage's formulas, computed apart.
struct GPUImageTests {
  static let gray = PixelFormat(.gray, .float32)
  static let rgba = PixelFormat(.rgba, .float32)

  /// The radius is rounded to whole pixels and is σ.
  @Test(arguments: [(2.0, 2.0), (2.4, 2), (2.5, 3), (0.4, 0), (12, 12)])
  func theGaussiansRadiusIsSigma(radius: Double, sigma: Double) throws {
    let filter = GPUImageGaussian(blurRadiusInPixels: radius)
    #expect(filter.chain == [.gaussian(sigma: Sigma(sigma))])
    #expect(GPUImageGaussian().blurRadiusInPixels == 2)
  }

  @Test func severalPassesAddTheirVariances() throws {
    let filter = GPUImageGaussian(blurRadiusInPixels: 3, blurPasses: 4)
    #expect(filter.chain == [.gaussian(sigma: 6)])
  }

  /// Snapped to even numbers: what lies in the middle goes up.
  @Test(arguments: [(4.0, 4), (5, 6), (4.9, 4), (0.9, 0), (1, 2), (7.2, 8)])
  func theBoxesRadiusIsEven(radius: Double, snapped: Int) {
    let filter = GPUImageBox(blurRadiusInPixels: radius)
    #expect(filter.chain == [.box(radius: snapped)])
  }

  @Test(arguments: [(0.4, 0.6, 0.2), (0.3, 0.8, 0.05), (0.5, 0.5, 0.5), (0.4, 0.6, 0)])
  func tiltShiftMixesBySmoothstep(top: Double, bottom: Double, fall: Double) async throws {
    var filter = GPUImageTiltShift()
    (filter.topFocusLevel, filter.bottomFocusLevel) = (top, bottom)
    filter.focusFallOffRate = fall
    filter.blurRadiusInPixels = 3
    let size = Size(width: 20, height: 60)
    try await expectMix(filter, sigma: 3, size) { _, y in
      let place = (Double(y) + 0.5) / 60
      return 1 - Self.smoothstep(top - fall, top, place)
        + Self.smoothstep(bottom, bottom + fall, place)
    }
  }

  @Test(arguments: [
    (60.0 / 320, 30.0 / 320, 0.5, 0.5), (0.3, 0.1, 0.25, 0.7), (0.1, 0.3, 0.5, 0.5),
  ])
  func selectiveMixesBySmoothstep(
    radius: Double, blurSize: Double, x: Double, y: Double
  ) async throws {
    var filter = GPUImageSelective()
    (filter.excludeCircleRadius, filter.excludeBlurSize) = (radius, blurSize)
    (filter.excludeCirclePointX, filter.excludeCirclePointY) = (x, y)
    let size = Size(width: 64, height: 40)
    try await expectMix(filter, sigma: 5, size) { column, row in
      let dx = (Double(column) + 0.5) / 64 - x
      let dy = ((Double(row) + 0.5) / 40 - y) * 40 / 64
      return Self.smoothstep(radius - blurSize, radius, (dx * dx + dy * dy).squareRoot())
    }
  }

  @Test func defaultsAreGPUImages() {
    #expect(GPUImageBox().blurRadiusInPixels == 4)
    #expect(GPUImageTiltShift().blurRadiusInPixels == 7)
    #expect(GPUImageSelective().excludeCircleRadius == 0.1875)
    #expect(GPUImageBilateral().distanceNormalizationFactor == 8)
    #expect(GPUImageBilateral().texelSpacing == 4)
  }

  /// Nine linearly interpolated samples along each axis, inside the circle only.
  @Test(arguments: [1.0, 2, 1.5, 0.3])
  func positionBlursInsideItsCircle(spacing: Double) async throws {
    let image = TestImages.noise(48, 48, Self.gray, seed: 31)
    let text = "gpuimage-gaussian-position(\(spacing), blur-radius=0.25)"
    let result = try await PropertyTests.run(text, image)
    for (x, y) in [(24, 24), (20, 27), (30, 22)] {
      let expected = Self.nineByNine(image, x, y, spacing)
      #expect(abs(Double(result.sample(x: x, y: y, channel: 0)) - expected) < 2e-5)
    }
    for (x, y) in [(0, 0), (24, 10), (40, 24)] {
      let kept = result.sample(x: x, y: y, channel: 0)
      #expect(kept == image.sample(x: x, y: y, channel: 0))
    }
  }

  /// Nine samples on the line through the center.
  @Test(arguments: [1.0, 7.5])
  func zoomSamplesTheLineToItsCenter(blurSize: Double) async throws {
    let image = TestImages.noise(41, 31, Self.gray, seed: 3)
    var filter = GPUImageZoom(blurSize: blurSize)
    (filter.blurCenterX, filter.blurCenterY) = (0.3, 0.6)
    let (x0, y0) = (0.3 * 41 - 0.5, 0.6 * 31 - 0.5)
    try await expectNineSamples(filter, image) { x, y, k in
      let share = 0.01 * blurSize * Double(k)
      return (x + share * (x0 - x), y + share * (y0 - y))
    }
  }

  /// The distance of samples follows the image's shape, as it does in GPUImage.
  @Test(arguments: [(2.5, 0.0), (2, 90), (4, 37), (3, -120)])
  func motionSamplesItsLine(blurSize: Double, degrees: Double) async throws {
    let image = TestImages.noise(40, 30, Self.gray, seed: 9)
    let angle = Angle(degrees: degrees)
    let step = blurSize * 30 / 40
    try await expectNineSamples(
      GPUImageMotion(blurSize: blurSize, blurAngle: angle), image
    ) { x, y, k in
      (
        x + Double(k) * step * cos(angle.radians),
        y + Double(k) * step * sin(angle.radians)
      )
    }
  }

  /// Expects nine linearly interpolated samples at the places that `place` gives.
  private func expectNineSamples(
    _ filter: any Filter, _ image: Image,
    at place: (_ x: Double, _ y: Double, _ k: Int) -> (x: Double, y: Double)
  ) async throws {
    let plan = try FilterChain(filter).plan(for: Plan.Input(image))
    let result = try await ReferenceBackend().execute(plan, [image])
    let table = [0.18, 0.15, 0.12, 0.09, 0.05]
    func pixel(_ x: Int, _ y: Int) -> Double {
      let (x, y) = (
        min(max(x, 0), image.size.width - 1), min(max(y, 0), image.size.height - 1)
      )
      return Double(image.sample(x: x, y: y, channel: 0))
    }
    func sample(_ x: Double, _ y: Double) -> Double {
      let (column, row) = (Int(floor(x)), Int(floor(y)))
      let (u, v) = (x - floor(x), y - floor(y))
      let upper = pixel(column, row) * (1 - u) + pixel(column + 1, row) * u
      let lower = pixel(column, row + 1) * (1 - u) + pixel(column + 1, row + 1) * u
      return upper * (1 - v) + lower * v
    }
    var expected = image
    for y in 0..<image.size.height {
      for x in 0..<image.size.width {
        let sum = (-4...4).reduce(0) { sum, k in
          let position = place(Double(x), Double(y), k)
          return sum + table[abs(k)] * sample(position.x, position.y)
        }
        expected.setSample(Float(sum), x: x, y: y, channel: 0)
      }
    }
    try expectClose(result, expected, within: plan.certifiedError.total, filter.text)
  }

  /// Expects a filter to give `mix(sharp, blurred, share)`.
  private func expectMix(
    _ filter: any Filter, sigma: Double, _ size: Size, _ share: (Int, Int) -> Double
  ) async throws {
    let image = TestImages.noise(
      size.width, size.height, Self.rgba, alpha: .premultiplied, seed: 17)
    let plan = try FilterChain(filter).plan(for: Plan.Input(image))
    let result = try await ReferenceBackend().execute(plan, [image])
    let blurred = TruthImage(image).gaussian(x: sigma, y: sigma, edge: .clamp)
    var expected = image
    for y in 0..<size.height {
      for x in 0..<size.width {
        let amount = min(share(x, y), 1)
        for channel in 0..<4 {
          let sharp = Double(image.sample(x: x, y: y, channel: channel))
          let blur = blurred.samples[(y * size.width + x) * 4 + channel]
          expected.setSample(
            Float(sharp + (blur - sharp) * amount), x: x, y: y, channel: channel)
        }
      }
    }
    try expectClose(
      result, expected, within: plan.certifiedError.total + 0.01, "\(filter.text) \(size)")
  }

  /// The smoothstep of GLSL, with a step where both edges are one.
  private static func smoothstep(_ low: Double, _ high: Double, _ value: Double) -> Double {
    guard high > low else { return value < low ? 0 : 1 }
    let t = min(max((value - low) / (high - low), 0), 1)
    return t * t * (3 - 2 * t)
  }

  private static func nineByNine(_ image: Image, _ x: Int, _ y: Int, _ spacing: Double) -> Double {
    let table = [0.18, 0.15, 0.12, 0.09, 0.05]
    func column(_ x: Int) -> Double {
      (-4...4).reduce(0) { sum, k in
        let place = Double(y) + Double(k) * spacing
        let low = Int(floor(place))
        let part = place - floor(place)
        let above = Double(image.sample(x: x, y: low, channel: 0))
        let below = Double(image.sample(x: x, y: low + 1, channel: 0))
        return sum + table[abs(k)] * (above + (below - above) * part)
      }
    }
    return (-4...4).reduce(0) { sum, k in
      let place = Double(x) + Double(k) * spacing
      let low = Int(floor(place))
      let part = place - floor(place)
      return sum + table[abs(k)] * (column(low) + (column(low + 1) - column(low)) * part)
    }
  }
}
