import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

/// Guessing redacted text as an attacker would: draw what could have been there, redact it alike,
/// and take what looks most like the image. The rates are in docs/use/redaction.md.
@Suite struct RedactionAttackTests {
  private static let trials = 300
  private static let texts = [
    "KATE17", "MARIO5", "4711XY", "Q8ZT0B", "SECRET", "AGENT7", "BERLIN", "9F3C2E", "PASS12",
    "LOUIS9",
  ]
  private static let size = Size(width: 240, height: 96)
  /// Around all of the text, wherever it is.
  private static let region = MaskShape.rectangle(x: 32, y: 24, width: 180, height: 52)

  /// A way to hide a text.
  private struct Method {
    var chain: FilterChain
    var redaction: Redaction?

    func plan() throws -> Plan {
      let mask = Mask([RedactionAttackTests.region], grow: 4, redaction: redaction)
      let input = Plan.Input(
        size: RedactionAttackTests.size, format: .gray8, alpha: .opaque, transfer: .encoded)
      return try chain.plan(for: input, options: PlanOptions(mask: mask))
    }
  }

  /// The share of trials in which the text is found: its place is known to the pixel, the noise that
  /// was added to the image is not.
  private func rate(_ method: Method) async throws -> Double {
    let backend = FastBackend(threads: 1)
    let plan = try method.plan()
    var random = TestImages.Random(seed: 2026)
    var candidates: [[[Float]]] = []
    for place in 0..<4 {
      var views: [[Float]] = []
      for text in Self.texts {
        views.append(try await view(backend.execute(plan, [Self.page(text, place)])))
      }
      candidates.append(views)
    }
    var found = 0
    for _ in 0..<Self.trials {
      let truth = Int(random.next() * Float(Self.texts.count))
      let place = Int(random.next() * 4)
      var page = Self.page(Self.texts[truth], place)
      page.addNoise(&random)
      let seen = view(try await backend.execute(plan, [page]))
      let distances = candidates[place].map { view in
        zip(view, seen).reduce(Float(0)) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
      }
      let best = distances.indices.min { distances[$0] < distances[$1] }
      if best == truth { found += 1 }
    }
    return Double(found) / Double(Self.trials)
  }

  /// The redacted part, which is what the attacker looks at.
  private func view(_ image: Image) -> [Float] {
    (24..<76).flatMap { y in (32..<212).map { image.sample(x: $0, y: y, channel: 0) } }
  }

  @Test func theDefaultLeavesNothingToGuess() async throws {
    let look = try FilterChain(text: "saturation(1.4) tint(white, 0.08) grain(0.02)")
    let rate = try await rate(Method(chain: look, redaction: Redaction()))
    print("frosted: right in \(rate * 100) %")
    #expect(rate <= 0.15)
  }

  @Test func aColorLeavesNothingToGuess() async throws {
    let rate = try await rate(Method(chain: [], redaction: Redaction(.color)))
    print("solid: right in \(rate * 100) %")
    #expect(rate <= 0.15)
  }

  @Test func aMosaicIsReversed() async throws {
    let rate = try await rate(Method(chain: [.pixelate(size: 16)]))
    print("mosaic: right in \(rate * 100) %")
    #expect(rate > 0.9)
  }

  @Test(arguments: [8.0, 20])
  func aBlurIsReversed(sigma: Double) async throws {
    let rate = try await rate(Method(chain: [.gaussian(sigma: Sigma(sigma))]))
    print("blur \(sigma): right in \(rate * 100) %")
    #expect(rate > 0.9)
  }
}

extension RedactionAttackTests {
  /// A light page with dark text, at one of four places that differ by parts of a mosaic's cell.
  private static func page(_ text: String, _ place: Int) -> Image {
    let (left, top) = (38 + place * 5, 32 + place * 3)
    return TestImages.make(size.width, size.height, .gray8) { x, y, _ in
      let (column, row) = ((x - left) / 4, (y - top) / 4)
      guard x >= left, y >= top, row < 7, column / 6 < text.count, column % 6 < 5 else {
        return 0.88
      }
      let letter = Array(text.unicodeScalars)[column / 6]
      let bits = Glyphs.rows[letter] ?? []
      return bits[row] >> UInt8(4 - column % 6) & 1 == 1 ? 0.12 : 0.88
    }
  }
}

extension Image {
  /// Noise of 8 levels, about as a phone's camera has in the evening.
  fileprivate mutating func addNoise(_ random: inout TestImages.Random) {
    for index in bytes.indices {
      let noise = (random.next() + random.next() + random.next() - 1.5) * 16
      bytes[index] = UInt8(min(max(Float(bytes[index]) + noise, 0), 255))
    }
  }
}

/// A font of 5 × 7 dots, as old terminals had.
private enum Glyphs {
  static let rows: [Unicode.Scalar: [UInt8]] = [
    "0": [14, 17, 19, 21, 25, 17, 14], "1": [4, 12, 4, 4, 4, 4, 14],
    "2": [14, 17, 1, 2, 4, 8, 31], "3": [31, 2, 4, 2, 1, 17, 14], "4": [2, 6, 10, 18, 31, 2, 2],
    "5": [31, 16, 30, 1, 1, 17, 14], "7": [31, 1, 2, 4, 8, 8, 8],
    "8": [14, 17, 17, 14, 17, 17, 14],
    "9": [14, 17, 17, 15, 1, 2, 12], "A": [14, 17, 17, 31, 17, 17, 17],
    "B": [30, 17, 17, 30, 17, 17, 30], "C": [14, 17, 16, 16, 16, 17, 14],
    "E": [31, 16, 16, 30, 16, 16, 31], "F": [31, 16, 16, 30, 16, 16, 16],
    "G": [14, 17, 16, 23, 17, 17, 15], "I": [14, 4, 4, 4, 4, 4, 14],
    "K": [17, 18, 20, 24, 20, 18, 17], "L": [16, 16, 16, 16, 16, 16, 31],
    "M": [17, 27, 21, 21, 17, 17, 17], "N": [17, 17, 25, 21, 19, 17, 17],
    "O": [14, 17, 17, 17, 17, 17, 14], "P": [30, 17, 17, 30, 16, 16, 16],
    "Q": [14, 17, 17, 17, 21, 18, 13], "R": [30, 17, 17, 30, 20, 18, 17],
    "S": [15, 16, 16, 14, 1, 1, 30], "T": [31, 4, 4, 4, 4, 4, 4],
    "U": [17, 17, 17, 17, 17, 17, 14], "X": [17, 17, 10, 4, 10, 17, 17],
    "Y": [17, 17, 17, 10, 4, 4, 4], "Z": [31, 1, 2, 4, 8, 16, 31],
  ]
}
