import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

struct TripleBoxTests {
  private static let gray = PixelFormat(.gray, .float32)

  /// The boxes that Apple's sample code uses, from σ to size.
  @Test(arguments: [(1, 3), (2, 5), (4, 9), (6, 11), (8, 15), (10, 19), (12, 23), (20, 39)])
  func oddSizesAreThoseOfTheSample(sigma: Int, width: Int) async throws {
    let image = TestImages.noise(90, 50)
    let result = try await PropertyTests.run("triple-box(\(sigma), odd)", image)
    let boxes = try await PropertyTests.run("box(\(width / 2), 3)", image)
    #expect(result.bytes == boxes.bytes)
  }

  /// An even size is two boxes half a pixel to each side, and one that is larger: here 4, 4 and 5.
  @Test func evenSizesAreShifted() async throws {
    let image = TestImages.noise(40, 1, Self.gray)
    let result = try await PropertyTests.run("triple-box(2)", image)
    func mean(_ values: [Double], _ offsets: ClosedRange<Int>) -> [Double] {
      values.indices.map { index in
        offsets.reduce(0.0) { sum, offset in
          let place = min(max(index + offset, 0), values.count - 1)
          return sum + values[place]
        } / Double(offsets.count)
      }
    }
    let row = (0..<40).map { Double(image.sample(x: $0, y: 0, channel: 0)) }
    let expected = mean(mean(mean(row, -2...1), -1...2), -2...2)
    // Away from the borders, where means of means are not those of the endless image.
    for x in 8..<32 {
      #expect(abs(Double(result.sample(x: x, y: 0, channel: 0)) - expected[x]) < 1e-5)
    }
  }

  @Test(arguments: [0.3, 1, 1.7, 2, 3.3, 5, 8, 10, 20, 33], FilterChain.BoxRule.allCases)
  func effectiveSigmaIsTheOneMeasured(sigma: Double, rule: FilterChain.BoxRule) async throws {
    let side = Int(sigma * 10) + 31
    let image = TestImages.make(side, 1, Self.gray) { x, _, _ in x == side / 2 ? 1 : 0 }
    let result = try await PropertyTests.run("triple-box(\(sigma), \(rule.rawValue))", image)
    var variance = 0.0
    for x in 0..<side {
      let distance = Double(x - side / 2)
      variance += distance * distance * Double(result.sample(x: x, y: 0, channel: 0))
    }
    let expected = TripleBox.effectiveSigma(for: sigma, size: rule)
    #expect(abs(variance.squareRoot() - expected) < 1e-3 * max(expected, 1))
  }
}
