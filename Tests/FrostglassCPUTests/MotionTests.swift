import FrostglassCPU
import FrostglassCore
import Glibc
import TestSupport
import Testing

struct MotionTests {
  private static let gray = PixelFormat(.gray, .float32)
  private static let angles = [0.0, 13, 30, 45, 71, 90, 120, 163]

  /// The kernel as a blurred impulse: its sum, and its second moments along and across the line.
  private struct Moments {
    var sum = 0.0
    var along = 0.0
    var across = 0.0

    init(_ image: Image, angle: Double) {
      let (c, s) = (cos(angle * .pi / 180), sin(angle * .pi / 180))
      for y in 0..<image.size.height {
        for x in 0..<image.size.width {
          let value = Double(image.sample(x: x, y: y, channel: 0))
          let (dx, dy) = (Double(x - image.size.width / 2), Double(y - image.size.height / 2))
          sum += value
          along += value * (dx * c + dy * s) * (dx * c + dy * s)
          across += value * (dy * c - dx * s) * (dy * c - dx * s)
        }
      }
    }
  }

  private func moments(_ text: String, length: Double, angle: Double) async throws -> Moments {
    let side = 2 * Int(length * 1.4) + 31
    let result = try await PropertyTests.run(text, TestImages.impulse(side, side, Self.gray))
    return Moments(result, angle: angle)
  }

  @Test(arguments: angles, [3, 20.5, 47, 130])
  func boxHasItsLengthAlongTheLine(angle: Double, length: Double) async throws {
    let m = try await moments("motion(\(length)px, \(angle)deg)", length: length, angle: angle)
    #expect(abs(m.sum - 1) < 1e-4)
    // Steps along the longer axis are 1 px or up to √2 px long; the mean over whole ones is a box
    // short of one step's own variance. Mixing neighbors adds up to 1/4 per pass.
    let step = 1 / max(abs(cos(angle * .pi / 180)), abs(sin(angle * .pi / 180)))
    let box = (length * length - step * step) / 12
    #expect(m.along > 0.97 * box - 0.05, "\(m.along) \(box)")
    #expect(m.along < 1.03 * box + 0.75, "\(m.along) \(box)")
    #expect(m.across < 0.5, "\(m.across)")
    if angle.truncatingRemainder(dividingBy: 45) == 0 { #expect(m.across < 1e-5, "\(m.across)") }
  }

  @Test(arguments: angles, [6, 45, 150])
  func gaussianHasTheSameMoment(angle: Double, length: Double) async throws {
    let m = try await moments(
      "motion(\(length)px, \(angle)deg, gaussian)", length: 2 * length, angle: angle)
    #expect(abs(m.sum - 1) < 1e-4)
    let sigma = length / 12.0.squareRoot()
    #expect(m.along.squareRoot() > 0.995 * sigma, "\(m.along.squareRoot()) \(sigma)")
    #expect(m.along < 1.01 * sigma * sigma + 0.75, "\(m.along.squareRoot()) \(sigma)")
    #expect(m.across < 0.75, "\(m.across)")
  }

  /// At 0° and 90° it is what separable passes give: the box of an odd length, any Gaussian.
  @Test(arguments: [1, 7, 30, 90])
  func straightLinesAreConvolutions(radius: Int) async throws {
    let row = TestImages.noise(300, 1, Self.gray)
    let column = TestImages.noise(1, 300, Self.gray)
    let sigma = Double(2 * radius + 1) / 12.0.squareRoot()
    for (image, angle) in [(row, "0deg"), (column, "90deg"), (row, "180deg"), (column, "-90deg")] {
      let length = "\(2 * radius + 1)px"
      try expectClose(
        try await PropertyTests.run("motion(\(length), \(angle))", image),
        try await PropertyTests.run("box(\(radius))", image), within: 1e-3, "box \(radius)")
      let gaussian = angle.contains("90") ? "gaussian(0, \(sigma)px)" : "gaussian(\(sigma)px, 0)"
      let chain = try FilterChain(text: gaussian)
      let plan = try FilterChain(text: "motion(\(length), \(angle), gaussian)").plan(
        for: Plan.Input(image))
      let truth = try Truth(options: PlanOptions()).run(chain, on: image, like: plan)
      let result = try await ReferenceBackend().execute(plan, [image])
      #expect(plan.certifiedError.total < 0.1)
      try expectClose(result, truth, within: plan.certifiedError.total, "gaussian \(radius)")
    }
  }

  /// Turning the image over its diagonal turns the angle, too.
  @Test(arguments: [10.0, 37, 45, 160], EdgeMode.allCases)
  func transposingIsTurning(angle: Double, edge: EdgeMode) async throws {
    let image = TestImages.noise(41, 29, Self.gray)
    let options = PlanOptions(edge: edge)
    for profile in ["box", "gaussian"] {
      let direct = try await PropertyTests.run(
        "motion(33px, \(angle)deg, \(profile))", image, options)
      let turned = try await PropertyTests.run(
        "motion(33px, \(90 - angle)deg, \(profile))", image.transposed, options)
      try expectClose(turned.transposed, direct, within: 2e-3, "\(angle) \(profile) \(edge)")
    }
  }

  /// Motion blur reads the endless image beyond the border, at any angle.
  @Test(arguments: EdgeMode.allCases, [0.0, 27, 90])
  func seesTheEndlessImage(edge: EdgeMode, angle: Double) async throws {
    let format = PixelFormat(.rgba, .float32)
    let small = TestImages.noise(19, 14, format, alpha: .premultiplied, seed: 3)
    let margin = 60
    let large = TestImages.make(19 + 2 * margin, 14 + 2 * margin, format, alpha: .premultiplied) {
      x, y, channel in
      guard let column = edge.resolve(x - margin, in: 0..<19),
        let row = edge.resolve(y - margin, in: 0..<14)
      else { return 0 }
      return small.sample(x: column, y: row, channel: channel)
    }
    for text in ["motion(50px, \(angle)deg)", "motion(30px, \(angle)deg, gaussian)"] {
      let direct = try await PropertyTests.run(text, small, PlanOptions(edge: edge))
      let around = try await PropertyTests.run(text, large, PlanOptions(edge: edge))
      var worst: Float = 0
      for y in 0..<14 {
        for x in 0..<19 {
          worst = max(
            worst,
            abs(
              direct.sample(x: x, y: y, channel: 0)
                - around.sample(x: x + margin, y: y + margin, channel: 0)))
        }
      }
      #expect(worst < 1e-5, "\(text) \(edge)")
    }
  }

  @Test func shortLinesChangeNothing() async throws {
    let image = TestImages.noise(17, 13, seed: 5)
    for text in ["motion(0, 20deg)", "motion(1px, 20deg)", "motion(0, 20deg, gaussian)"] {
      try expectClose(try await PropertyTests.run(text, image), image, within: 0, text)
    }
  }

  @Test func lengthsOutOfRangeAreRefused() throws {
    let input = Plan.Input(TestImages.noise(8, 8))
    for length: Length in [-1, 2001, Length(.nan)] {
      #expect(throws: PlanError.self) {
        try FilterChain([.motion(length: length, angle: Angle(degrees: 3))]).plan(for: input)
      }
    }
  }
}

extension Image {
  /// Columns as rows.
  fileprivate var transposed: Image {
    TestImages.make(size.height, size.width, format, alpha: alpha) { x, y, channel in
      sample(x: y, y: x, channel: channel)
    }
  }
}
