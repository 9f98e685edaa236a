import FrostglassCore
import TestSupport
import Testing

/// Refraction of glass, and the light on its rim.
struct GlassMapTests {
  static let outline = RoundedRectangle(left: 10, top: 6, right: 90, bottom: 46, radius: 20)

  /// Rows of a generated image, with the given channels.
  static func rows(_ content: Generate.Content, channels: Int) -> [[Float]] {
    (0..<52).map { y in
      var row = [Float](repeating: .nan, count: 100 * channels)
      row.withUnsafeMutableBufferPointer { Generate(content).row(y, 0..<100, into: $0) }
      return row
    }
  }

  @Test func theLensBendsMoreTowardItsBorder() {
    let lens = GlassLens(Self.outline, depth: 8)
    #expect(lens.bend(at: 0) == 1 && lens.bend(at: 3) == 1)
    #expect(lens.bend(at: -8) == 0 && lens.bend(at: -30) == 0)
    let depths = stride(from: -8.0, through: 0, by: 0.25).map { lens.bend(at: $0) }
    #expect(zip(depths, depths.dropFirst()).allSatisfy { $0 < $1 })
    // A quarter of a circle.
    #expect(abs(lens.bend(at: -3.2) - (1 - 0.8)) < 1e-9)
  }

  @Test func theLensIsStraightInItsMiddleAndSymmetric() {
    let map = Self.rows(.lens(GlassLens(Self.outline, depth: 8)), channels: 3)
    for y in 0..<52 {
      for x in 0..<100 {
        let (dx, dy) = (map[y][3 * x], map[y][3 * x + 1])
        let mirrored = (map[y][3 * (99 - x)], map[51 - y][3 * x + 1])
        #expect(abs(dx + mirrored.0 - 1) < 1e-6 && abs(dy + mirrored.1 - 1) < 1e-6, "\(x) \(y)")
        // Steps that fixed point holds exactly.
        #expect(abs((dx * 32640).rounded() - dx * 32640) < 0.01, "\(x) \(y)")
        if (30..<70).contains(x), (14..<38).contains(y) { #expect(dx == 0.5 && dy == 0.5) }
      }
    }
    // Outward on all sides: with a negative span, toward the middle.
    #expect(map[26][3 * 10] < 0.2 && map[26][3 * 89] > 0.8)
    #expect(map[6][3 * 50 + 1] < 0.2 && map[45][3 * 50 + 1] > 0.8)
  }

  @Test func theRimIsBrightestTowardTheLight() {
    let rim = GlassRim(Self.outline, width: 2, depth: 6, angle: .pi / 4, brightness: 0.8)
    let map = Self.rows(.rim(rim), channels: 1)
    #expect(map.joined().allSatisfy { (0...0.8).contains($0) })
    #expect(map[26][50] == 0)
    // On the capsule's ends: toward the light, away from it, and along it.
    let (toward, away, along) = (map[12][16], map[39][83], map[39][16])
    #expect(toward > 2 * along && abs(toward - away) < 0.05 && along > 0)
  }
}
