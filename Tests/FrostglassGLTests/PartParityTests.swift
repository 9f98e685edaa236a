import FrostglassCPU
import FrostglassCore
import FrostglassGL
import TestSupport
import Testing

/// Layers are drawn where they show, over the layers below; the result is that of whole layers.
@Suite struct PartParityTests {
  @Test(arguments: Setup.allCases)
  func layersAreDrawnInTheirPlaces(_ setup: Setup) async throws {
    let backend = try await GLBackend.start(setup.options)
    for seed in 101...104 as ClosedRange<UInt64> {
      let plan = try scene(seed)
      try await expectParity(
        backend, plan, TestScenes.pictures, within: oneLevel, "scene \(seed)")
    }
    #expect(await backend.textureStatistics.lentBytes == 0)
  }

  /// Pixels that no layer changes are copied if the image is on the device and has the result's bytes.
  @Test(arguments: [Setup.fragment, .specializedFragment, .blocked, .restrictedCompute])
  func imagesMayBeOnTheDevice(_ setup: Setup) async throws {
    let backend = try await GLBackend.start(setup.options)
    var resident: [PixelInput] = []
    for picture in TestScenes.pictures {
      resident.append(.resident(try #require(await backend.resident(picture))))
    }
    let kept = await backend.textureStatistics.lentBytes
    for seed in 1...12 as ClosedRange<UInt64> {
      let plan = try scene(seed)
      let output = ImageOutput()
      _ = try await backend.run(plan, PixelIO(resident, to: [.image(output)]))
      let fromMemory = try await backend.execute(plan, TestScenes.pictures)
      #expect(output.take()?.bytes == fromMemory.bytes, "scene \(seed)")
      #expect(await backend.textureStatistics.lentBytes == kept)
    }
    withExtendedLifetime(resident) {}
  }

  /// In textures of half the precision, too, a part has the bytes of the whole: which passes share a
  /// draw depends on the size of what is computed, and must not tell.
  @Test(arguments: PlanOptions.Quality.allCases)
  func smallPartsOfLargeCanvasesAreTheWhole(_ quality: PlanOptions.Quality) async throws {
    let backend = try await GLBackend.shared(GLOptions())
    for seed in [2, 3, 7, 11] as [UInt64] {
      var scenes = TestScenes(seed: seed)
      var scene = scenes.scene()
      scene.size = Size(width: 600, height: 500)
      scene.quality = quality
      var compiler = SceneCompiler()
      let plan = try compiler.plan(scene)
      try await expectParts(of: plan, TestScenes.pictures, backend, "scene \(seed)")
    }
  }

  /// The same of images, also where textures round what is in between.
  @Test(arguments: [GLOptions.Stage.fragment, .compute, .blocked], [false, true])
  func smallPartsOfLargeImagesAreTheWhole(
    _ stage: GLOptions.Stage, _ isRestricted: Bool
  ) async throws {
    let backend = try await GLBackend.shared(
      GLOptions(stage: stage, restrictToES31Minimum: isRestricted))
    // The parts show the first blur alone, out of a slot that holds both.
    let circle = "gpuimage-gaussian-position(blur-center-x=0.8, blur-radius=0.1)"
    let masked = try FilterChain(text: "blur(5px) \(circle) blur(5px)")
    for format in [PixelFormat.rgba8, .rgb8] {
      let image = Image.noise(600, 500, format)
      for quality in format == .rgba8 ? PlanOptions.Quality.allCases : [.fast] {
        for chain in [
          [.gaussian(sigma: 4), .saturation(1.5)], [.gaussian(sigma: 15), .contrast(1.1)],
          masked,
        ] as [FilterChain] {
          let plan = try chain.plan(
            for: Plan.Input(image), options: PlanOptions(quality: quality))
          try await expectParts(of: plan, [image], backend, "\(chain.text) \(quality)")
        }
      }
      await backend.trim()
    }
  }

  private func expectParts(
    of plan: Plan, _ inputs: [Image], _ backend: GLBackend, _ comment: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let whole = try await backend.execute(plan, inputs)
    for rect in [
      Rect(x: 0, y: 0, width: 71, height: 93), Rect(x: 13, y: 40, width: 33, height: 20),
    ] {
      let part = try await backend.execute(plan.cropped(to: rect), inputs)
      let length = rect.width * part.format.bytesPerPixel
      for y in 0..<rect.height {
        let start = (rect.y + y) * whole.bytesPerRow + rect.x * whole.format.bytesPerPixel
        let row = y * part.bytesPerRow
        #expect(
          whole.bytes[start..<start + length] == part.bytes[row..<row + length],
          "\(comment), row \(y) of \(rect)", sourceLocation: sourceLocation)
      }
    }
  }

  private func scene(_ seed: UInt64) throws -> Plan {
    var scenes = TestScenes(seed: seed)
    var compiler = SceneCompiler()
    return try compiler.plan(scenes.scene())
  }
}
