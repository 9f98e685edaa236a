import FrostglassCPU
import FrostglassCore
import Glibc
import TestSupport
import Testing

struct LensTests {
  private static let gray = PixelFormat(.gray, .float32)

  private func kernel(_ text: String, radius: Double, at offset: Int = 0) async throws -> Image {
    let side = 2 * Int(radius * 1.5) + 41
    let image = TestImages.make(side, side, Self.gray) { x, y, _ in
      x == side / 2 + offset && y == side / 2 ? 1 : 0
    }
    return try await PropertyTests.run(text, image)
  }

  /// A point becomes a disc of the right area, flat inside, with nothing outside.
  @Test(arguments: [0.8, 1, 2.5, 7, 16])
  func aPointBecomesADisc(radius: Double) async throws {
    let result = try await kernel("lens(\(radius)px, highlights=0)", radius: radius)
    let middle = result.size.width / 2
    var sum = 0.0
    for y in 0..<result.size.height {
      for x in 0..<result.size.width {
        let value = Double(result.sample(x: x, y: y, channel: 0))
        let (dx, dy) = (Double(x - middle), Double(y - middle))
        let distance = (dx * dx + dy * dy).squareRoot()
        sum += value
        if distance < radius - 0.71 {
          #expect(abs(value * .pi * radius * radius - 1) < 2e-3, "\(x) \(y)")
        }
        if distance > radius + 0.71 { #expect(value == 0, "\(x) \(y)") }
      }
    }
    #expect(abs(sum - 1) < 1e-5)
  }

  /// Its second moment is that of the true disc also where it is made on a smaller image.
  @Test(arguments: [3.0, 12, 16.1, 30, 34, 35, 68, 70, 140, 280])
  func radiusMeansTheSameAtEverySize(radius: Double) async throws {
    let side = 2 * Int(radius * 1.5) + 41
    var variance = 0.0
    let offsets = 8
    let factor = max(1, Int(radius / 8))
    for offset in 0..<offsets {
      let place = side / 2 + offset * factor / offsets
      // A line instead of a point: its blur is the sum of the kernel's columns.
      let image = TestImages.make(side, 5, Self.gray) { x, _, _ in x == place ? 1 : 0 }
      let result = try await PropertyTests.run("lens(\(radius)px, highlights=0)", image)
      var sum = 0.0
      for x in 0..<side {
        let value = Double(result.sample(x: x, y: 2, channel: 0))
        sum += value
        variance += value * Double((x - place) * (x - place)) / Double(offsets)
      }
      #expect(abs(sum - 1) < 0.01)
    }
    let expected = radius * radius / 4 + 1.0 / 12
    // Whole pixels sample the rim of a small disc coarsely.
    let tolerance = radius < 5 ? 0.01 : 0.005
    #expect(abs((variance / expected).squareRoot() - 1) < tolerance, "\(variance) \(expected)")
  }

  /// A larger image blurred directly is the truth for what is made on a smaller one.
  @Test func theCertifiedErrorHolds() async throws {
    let radius = 17.0
    let side = 120
    let images = [
      TestImages.noise(side, side, Self.gray), TestImages.step(side, side, Self.gray),
      TestImages.checkerboard(side, side, cell: 13, Self.gray),
    ]
    for image in images {
      let plan = try FilterChain([.lens(radius: 17)]).plan(for: Plan.Input(image))
      #expect(plan.certifiedError.model > 1)
      let result = try await ReferenceBackend().execute(plan, [image])
      var worst = 0.0
      for (x, y) in [(60, 60), (43, 71), (70, 52), (61, 62), (63, 60)] {
        let truth = directMean(of: image, x, y, radius: radius)
        worst = max(worst, 255 * abs(Double(result.sample(x: x, y: y, channel: 0)) - truth))
      }
      #expect(worst < plan.certifiedError.total, "\(worst)")
    }
  }

  /// The mean over a disc, pixels counted by 8 × 8 points in them.
  private func directMean(of image: Image, _ x: Int, _ y: Int, radius: Double) -> Double {
    var (sum, mass) = (0.0, 0.0)
    for dy in -18...18 {
      for dx in -18...18 {
        var covered = 0.0
        for index in 0..<64 {
          let px = Double(dx) - 0.4375 + Double(index % 8) / 8
          let py = Double(dy) - 0.4375 + Double(index / 8) / 8
          if px * px + py * py <= radius * radius { covered += 1 }
        }
        sum += covered * Double(image.sample(x: x + dx, y: y + dy, channel: 0))
        mass += covered
      }
    }
    return sum / mass
  }

  /// A regular polygon's area is n/2 R² sin(2π/n); it has the same value all over.
  @Test(arguments: [3, 4, 6, 9, 12], [0.0, 20])
  func polygonsHaveTheirArea(blades: Int, rotation: Double) async throws {
    let text = "lens(14px, polygon, \(blades), \(rotation)deg, 0)"
    let result = try await kernel(text, radius: 14)
    let middle = result.size.width / 2
    let n = Double(blades)
    let area = n / 2 * 14 * 14 * sin(2 * .pi / n)
    #expect(abs(Double(result.sample(x: middle, y: middle, channel: 0)) * area - 1) < 2e-3)
    // Half a pixel inside the first corner there is something, a pixel outside nothing.
    func value(_ distance: Double) -> Float {
      let angle = rotation * .pi / 180
      return result.sample(
        x: middle + Int((distance * cos(angle)).rounded()),
        y: middle + Int((distance * sin(angle)).rounded()), channel: 0)
    }
    #expect(value(12.5) > 0)
    #expect(value(15.6) == 0)
  }

  @Test func highlightsAreWeightedMeans() async throws {
    let image = TestImages.noise(25, 21, PixelFormat(.rgb, .float32))
    let highlights = 7.0
    let result = try await PropertyTests.run("lens(3.2px, highlights=\(highlights))", image)
    let plain = try await kernel("lens(3.2px, highlights=0)", radius: 3.2)
    let middle = plain.size.width / 2
    var mean = SIMD3<Double>.zero
    var mass = 0.0
    for dy in -4...4 {
      for dx in -4...4 {
        func sample(_ channel: Int) -> Double {
          Double(image.sample(x: 12 + dx, y: 10 + dy, channel: channel))
        }
        let color = SIMD3(sample(0), sample(1), sample(2))
        let luma = (color * Luma.rec709.weights).sum()
        let tap = Double(plain.sample(x: middle + dx, y: middle + dy, channel: 0))
        let weight = tap * (1 + highlights * pow(luma, 4))
        mean += color * weight
        mass += weight
      }
    }
    for channel in 0..<3 {
      let value = Double(result.sample(x: 12, y: 10, channel: channel))
      #expect(abs(value - mean[channel] / mass) < 1e-4)
    }
  }

  /// A light in the dark stays bright, and the dark around it as it is.
  @Test func lightsBecomeBrightDiscs() async throws {
    let image = TestImages.make(61, 61, Self.gray) { x, y, _ in x == 30 && y == 30 ? 1 : 0.02 }
    let plain = try await PropertyTests.run("lens(6px, highlights=0)", image)
    let bright = try await PropertyTests.run("lens(6px, highlights=100)", image)
    let (a, b) = (
      plain.sample(x: 32, y: 29, channel: 0), bright.sample(x: 32, y: 29, channel: 0)
    )
    #expect(a < 0.03)
    #expect(b > 0.4)
    #expect(abs(bright.sample(x: 50, y: 30, channel: 0) - 0.02) < 1e-5)
  }

  /// Transparency is blurred alike with highlights and without, and hides no color.
  @Test(arguments: [0.0, 9])
  func edgesOfAlphaAreNotDark(highlights: Double) async throws {
    let image = TestImages.disc(41, radius: 12, color: [0.9, 0.6, 0.2], depth: .float32)
    let result = try await PropertyTests.run("lens(5px, highlights=\(highlights))", image)
    let plain = try await PropertyTests.run("lens(5px, highlights=0)", image)
    for x in 0..<41 {
      let alpha = result.sample(x: x, y: 20, channel: 3)
      #expect(abs(alpha - plain.sample(x: x, y: 20, channel: 3)) < 1e-5)
      if alpha > 0.01 { #expect(abs(result.sample(x: x, y: 20, channel: 0) - 0.9) < 1e-3) }
    }
  }

  @Test(arguments: ["lens(5px)", "lens(40px)", "lens(50px, polygon)", "lens(20px, highlights=0)"])
  func constantsStayConstant(text: String) async throws {
    for format in [PixelFormat(.gray, .uint8), .rgb8, PixelFormat(.rgba, .uint16)] {
      let image = TestImages.flat(37, 23, format, [0.25, 0.5, 0.75, 1])
      for edge in [EdgeMode.clamp, .mirror, .wrap] {
        let result = try await PropertyTests.run(text, image, PlanOptions(edge: edge))
        let tolerance = format.depth == .uint16 ? 0.02 : 0
        try expectClose(result, image, within: tolerance, "\(text) \(format) \(edge)")
      }
    }
  }

  @Test func smallRadiiChangeNothing() async throws {
    let image = TestImages.noise(12, 9)
    for text in ["lens(0)", "lens(0.5px)"] {
      #expect(try await PropertyTests.run(text, image).bytes == image.bytes)
    }
  }
}
