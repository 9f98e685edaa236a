import FrostglassCPU
import FrostglassCore
import FrostglassGL
import Testing

/// Images between draws that are held in 16-bit integers.
@Suite struct IntegerSlotTests {
  /// Bytes per pixel that each draw but the last writes.
  private func written(
    _ backend: GLBackend, _ chain: FilterChain, _ format: PixelFormat,
    _ options: PlanOptions = PlanOptions()
  ) async throws -> [Int] {
    let image = Image.noise(640, 512, format)
    let plan = try chain.plan(for: Plan.Input(image), options: options)
    return try await backend.draws(of: plan).dropLast().map { $0.writtenBytes / $0.size.area }
  }

  /// Slots are integers if the bound has room for them and the next pass computes sums.
  @Test func halfOfTheBytesWhereTheBoundAllows() async throws {
    let backend = try await GLBackend.shared(GLOptions(stage: .blocked))
    for sigma in [2, 5, 20, 50] as [Sigma] {
      let bytes = try await written(backend, [.gaussian(sigma: sigma)], .rgba8)
      #expect(!bytes.isEmpty && bytes.allSatisfy { $0 == 8 }, "\(sigma) \(bytes)")
      // A step of 1/256 level is one of 16 bits.
      let words = try await written(
        backend, [.gaussian(sigma: sigma)], PixelFormat(.rgba, .uint16))
      #expect(words.allSatisfy { $0 == 16 }, "\(sigma) \(words)")
    }
    // Curves of light are planned in floats.
    let light = try await written(
      backend, [.gaussian(sigma: 5)], .rgba8, PlanOptions(linearLight: true))
    #expect(light.contains(16))
  }

  /// One color stays what it is in every stage: its sums are whole 65280ths, as divided taps only
  /// nearly sum to 1.
  @Test(arguments: Setup.allCases)
  func colorsStay(_ setup: Setup) async throws {
    let backend = try await GLBackend.shared(setup.options)
    for format in [PixelFormat.rgba8, .gray8, .rgb8] {
      for level in [0, 1, 84, 127, 128, 254, 255] as [UInt8] {
        var image = Image(
          zeros: Size(width: 70, height: 51), format: format, alpha: .premultiplied)
        image.bytes.withUnsafeMutableBytes { bytes in
          for index in bytes.indices { bytes[index] = level }
        }
        for sigma in [1, 3, 9] as [Sigma] {
          let plan = try FilterChain([.gaussian(sigma: sigma)]).plan(for: Plan.Input(image))
          let result = try await backend.execute(plan, [image])
          #expect(result.bytes == image.bytes, "\(format) \(level) \(sigma)")
        }
      }
    }
  }

  /// Two samples added in one word do not get in each other's way: the largest beside the smallest, at
  /// places that no block begins at, from memory and from the device, in every format and with every
  /// edge.
  @Test(arguments: [Setup.blocked, .windows])
  func halvingsInWordsAreThoseOfSingleSamples(_ setup: Setup) async throws {
    let fragment = try await GLBackend.shared(GLOptions(stage: .fragment))
    let blocked = try await GLBackend.shared(setup.options)
    for (number, format) in [PixelFormat.rgba8, .rgb8, .gray8].enumerated() {
      for alpha in format.layout.hasAlpha ? [AlphaMode.premultiplied, .straight] : [.opaque] {
        for (place, edge) in EdgeMode.allCases.enumerated() {
          var image = Image.noise(131 + number, 67 + place, format, alpha: alpha)
          image.bytes.withUnsafeMutableBytes { bytes in
            // Bytes of both ends, in runs that no pixel or word begins with.
            for index in bytes.indices {
              bytes[index] = bytes[index] < 128 && index / 4 % 3 > 0 ? 0 : 255
            }
          }
          // Halved once, twice and three times; all of them with every edge of one format, of others in turn.
          let sigmas = [5, 12, 20] as [Sigma]
          for sigma in alpha == .premultiplied ? sigmas : [sigmas[(number + place) % 3]] {
            let plan = try FilterChain([.gaussian(sigma: sigma)]).plan(
              for: Plan.Input(image), options: PlanOptions(edge: edge))
            let expected = try await fragment.execute(plan, [image])
            #expect(
              try await blocked.execute(plan, [image]).bytes == expected.bytes,
              "\(sigma) \(format) \(alpha) \(edge)")
            let picture = try await blocked.upload(image)
            let blurred = try await blocked.download(blocked.execute(plan, [picture]))
            #expect(
              blurred.bytes == expected.bytes, "\(sigma) \(format) \(alpha) \(edge), on the device")
            // The same in parts that begin anywhere.
            let part = try plan.cropped(to: Rect(x: 13, y: 5, width: 29, height: 31))
            #expect(
              try await blocked.execute(part, [image]).bytes
                == fragment.execute(part, [image]).bytes,
              "\(sigma) \(format) \(alpha) \(edge), a part")
          }
        }
      }
    }
  }

  /// Beyond an edge that mirrors neighbors come in the other order, and sums of floats are made in the order of
  /// those inside: with borders between periods of one halving, of two, of all, and of none.
  @Test(arguments: [Setup.blocked, .windows])
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

  /// A plan's stated arithmetic error bounds the loss between draws, against the same sums in floats. The store
  /// rounds to whole levels.
  @Test(arguments: [Setup.specializedFragment, .blocked, .restrictedFragment])
  func boundsHold(_ setup: Setup) async throws {
    let backend = try await GLBackend.shared(setup.options)
    for (seed, format) in [PixelFormat.rgba8, .rgb8, .gray8].enumerated() {
      let image = Image.noise(203, 117, format, alpha: .premultiplied, seed: UInt64(seed) + 5)
      for sigma in [1, 2, 3, 5, 12, 40] as [Sigma] {
        for chain in [
          [.gaussian(sigma: sigma)], [.gaussian(sigma: sigma), .gaussian(sigma: 1.5)],
        ] as [FilterChain] {
          let plan = try chain.plan(for: Plan.Input(image))
          let floats = try await ReferenceBackend().execute(
            plan.prefix(plan.steps.count - 1), [image])
          let difference = try ImageComparison(
            floats, await backend.execute(plan, [image])
          ).maximum
          let bound = plan.certifiedError.arithmetic
          #expect(bound < 0.1 && difference <= 0.5 + bound + floatTolerance, "\(chain) \(format)")
        }
      }
    }
  }
}
