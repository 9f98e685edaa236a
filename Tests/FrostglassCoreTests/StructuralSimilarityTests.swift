import FrostglassCore
import TestSupport
import Testing

struct StructuralSimilarityTests {
  private func gray(_ size: Size, _ value: (Int, Int) -> UInt8) -> Image {
    var image = Image(zeros: size, format: .gray8)
    for y in 0..<size.height {
      for x in 0..<size.width {
        image.setSample(Float(value(x, y)) / 255, x: x, y: y, channel: 0)
      }
    }
    return image
  }

  @Test(arguments: [
    Size(width: 30, height: 20), Size(width: 1, height: 1), Size(width: 4, height: 90),
  ])
  func theSameIsOne(size: Size) throws {
    let image = gray(size) { x, y in UInt8((x * 37 + y * 91) % 256) }
    #expect(abs(try StructuralSimilarity(image, image).value - 1) < 1e-12)
  }

  /// The similarity of two flat images depends on their luminances only: (2ab + C) / (a² + b² + C).
  @Test func flatImagesDifferByTheirLuminance() throws {
    let size = Size(width: 16, height: 12)
    let found = try StructuralSimilarity(gray(size) { _, _ in 51 }, gray(size) { _, _ in 204 })
    #expect(abs(found.value - (2 * 0.2 * 0.8 + 1e-4) / (0.04 + 0.64 + 1e-4)) < 1e-6)
  }

  /// A pattern and its negative around middle gray vary against each other.
  @Test func theOppositeIsBelowZero() throws {
    let size = Size(width: 40, height: 40)
    let pattern = gray(size) { x, y in (x / 2 + y / 2) % 2 == 0 ? 60 : 195 }
    let negative = gray(size) { x, y in (x / 2 + y / 2) % 2 == 0 ? 195 : 60 }
    #expect(try StructuralSimilarity(pattern, negative).value < -0.8)
  }

  /// More blur is less alike, and a change of color at the same luma counts little.
  @Test func moreNoiseIsLessAlike() throws {
    var random = SplitMix(state: 3)
    let size = Size(width: 64, height: 64)
    let image = gray(size) { x, y in UInt8(96 + (x * x / 40 + y * 3) % 64) }
    let noise = (0..<size.area).map { _ in Int(random.next() % 101) - 50 }
    let values = try [0, 10, 40, 100].map { percent in
      let noisy = gray(size) { x, y in
        let level = 96 + (x * x / 40 + y * 3) % 64 + noise[y * 64 + x] * percent / 100
        return UInt8(max(0, min(255, level)))
      }
      return try StructuralSimilarity(image, noisy).value
    }
    #expect(zip(values, values.dropFirst()).allSatisfy { $0 > $1 }, "\(values)")
    #expect(values[0] > 0.999_999 && values[3] < 0.6)
  }

  @Test func sizesMustBeTheSame() {
    let (one, other) = (Size(width: 3, height: 4), Size(width: 4, height: 3))
    #expect(throws: ComparisonError.sizesDiffer(one, other)) {
      try StructuralSimilarity(gray(one) { _, _ in 0 }, gray(other) { _, _ in 0 })
    }
  }
}
