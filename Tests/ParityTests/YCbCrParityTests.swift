import FrostglassCPU
import FrostglassCore
import FrostglassGL
import TestSupport
import Testing

/// Images in planes: the same everywhere.
@Suite struct YCbCrParityTests {
  static let chains: [FilterChain] = [
    [], [.gaussian(sigma: 1.5)], [.gaussian(sigma: 11), .saturation(1.8)],
    [.saturation(1.3), .gaussian(sigma: 1.5)], [.box(radius: 3)],
  ]
  static let sizes = [(47, 33), (1, 1), (2, 7), (33, 2)]

  private static let references = SharedResults<String, YCbCrImage>()

  private func compare(_ backend: any Backend, _ name: String) async throws {
    for (kind, format) in TestPlanes.someFormats.enumerated() {
      for (index, chain) in Self.chains.enumerated() {
        for (width, height) in index == 1 ? Self.sizes : [Self.sizes[0]] {
          let picture = try TestPlanes.noise(width, height, format)
          let plan = try chain.plan(
            for: format, size: picture.size, options: PlanOptions(linearLight: index == 2))
          let expected = try await Self.references.value("\(kind) \(picture.size) \(index)") {
            try await ReferenceBackend().execute(plan, picture)
          }
          let actual = try await backend.execute(plan, picture)
          let distance = try #require(actual.distance(to: expected))
          #expect(distance <= 1, "\(name) \(format) \(picture.size) chain \(index)")
        }
      }
    }
  }

  @Test func fastIsTheReference() async throws {
    try await compare(FastBackend(threads: 3), "fast")
  }

  @Test(arguments: ParityTests.setups)
  func glIsTheReference(name: String, options: GLOptions) async throws {
    try await compare(try await GLBackend.start(options), name)
  }

  /// No plane depends on what a redaction hides: the brightness of its pixels, and every difference
  /// that serves one.
  @Test(arguments: Redaction.Fill.allCases)
  func redactionsHideSamples(_ fill: Redaction.Fill) async throws {
    let backends: [any Backend] = [
      ReferenceBackend(), FastBackend(threads: 2),
      try await GLBackend.start(GLOptions(stage: .fragment)),
    ]
    let formats: [YCbCrFormat] = [
      YCbCrFormat(), .jpeg, YCbCrFormat(sampling: .columns, arrangement: .interleaved),
      YCbCrFormat(sampling: .none),
    ]
    let size = RedactionCases.size
    for (index, item) in RedactionCases.all(Redaction(fill)).enumerated() {
      let format = formats[index % formats.count]
      let (columns, rows) = (
        format.sampling.columns, format.sampling.rows
      )
      let pictures = try [false, true].map { isOther in
        try TestPlanes.make(size.width, size.height, format) { x, y in
          isOther && item.covers(x, y) ? 200 : 90 + (x * 7 + y * 3) % 40
        } chroma: { x, y, isRed in
          let serves = (0..<rows * columns).contains { place in
            let (column, row) = (columns * x + place % columns, rows * y + place / columns)
            return column < size.width && row < size.height && item.covers(column, row)
          }
          return isOther && serves ? 30 : 110 + (x * 5 + y * 11) % 30
        }
      }
      #expect(pictures[0].distance(to: pictures[1]) ?? 0 > 50)
      let plan = try FilterChain([.gaussian(sigma: 1)]).plan(
        for: format, size: size,
        options: PlanOptions(linearLight: index % 5 == 0, mask: item.mask))
      for backend in backends {
        let made = try await backend.execute(plan, pictures[0]).planes.map(\.bytes)
        let other = try await backend.execute(plan, pictures[1]).planes.map(\.bytes)
        #expect(made == other, "\(backend.name) \(format) \(item)")
      }
    }
  }

  /// Colors far outside those of screens, and every code.
  @Test func extremesAgree() async throws {
    let gl = try await GLBackend.start(GLOptions(stage: .fragment))
    for format in TestPlanes.someFormats {
      let one = 1 << (format.bits.rawValue - 8)
      let picture = try TestPlanes.make(64, 48, format) { x, y in
        (x * 53 + y * 101) % 256 * one
      } chroma: { x, y, isRed in
        (x * (isRed ? 83 : 29) + y * 59) % 256 * one
      }
      let plan = try FilterChain([.gaussian(sigma: 0.8)]).plan(for: format, size: picture.size)
      let expected = try await ReferenceBackend().execute(plan, picture)
      for backend: any Backend in [FastBackend(threads: 2), gl] {
        let actual = try await backend.execute(plan, picture)
        #expect(
          try #require(actual.distance(to: expected)) <= 1, "\(backend.name) \(format)")
      }
    }
  }
}
