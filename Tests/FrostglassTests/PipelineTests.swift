import Frostglass
import FrostglassBackends
import FrostglassCPU
import FrostglassCore
import FrostglassStills
import TestSupport
import Testing

struct PipelineTests {
  @Test(arguments: [BackendChoice.auto, .fast, .reference, .gl])
  func blursAnImageInMemory(choice: BackendChoice) async throws {
    let image = TestImages.noise(40, 30)
    let chain: FilterChain = [.gaussian(sigma: 12), .saturation(1.8)]
    let result = try await Pipeline(backend: choice).blur(image, chain)
    #expect(result.size == image.size)
    #expect(result.format == image.format)
    let expected = try await ReferenceBackend().execute(
      try chain.plan(for: Plan.Input(image)), [image])
    try expectClose(result, expected, within: 1.001, "\(choice)")
  }

  @Test func plansFromTheHeaderOfAJob() throws {
    let png = try StillEncoder().encode(TestImages.noise(40, 30), as: .png)
    let source = StillSource.bytes(png)
    let job = Job(source: source, recipe: Recipe([.gaussian(sigma: 3)]), sink: .standardOutput)
    let plan = try Pipeline().plan(job)
    #expect(plan.result.rect == Rect(x: 0, y: 0, width: 40, height: 30))
  }

  @Test func outputFormatsDecideDepthAndAlpha() throws {
    let deep = TestImages.noise(8, 8, PixelFormat(.rgba, .uint16))
    let png = try StillEncoder().encode(deep, as: .png)
    func planned(_ path: String) throws -> PixelFormat {
      let job = Job(
        source: .bytes(png), recipe: Recipe([.gaussian(sigma: 3)]),
        sink: .file(path, overwrite: true))
      return try Pipeline().plan(job).result.format
    }
    #expect(try planned("a.png") == PixelFormat(.rgba, .uint16))
    #expect(try planned("a.jpg") == .rgb8)
    #expect(try planned("a.webp") == .rgba8)
  }

  @Test func oneBackendServesManyJobsAtOnce() async throws {
    let pipeline = Pipeline(backend: .gl)
    let image = TestImages.noise(50, 50)
    let results = try await withThrowingTaskGroup(of: [UInt8].self) { group in
      for _ in 0..<8 {
        group.addTask { try await pipeline.blur(image, [.gaussian(sigma: 9)]).bytes }
      }
      return try await group.reduce(into: [[UInt8]]()) { $0.append($1) }
    }
    #expect(Set(results).count == 1)
  }

  @Test func aBackendIsStartedOnce() async throws {
    let selector = BackendSelector(.gl)
    let backends = try await withThrowingTaskGroup(of: ObjectIdentifier.self) { group in
      for _ in 0..<4 {
        group.addTask { ObjectIdentifier(try await selector.selection().backend as AnyObject) }
      }
      return try await group.reduce(into: Set<ObjectIdentifier>()) { $0.insert($1) }
    }
    #expect(backends.count == 1)
  }

  @Test func comparesWithTruthAndBackends() async throws {
    let png = try StillEncoder().encode(TestImages.noise(60, 44), as: .png)
    let comparer = Comparer(recipe: Recipe([.gaussian(sigma: 7), .saturation(1.8)]))
    let truth = try await comparer.compare(.bytes(png), .fast, with: .truth)
    #expect(truth.comparison.maximum < 1.5)
    let backends = try await comparer.compare(.bytes(png), .gl, with: .backend(.reference))
    #expect(backends.comparison.maximum <= 1)
    #expect(backends.suspect == nil)
  }
}
