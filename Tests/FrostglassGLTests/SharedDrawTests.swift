import FrostglassCore
import FrostglassGL
import Testing

/// Draws that make what they read in memory that groups share give the bytes of draws one by one; so do
/// devices that have less of it.
@Suite struct SharedDrawTests {
  /// Beyond an edge that mirrors neighbors come in the other order, and sums of floats are made in the order of
  /// those inside: with borders between periods of one halving, of two, of all, and of none.
  @Test(arguments: [Setup.blocked, .tiled])
  func mirroredSumsAreThoseInside(_ setup: Setup) async throws {
    let fragment = try await GLBackend.shared(GLOptions(stage: .fragment))
    let backend = try await GLBackend.shared(setup.options)
    for (width, height) in [(128, 160), (66, 68), (36, 30), (7, 4)] {
      let image = Self.telling(width, height)
      for sigma in [5, 12, 20, 47, 110] as [Sigma] {
        let plan = try FilterChain([.gaussian(sigma: sigma)]).plan(
          for: Plan.Input(image), options: PlanOptions(edge: .mirror))
        let expected = try await fragment.execute(plan, [image])
        let actual = try await backend.execute(plan, [image])
        #expect(actual.bytes == expected.bytes, "\(width)×\(height) \(sigma)")
        let part = try plan.cropped(to: Rect(x: 2, y: 1, width: 5, height: 3))
        #expect(
          try await backend.execute(part, [image]).bytes
            == fragment.execute(part, [image]).bytes, "\(width)×\(height) \(sigma), a part")
      }
    }
  }

  /// Noise of which, at 128×160 and a σ of 12, a byte tells in which order it was summed: a step of 65280 is
  /// lost or won by it in few samples, and 8 bits show few of these.
  private static func telling(_ width: Int, _ height: Int) -> Image {
    var image = Image(
      zeros: Size(width: width, height: height), format: .rgba8, alpha: .straight)
    var state: UInt64 = 88_172_645_463_325_252
    image.bytes.withUnsafeMutableBytes { bytes in
      for index in bytes.indices {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        bytes[index] = UInt8(truncatingIfNeeded: state >> 20)
      }
    }
    return image
  }

  /// A short blur along both axes in one dispatch, of an input's texels as they came, from memory and on the
  /// device, wherever blocks begin.
  @Test func shortBlursAreOneDispatch() async throws {
    let fragment = try await GLBackend.shared(GLOptions(stage: .fragment))
    let tiled = try await GLBackend.shared(Setup.tiled.options)
    let kinds: [(PixelFormat, AlphaMode)] = [
      (.rgba8, .straight), (.rgba8, .premultiplied), (.rgb8, .opaque), (.gray8, .opaque),
    ]
    for (number, (format, alpha)) in kinds.enumerated() {
      let image = Image.noise(71 + number, 53, format, alpha: alpha)
      for (place, edge) in EdgeMode.allCases.enumerated() {
        for sigma in number == 0 ? [0.8, 1, 2, 2.5] : [[0.8, 1, 2, 2.5][place]] {
          let chain: FilterChain = [.gaussian(sigma: Sigma(sigma)), .saturation(1.5)]
          let plan = try chain.plan(
            for: Plan.Input(image), options: PlanOptions(edge: edge))
          // Outside a transparent edge there is no texel to keep.
          let count = try await tiled.draws(of: plan).count
          #expect(count == (edge == .transparent ? 2 : 1), "\(sigma) \(format) \(edge)")
          let expected = try await fragment.execute(plan, [image])
          #expect(
            try await tiled.execute(plan, [image]).bytes == expected.bytes,
            "\(sigma) \(format) \(alpha) \(edge)")
          let picture = try await tiled.upload(image)
          #expect(
            try await tiled.download(tiled.execute(plan, [picture])).bytes == expected.bytes,
            "\(sigma) \(format) \(alpha) \(edge), on the device")
          let part = try plan.cropped(to: Rect(x: 13, y: 5, width: 37, height: 31))
          #expect(
            try await tiled.execute(part, [image]).bytes
              == fragment.execute(part, [image]).bytes,
            "\(sigma) \(format) \(alpha) \(edge), a part")
        }
      }
    }
  }

  /// What a device may have of the 16 KiB for a group that OpenGL ES 3.1 promises, or less.
  struct Limits: Sendable, CustomStringConvertible {
    var stage: GLOptions.Stage
    var shared: Int
    /// Dispatches of a σ of 20 there.
    var dispatches: Int

    var description: String { "\(stage), \(shared) bytes" }
  }

  /// Devices with less fall back to draws that need less, with the same bytes; nothing of what runs there asks
  /// for more than there is.
  @Test(arguments: [
    Limits(stage: .tiled, shared: 16384, dispatches: 3),
    Limits(stage: .tiled, shared: 16383, dispatches: 5),
    Limits(stage: .tiled, shared: 4096, dispatches: 5),
    Limits(stage: .tiled, shared: 0, dispatches: 5),
    Limits(stage: .blocked, shared: 0, dispatches: 5),
  ])
  func smallDevicesGiveTheSameBytes(_ limits: Limits) async throws {
    let fragment = try await GLBackend.shared(GLOptions(stage: .fragment))
    var options = GLOptions(
      stage: limits.stage, restrictToES31Minimum: true, programs: .specialized)
    options.mostSharedBytes = limits.shared
    let small = try await GLBackend.start(options)
    for (alpha, edge) in [(AlphaMode.straight, EdgeMode.mirror), (.premultiplied, .clamp)] {
      let image = Image.noise(140, 72, alpha: alpha)
      for sigma in [1, 2, 5, 20, 50] as [Sigma] {
        let plan = try FilterChain([.gaussian(sigma: sigma)]).plan(
          for: Plan.Input(image), options: PlanOptions(edge: edge))
        let expected = try await fragment.execute(plan, [image])
        #expect(
          try await small.execute(plan, [image]).bytes == expected.bytes,
          "\(sigma) \(alpha) \(edge)")
        if sigma == 20 {
          #expect(try await small.draws(of: plan).count == limits.dispatches)
        }
      }
    }
  }
}
