import FrostglassCPU
import FrostglassCore
import FrostglassGL
import TestSupport
import Testing

/// Images of 8 bits in storage buffers, which is where GPUs have them.
@Suite struct StorageTests {
  /// Bytes come back as they went up, in every format, wherever rows begin.
  @Test(arguments: [GLOptions.TransferMode.direct, .buffered])
  func bytesStay(_ transfer: GLOptions.TransferMode) async throws {
    var options = Setup.windows.options
    options.transfer = transfer
    let backend = try await GLBackend.shared(options)
    for (number, format) in [PixelFormat.gray8, .rgb8, .rgba8].enumerated() {
      let image = Image.noise(61 + number, 47, format)
      let picture = try await backend.upload(image)
      #expect(try await backend.download(picture).bytes == image.bytes, "\(format)")
      let plan = try FilterChain(text: "brightness(1.1)").plan(for: Plan.Input(image))
      let part = try plan.cropped(to: Rect(x: 7, y: 5, width: 33, height: 21))
      let fragment = try await GLBackend.shared(GLOptions(stage: .fragment))
      #expect(
        try await backend.execute(part, [image]).bytes
          == fragment.execute(part, [image]).bytes, "\(format), a part")
    }
  }

  /// A program reads three buffers; what is more comes from textures, and makes no difference.
  @Test(arguments: [GLOptions.Programs.shared, .specialized])
  func moreImagesThanAProgramReadsInBuffers(_ programs: GLOptions.Programs) async throws {
    var options = Setup.windows.options
    options.programs = programs
    let backend = try await GLBackend.shared(options)
    let images = (0..<6).map { Image.noise(53, 37, alpha: .premultiplied, seed: UInt64($0) + 3) }
    let rect = Rect(images[0].size)
    let slot = Slot(domain: rect, layout: .rgba, precision: .float32)
    var steps = images.indices.map {
      Step(
        pass: .load(Load(input: $0, alpha: .premultiplied, decodesToLinear: false)), sources: [],
        target: $0)
    }
    for index in 1..<images.count {
      let below = index == 1 ? 0 : images.count + index - 2
      steps.append(
        Step(
          pass: .blend(Blend(.mix(0.3))), sources: [Source(slot: below), Source(slot: index)],
          target: images.count + index - 1))
    }
    let store = Store(
      format: .rgba8, alpha: .premultiplied, encodesFromLinear: false, background: nil)
    steps.append(
      Step(pass: .store(store), sources: [Source(slot: 2 * images.count - 2)], target: nil))
    let plan = Plan(
      inputs: images.map { Plan.Input($0) },
      slots: [Slot](repeating: slot, count: 2 * images.count - 1), steps: steps,
      results: [
        Plan.Result(rect: rect, format: .rgba8, alpha: .premultiplied, transfer: .encoded)
      ])
    try plan.validate(for: .none)
    try await expectParity(backend, plan, images, within: oneLevel)
  }

  /// An image on the device is what one in memory is, also where a plan is played again.
  @Test func imagesOnTheDeviceAreThoseInMemory() async throws {
    let backend = try await GLBackend.shared(Setup.windows.options)
    for format in [PixelFormat.rgba8, .rgb8, .gray8] {
      let image = Image.noise(131, 67, format)
      let plan = try FilterChain(text: "blur(20px) saturate(1.5)").plan(for: Plan.Input(image))
      let expected = try await backend.execute(plan, [image])
      let picture = try await backend.upload(image)
      for _ in 0..<3 {
        let blurred = try await backend.download(backend.execute(plan, [picture]))
        #expect(blurred.bytes == expected.bytes, "\(format)")
      }
    }
  }

  /// Images of more bytes than a buffer takes are textures: all of them, or the results of an input that is not.
  @Test(arguments: [0, 30_000])
  func largerImagesAreTextures(_ bytes: Int) async throws {
    var options = Setup.windows.options
    options.mostStorageBytes = bytes
    let (textures, buffers) = try await (
      GLBackend.shared(options), GLBackend.shared(Setup.windows.options)
    )
    for format in [PixelFormat.rgba8, .rgb8, .gray8] {
      let image = Image.noise(131, 67, format)
      let plan = try FilterChain(text: "blur(12px) saturate(1.5)").plan(for: Plan.Input(image))
      let expected = try await buffers.execute(plan, [image])
      #expect(try await textures.execute(plan, [image]).bytes == expected.bytes, "\(format)")
      let picture = try await textures.upload(image)
      #expect(
        try await textures.download(textures.execute(plan, [picture])).bytes == expected.bytes,
        "\(format), on the device")
    }
  }
}
