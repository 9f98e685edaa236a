import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

/// Everything that a plan reads is available, for any parts and inputs.
@Suite struct ReachTests {
  /// Nothing is read of a layer that does not show in the changed part.
  @Test func layersThatDoNotShowAreNotLookedFor() async throws {
    let pictures = [
      TestImages.noise(200, 200, seed: 1), TestImages.noise(40, 40, seed: 2),
      TestImages.noise(30, 30, .gray8, seed: 3),
    ]
    func scene(_ place: Double) -> Scene {
      Scene(
        size: Size(width: 100, height: 100),
        layers: [
          Layer(id: "ground", .picture(PlacedImage(0))),
          Layer(
            id: "small", .picture(PlacedImage(1)),
            clips: [LayerShape(LayoutRect(x: 5, y: 5, width: 20, height: 20))]),
          Layer(
            id: "masked", .color(Color(red: 1, green: 0, blue: 0)),
            clips: [LayerShape(LayoutRect(x: 0, y: 0, width: 30, height: 30))],
            mask: PlacedImage(2)),
          Layer(
            id: "moving", .color(Color(red: 0, green: 0, blue: 1)),
            clips: [LayerShape(LayoutRect(x: place, y: 60, width: 10, height: 10))]),
        ], pictures: pictures.map { Plan.Input($0) })
    }
    for backend: any Backend in [ReferenceBackend(), FastBackend(threads: 2)] {
      var parts = SceneRenderer(backend: backend)
      for place in [50.0, 52, 80] {
        let frame = try await parts.render(scene(place), pictures)
        var fresh = SceneRenderer(backend: backend)
        let whole = try await fresh.render(scene(place), pictures)
        #expect(frame.image.bytes == whole.image.bytes, "\(backend.name) \(place)")
      }
    }
  }

  /// Rows that came are kept for one reader; an image that a scene shows twice is gathered first.
  @Test func rowsThatAreReadTwiceAreGathered() async throws {
    let picture = TestImages.noise(40, 300)
    let twice = Scene(
      size: picture.size,
      layers: [
        Layer(id: "as it is", .picture(PlacedImage(0))),
        Layer(
          id: "smaller",
          .picture(
            PlacedImage(
              0,
              transform: AffineTransform.scale(x: 0.9, y: 0.9)
                .followed(by: .translation(x: 0, y: -200))))),
      ], pictures: [Plan.Input(picture)])
    var compiler = SceneCompiler()
    let backend = FastBackend(threads: 2)
    let plan = try compiler.plan(twice)
    #expect(!backend.streams(plan))
    let expected = try await backend.execute(plan, [picture])
    #expect(try await backend.executeRows(plan, picture).bytes == expected.bytes)
    let once = Scene(
      size: picture.size, layers: [twice.layers[0]], pictures: twice.pictures)
    #expect(backend.streams(try compiler.plan(once)))
  }

  /// No chain is too long for a thread's stack.
  @Test func longChainsRun() async throws {
    let image = TestImages.noise(9, 40)
    let text = (0..<4000).map { $0 % 2 == 0 ? "invert(0.9)" : "box(1)" }.joined(separator: " ")
    let plan = try FilterChain(text: text).plan(
      for: Plan.Input(image), options: PlanOptions(quality: .fast))
    let result = try await FastBackend(threads: 2).execute(plan, [image])
    #expect(result.size == image.size)
  }

  /// Angles that have no direction are refused, and shapes that are nowhere cover nothing.
  @Test func numbersThatAreNoneAreRefused() throws {
    let input = Plan.Input(TestImages.noise(20, 20))
    for text in ["gpuimage-motion(2.5, 1e308deg)", "hue-rotate(1e308deg)", "glass(light=1e308deg)"]
    {
      #expect(throws: PlanError.self, "\(text)") { try FilterChain(text: text).plan(for: input) }
    }
    let nowhere = LayoutRect(x: .nan, y: 0, width: 5, height: 5)
    #expect(nowhere.pixels.isEmpty)
  }
}
