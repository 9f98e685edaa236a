import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

/// Grain: the noise that is asked for, the same everywhere and always.
struct GrainTests {
  static let gray = PixelFormat(.gray, .float32)

  /// Computed apart, so that images made today and later have the same grain.
  @Test func theNumbersAreThese() {
    let bell = { Grain(form: .bell, seed: $2, amplitude: 1).numbers(x: $0, y: $1) }
    let even = { Grain(form: .even, seed: $2, amplitude: 1).numbers(x: $0, y: $1) }
    #expect(bell(0, 0, 0) == SIMD3(233, 135, -310))
    #expect(bell(1, 0, 0) == SIMD3(125, 262, -85))
    #expect(bell(1919, 1079, 7) == SIMD3(-137, 255, -154))
    #expect(bell(-1, -1, 5) == SIMD3(12, 198, 5))
    #expect(even(0, 1, 0) == SIMD3(-51, -25, -5))
    #expect(even(-1, -1, 5) == SIMD3(-19, 1, -63))
  }

  /// Mean 0, the standard deviation asked for in every phase, no likeness to a neighbor where
  /// grains are single pixels. Five standard deviations of each estimate are allowed.
  @Test(arguments: [1, 2, 5])
  func itIsTheNoiseThatIsAskedFor(size: Int) async throws {
    let side = 500
    let noise = try await Self.noise("grain(0.05, \(size)px, seed=3)", side: side)
    // Grains of some pixels are so many fewer independent samples.
    let samples = Double(side * side / (size * size))
    let mean = noise.reduce(0, +) / Double(noise.count)
    #expect(abs(mean) < 5 * 0.05 * (size > 1 ? 1.5 : 1) / samples.squareRoot())
    for phase in 0..<size {
      let picked = noise.indices.filter { $0 % side % size == phase }.map { noise[$0] }
      let variance = picked.reduce(0) { $0 + $1 * $1 } / Double(picked.count)
      #expect(abs(variance.squareRoot() / 0.05 - 1) < 5 / (2 * samples).squareRoot() * 1.5)
    }
    if size == 1 {
      for step in [1, 2, side, side + 1] {
        let pairs = zip(noise, noise.dropFirst(step)).reduce(0) { $0 + $1.0 * $1.1 }
        #expect(abs(pairs / samples / (0.05 * 0.05)) < 5 / samples.squareRoot())
      }
    }
  }

  /// The mean of a flat image stays, whatever its level; black and white stay as they are.
  @Test(arguments: [Float(0), 0.02, 0.1, 0.5, 0.95, 1], ["monochrome", "colored"])
  func meansStay(level: Float, tone: String) async throws {
    let image = TestImages.flat(300, 300, PixelFormat(.rgb, .float32), [level, level, level])
    let result = try await PropertyTests.run("grain(0.08, tone=\(tone))", image)
    let samples = Self.samples(result)
    let mean = samples.reduce(0, +) / Double(samples.count)
    #expect(abs(mean - Double(level)) < 5 * 0.08 / 300)
    #expect(samples.allSatisfy { (0...1).contains($0) })
    if level == 0 || level == 1 { #expect(result.bytes == image.bytes) }
  }

  @Test func grainsAreOfOneColorOrMany() async throws {
    let image = TestImages.flat(20, 20, PixelFormat(.rgb, .float32), [0.5, 0.5, 0.5])
    let same = try await PropertyTests.run("grain(0.1)", image)
    let separate = try await PropertyTests.run("grain(0.1, tone=colored)", image)
    var differing = 0
    for y in 0..<20 {
      for x in 0..<20 {
        #expect(same.sample(x: x, y: y, channel: 0) == same.sample(x: x, y: y, channel: 2))
        if separate.sample(x: x, y: y, channel: 0) != separate.sample(x: x, y: y, channel: 2) {
          differing += 1
        }
      }
    }
    #expect(differing > 380)
    let gray = TestImages.flat(4, 4, .gray8, [0.5])
    #expect(try await PropertyTests.run("grain(0.1)", gray).format.layout == .gray)
    #expect(try await PropertyTests.run("grain(0.1, tone=colored)", gray).format.layout == .rgb)
  }

  /// A pixel's grain depends on its place and the seed alone.
  @Test(arguments: [1, 3])
  func theGrainOfALargerImageIsTheSame(size: Int) async throws {
    let small = try await Self.noise("grain(0.1, \(size)px)", side: 40)
    let large = try await Self.noise("grain(0.1, \(size)px)", side: 75)
    for y in 0..<40 {
      for x in 0..<40 { #expect(small[y * 40 + x] == large[y * 75 + x]) }
    }
    #expect(try await Self.noise("grain(0.1, \(size)px)", side: 40) == small)
    #expect(try await Self.noise("grain(0.1, \(size)px, seed=1)", side: 40) != small)
  }

  /// Alpha stays, and nothing appears where nothing is.
  @Test func alphaHasNoGrain() async throws {
    let image = TestImages.noise(30, 30, PixelFormat(.rgba, .float32), alpha: .premultiplied)
    let result = try await PropertyTests.run("grain(0.5)", image)
    for y in 0..<30 {
      for x in 0..<30 {
        let alpha = image.sample(x: x, y: y, channel: 3)
        #expect(result.sample(x: x, y: y, channel: 3) == alpha)
        for channel in 0..<3 {
          #expect((0...alpha).contains(result.sample(x: x, y: y, channel: channel)))
        }
      }
    }
  }

  /// Returns the difference that a filter makes to middle gray.
  private static func noise(_ text: String, side: Int) async throws -> [Double] {
    let image = TestImages.flat(side, side, gray, [0.5])
    return samples(try await PropertyTests.run(text, image)).map { $0 - 0.5 }
  }

  private static func samples(_ image: Image) -> [Double] {
    (0..<image.size.height).flatMap { y in
      (0..<image.size.width).map { Double(image.sample(x: $0, y: y, channel: 0)) }
    }
  }
}
