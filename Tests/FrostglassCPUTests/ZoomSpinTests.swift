import FrostglassCPU
import FrostglassCore
import Glibc
import TestSupport
import Testing

struct ZoomSpinTests {
  private static let gray = PixelFormat(.gray, .float32)

  @Test(arguments: [
    "zoom(amount=0.3)", "zoom(amount=1)", "spin(angle=40deg)", "spin(angle=360deg)",
  ])
  func theCenterStandsStill(text: String) async throws {
    let image = TestImages.noise(61, 43, Self.gray)
    let result = try await PropertyTests.run(text, image)
    let difference =
      result.sample(x: 30, y: 21, channel: 0) - image.sample(x: 30, y: 21, channel: 0)
    #expect(abs(difference) < 1e-5)
    // Far from it each sample is a mean of several, which noise differs less in.
    #expect(Self.deviation(result) < 0.8 * Self.deviation(image))
  }

  /// Returns the deviation of samples from their mean, 20 pixels and more from the center.
  private static func deviation(_ image: Image) -> Float {
    let samples = (0..<43).flatMap { y in
      (0..<61).filter { x in (x - 30) * (x - 30) + (y - 21) * (y - 21) >= 400 }
        .map { x in image.sample(x: x, y: y, channel: 0) }
    }
    let mean = samples.reduce(0, +) / Float(samples.count)
    let squares = samples.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return (squares / Float(samples.count)).squareRoot()
  }

  /// Any place can be the center.
  @Test(arguments: [(0, 0), (4, 40), (60, 12)])
  func theCenterIsWhereItIsAskedFor(x: Int, y: Int) async throws {
    let image = TestImages.noise(61, 43, Self.gray)
    let (across, down) = ((Double(x) + 0.5) / 61, (Double(y) + 0.5) / 43)
    for text in ["zoom(\(across), \(down), 0.5)", "spin(\(across), \(down), 30deg)"] {
      let result = try await PropertyTests.run(text, image)
      let difference = result.sample(x: x, y: y, channel: 0) - image.sample(x: x, y: y, channel: 0)
      #expect(abs(difference) < 1e-3, "\(text)")
    }
  }

  /// Images that are constant along the path stay the same.
  @Test func imagesAlongThePathStay() async throws {
    let rings = TestImages.make(121, 121, Self.gray) { x, y, _ in
      let (dx, dy) = (Float(x - 60), Float(y - 60))
      return 0.5 + 0.5 * cosf((dx * dx + dy * dy).squareRoot() / 6)
    }
    let spun = try await PropertyTests.run("spin(angle=70deg)", rings)
    let rays = TestImages.make(121, 121, Self.gray) { x, y, _ in
      0.5 + 0.5 * cosf(3 * atan2f(Float(y - 60), Float(x - 60)))
    }
    let zoomed = try await PropertyTests.run("zoom(amount=0.4)", rays)
    for y in 20..<101 {
      for x in 20..<101 where abs(x - 60) > 15 || abs(y - 60) > 15 {
        let ring = spun.sample(x: x, y: y, channel: 0) - rings.sample(x: x, y: y, channel: 0)
        // Each of two passes blurs by a variance of at most 1/4 along each axis, and rings have a
        // curvature of 0.5 / 36.
        #expect(abs(ring) < 0.5 * 0.5 / 36 + 0.002, "\(x) \(y)")
        let ray = zoomed.sample(x: x, y: y, channel: 0) - rays.sample(x: x, y: y, channel: 0)
        #expect(abs(ray) < 0.02, "\(x) \(y)")
      }
    }
  }

  /// A ray with a soft profile, of a deviation of 2 px, becomes an even fan: no stripes.
  @Test func spinsAreEven() async throws {
    let side = 401
    let ray = TestImages.make(side, side, Self.gray) { x, y, _ in
      x > 200 ? expf(-Float((y - 200) * (y - 200)) / 8) : 0
    }
    let result = try await PropertyTests.run("spin(angle=60deg)", ray)
    for radius in [60.0, 100, 150, 190] {
      var values: [Double] = []
      // Away from the ends, which are soft.
      for degrees in -25...25 {
        let angle = Double(degrees) * .pi / 180
        let x = Int((radius * cos(angle)).rounded())
        let y = Int((radius * sin(angle)).rounded())
        let distance = Double(x * x + y * y).squareRoot()
        values.append(Double(result.sample(x: 200 + x, y: 200 + y, channel: 0)) * distance)
      }
      let mean = values.reduce(0, +) / Double(values.count)
      // The profile's area on an arc of π/3 times the radius.
      let area = 2 * (2 * Double.pi).squareRoot()
      #expect(abs(mean / (area / (.pi / 3)) - 1) < 0.01, "\(radius) \(mean)")
      let spread = values.map { abs($0 / mean - 1) }.max() ?? 1
      #expect(spread < 0.03, "\(radius) \(spread)")
    }
  }

  /// A point at distance r is smeared out to r / (1 − amount), evenly along the source line.
  @Test func zoomSmearsTheAmount() async throws {
    let side = 601
    // A ring that only radii from 100 to 104 see.
    let ring = TestImages.make(side, side, Self.gray) { x, y, _ in
      let distance = (Float((x - 300) * (x - 300) + (y - 300) * (y - 300))).squareRoot()
      return distance >= 100 && distance < 104 ? 1 : 0
    }
    let result = try await PropertyTests.run("zoom(amount=0.5)", ring)
    for radius in [120, 150, 180] {
      // The mean over r/2 … r, of which 4 px are white.
      let expected = 4 / (0.5 * Double(radius))
      let value = Double(result.sample(x: 300 + radius, y: 300, channel: 0))
      #expect(abs(value / expected - 1) < 0.05, "\(radius) \(value) \(expected)")
    }
    #expect(result.sample(x: 300 + 90, y: 300, channel: 0) < 1e-4)
    #expect(result.sample(x: 300 + 215, y: 300, channel: 0) < 1e-3)
  }

  /// A full turn leaves only the distance from the center.
  @Test func aFullTurnIsRound() async throws {
    let image = TestImages.make(201, 201, Self.gray) { x, y, _ in
      0.5 + 0.3 * sinf(Float(x) / 9) + 0.2 * cosf(Float(y) / 7)
    }
    let result = try await PropertyTests.run("spin(angle=360deg)", image)
    for (x, y) in [(60, 0), (36, 48), (48, 36)] {
      let value = result.sample(x: 100 + x, y: 100 + y, channel: 0)
      for turned in [
        result.sample(x: 100 - y, y: 100 + x, channel: 0),
        result.sample(x: 100 - x, y: 100 - y, channel: 0),
        result.sample(x: 160, y: 100, channel: 0),
      ] { #expect(abs(value - turned) < 0.004, "\(x) \(y)") }
    }
  }

  @Test(arguments: EdgeMode.allCases)
  func constantsStayConstant(edge: EdgeMode) async throws {
    guard edge != .transparent else { return }
    let image = TestImages.flat(53, 31, .rgb8, [0.25, 0.5, 0.75])
    for text in ["zoom(0.1, 0.9, 0.7)", "spin(0.8, 0.2, 200deg)"] {
      let result = try await PropertyTests.run(text, image, PlanOptions(edge: edge))
      try expectClose(result, image, within: 0, "\(text) \(edge)")
    }
  }

  @Test func nothingIsNothing() async throws {
    let image = TestImages.noise(23, 14)
    for text in ["zoom(amount=0)", "spin(angle=0deg)"] {
      #expect(try await PropertyTests.run(text, image).bytes == image.bytes)
    }
  }

  @Test func whatCannotBeIsRefused() throws {
    let input = Plan.Input(TestImages.noise(8, 8))
    let wide = Plan.Input(
      size: Size(width: 40000, height: 9), format: .rgb8, alpha: .opaque, transfer: .encoded)
    #expect(throws: PlanError.self) {
      try FilterChain([.spin(angle: Angle(degrees: 361))]).plan(for: input)
    }
    #expect(throws: PlanError.self) {
      try FilterChain([.spin(angle: Angle(degrees: 3))]).plan(for: wide)
    }
  }
}
