import FrostglassCPU
import FrostglassCore
import FrostglassGL
import TestSupport
import Testing

/// Colors that iOS shows over flat backgrounds, sampled on a device, on every backend.
struct GoldenLookTests {
  static let materials = [
    "ultra-thin-light", "thin-light", "material-light", "thick-light", "chrome-light",
    "ultra-thin-dark", "thin-dark", "material-dark", "thick-dark", "chrome-dark",
  ]
  static let classics = ["light", "extra-light", "dark"]

  /// Backgrounds, and for each of `materials` what shows.
  static let shownByMaterials: [(background: [Float], shown: [[Float]])] = [
    ([0], [[89], [141], [197], [234], [178], [32], [32], [32], [30], [18]]),
    ([64], [[130], [175], [208], [237], [210], [63], [56], [54], [39], [58]]),
    ([128], [[169], [200], [222], [243], [240], [100], [76], [64], [42], [75]]),
    ([255], [[245], [245], [245], [246], [247], [177], [126], [84], [36], [88]]),
    (
      [255, 0, 0],
      [
        [234, 93, 93], [255, 141, 141], [255, 186, 186], [255, 226, 226], [255, 191, 191],
        [169, 29, 29], [159, 22, 22], [126, 30, 30], [75, 30, 30], [156, 28, 28],
      ]
    ),
    (
      [0, 0, 255],
      [
        [90, 90, 230], [141, 141, 255], [192, 192, 255], [231, 231, 255], [182, 182, 253],
        [30, 30, 169], [28, 28, 165], [32, 32, 128], [30, 30, 77], [24, 24, 153],
      ]
    ),
    (
      [200, 120, 60],
      [
        [211, 166, 133], [239, 196, 163], [251, 220, 198], [255, 241, 231], [255, 238, 222],
        [139, 95, 62], [114, 70, 38], [90, 60, 38], [54, 39, 30], [109, 70, 39],
      ]
    ),
  ]

  /// The same for `classics`.
  static let shownByClassics: [(background: [Float], shown: [[Float]])] = [
    ([0], [[77], [198], [20]]), ([255], [[255], [249], [89]]), ([128], [[167], [223], [55]]),
    ([255, 0, 0], [[255, 77, 77], [249, 198, 198], [89, 20, 20]]),
    ([200, 120, 60], [[255, 154, 79], [249, 220, 198], [89, 50, 21]]),
  ]

  static func backends() async throws -> [(name: String, backend: any Backend)] {
    [
      ("reference", ReferenceBackend()), ("fast", FastBackend(threads: 2)),
      ("gl fragment", try await GLBackend.start(GLOptions(stage: .fragment))),
      ("gl compute", try await GLBackend.start(GLOptions(stage: .compute))),
    ]
  }

  @Test func systemMaterialsAreAsMeasured() async throws {
    try await compare(Self.materials, Self.shownByMaterials, within: 3)
  }

  @Test func classicStylesAreAsMeasured() async throws {
    try await compare(Self.classics, Self.shownByClassics, within: 2)
  }

  private func compare(
    _ styles: [String], _ table: [(background: [Float], shown: [[Float]])], within levels: Float
  ) async throws {
    let backends = try await Self.backends()
    for (background, shown) in table {
      let color = background.count == 3 ? background : [Float](repeating: background[0], count: 3)
      let image = TestImages.flat(37, 29, .rgb8, color.map { $0 / 255 })
      #expect(shown.count == styles.count)
      for (style, expected) in zip(styles, shown) {
        let plan = try FilterChain(text: "\(style)()").plan(for: Plan.Input(image))
        for (name, backend) in backends {
          let result = try await backend.execute(plan, [image])
          for channel in 0..<3 {
            let value = 255 * result.sample(x: 18, y: 14, channel: channel)
            let wanted = expected[expected.count == 3 ? channel : 0]
            #expect(
              abs(value - wanted) <= levels, "\(style) on \(name), \(background): \(value)")
          }
        }
      }
    }
  }
}
