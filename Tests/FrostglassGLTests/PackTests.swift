import FrostglassCore
import FrostglassGL
import Testing

/// Results are packed into rows on the device, with the bytes that they have where the CPU does it.
@Suite struct PackTests {
  @Test(arguments: Setup.allCases) func packsEveryFormat(_ setup: Setup) async throws {
    var options = setup.options
    options.transfer = .direct
    let direct = try await GLBackend.start(options)
    options.transfer = .buffered
    let buffered = try await GLBackend.start(options)
    // Small enough that some of the images run in tiles.
    options.textureBytes = 1 << 18
    let tiled = try await GLBackend.start(options)
    for format in PixelFormat.all {
      // From less than a texel to several rows of them.
      for (width, height) in [(1, 1), (2, 1), (3, 3), (127, 1), (1, 131), (101, 83)] {
        let image = Image.noise(width, height, format)
        let plan = try FilterChain([.saturation(1.4)]).plan(for: Plan.Input(image))
        let expected = try await direct.execute(plan, [image]).bytes
        #expect(try await buffered.execute(plan, [image]).bytes == expected, "\(format) \(width)")
        #expect(try await tiled.execute(plan, [image]).bytes == expected, "\(format) \(width)")
      }
    }
  }

  @Test(arguments: Setup.allCases) func packsWholeAndCutLevels(_ setup: Setup) async throws {
    var options = setup.options
    options.transfer = .buffered
    let backend = try await GLBackend.start(options)
    for format in [PixelFormat.gray8, .rgb8, PixelFormat(.gray, .uint16)] {
      // Every level of 8 bits, and the ends and some others of 16.
      var image = Image(zeros: Size(width: 256, height: 3), format: format)
      for index in image.bytes.indices { image.bytes[index] = UInt8(truncatingIfNeeded: index) }
      let picture = try await backend.upload(image)
      #expect(try await backend.download(picture).bytes == image.bytes, "\(format)")
    }
  }

  @Test(arguments: [GLOptions.Stage.fragment, .compute])
  func fetchesNoMoreThanTheImageHolds(_ stage: GLOptions.Stage) async throws {
    let backend = try await GLBackend.start(GLOptions(stage: stage, transfer: .buffered))
    let image = Image.noise(200, 200, .rgb8)
    let plan = try FilterChain([.gaussian(sigma: 2)]).plan(for: Plan.Input(image))
    _ = try await backend.execute(plan, [image])
    // 120 000 bytes each way, in steps of 64 KiB; four channels would need 160 000.
    #expect(await backend.textureStatistics.bufferBytes == 2 * 131_072)
  }
}
