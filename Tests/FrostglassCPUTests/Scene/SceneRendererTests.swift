import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

/// Only what changed is computed, and the image is that of computing everything.
@Suite struct SceneRendererTests {
  private let frost: FilterChain = [.gaussian(sigma: 3)]
  private static let ground = Layer(id: "ground", .picture(PlacedImage(0)))

  private func scene(_ layers: [Layer]) -> Scene {
    Scene(
      size: TestScenes.size, layers: [Self.ground] + layers,
      pictures: TestScenes.pictures.map { Plan.Input($0) })
  }

  private func dot(_ x: Double, _ y: Double) -> Layer {
    Layer(
      id: "dot", .color(.black), clips: [LayerShape(LayoutRect(x: x, y: y, width: 4, height: 4))])
  }

  private func pane(_ capture: Layer.Capture = .below, y: Double = 50) -> Layer {
    Layer(
      id: "pane", .backdrop(frost, of: capture),
      clips: [LayerShape(LayoutRect(x: 0, y: y, width: 71, height: 30))])
  }

  private func damages(_ scenes: [Scene]) async throws -> [Damage] {
    var renderer = SceneRenderer(backend: FastBackend(threads: 2))
    var damages: [Damage] = []
    for scene in scenes {
      damages.append(try await renderer.render(scene, TestScenes.pictures).damage)
    }
    return damages
  }

  @Test func unchangedScenesComputeNothing() async throws {
    let scene = scene([dot(3, 3), pane()])
    let damages = try await damages([scene, scene])
    #expect(damages[0] == Damage(Rect(TestScenes.size)))
    #expect(damages[1].isEmpty)
  }

  @Test func aSmallChangeComputesItselfAndItsReach() async throws {
    let before = scene([dot(20, 60), pane()])
    let after = scene([dot(22, 61), pane()])
    let damage = try await damages([before, after])[1]
    let changed = Rect(x: 20, y: 60, width: 6, height: 5)
    #expect(damage.contains(changed))
    let reach = try frost.plan(
      for: Plan.Input(size: TestScenes.size, format: .rgb8, alpha: .opaque, transfer: .encoded)
    ).reach
    let most = Rect(
      columns: changed.columns.expanded(by: reach.x), rows: changed.rows.expanded(by: reach.y)
    ).intersection(Rect(x: 0, y: 50, width: 71, height: 30))
    #expect(most.contains(try #require(damage.bounds)))
    // The corners of the box of both places did not change.
    #expect(damage.area < most.area && damage.area > most.area * 9 / 10)
  }

  @Test func whatIsFarFromAPaneDoesNotConcernIt() async throws {
    let damage = try await damages([scene([dot(5, 5), pane()]), scene([dot(6, 5), pane()])])[1]
    #expect(damage == Damage(Rect(x: 5, y: 5, width: 5, height: 4)))
  }

  @Test func whatIsOverAPaneDoesNotConcernIt() async throws {
    let damage = try await damages([
      scene([pane(), dot(20, 60)]), scene([pane(), dot(21, 60)]),
    ])[1]
    #expect(damage == Damage(Rect(x: 20, y: 60, width: 5, height: 4)))
  }

  @Test func aStaticPaneIgnoresWhatChangesBehind() async throws {
    let captured = Layer.Capture.layers([Self.ground, dot(20, 60)])
    let damage = try await damages([
      scene([dot(20, 60), pane(captured)]), scene([dot(30, 2), pane(captured)]),
    ])[1]
    // Under the pane the dot is hidden, but that is not looked at.
    #expect(damage.area == 2 * 16)
  }

  @Test func aCaptureThatChangedConcernsItsPaneOnly() async throws {
    let damage = try await damages([
      scene([pane(.layers([Self.ground, dot(20, 60)]))]),
      scene([pane(.layers([Self.ground, dot(20, 61)]))]),
    ])[1]
    #expect(damage.contains(Rect(x: 20, y: 60, width: 4, height: 5)))
    #expect(Rect(x: 0, y: 50, width: 71, height: 30).contains(try #require(damage.bounds)))
  }

  @Test func aPaneThatMovesDamagesBothPlaces() async throws {
    let damage = try await damages([scene([pane(y: 50)]), scene([pane(y: 52)])])[1]
    #expect(damage == Damage(Rect(x: 0, y: 50, width: 71, height: 32)))
  }

  @Test(arguments: 1...30) func partsGiveTheBytesOfTheWhole(seed: Int) async throws {
    for backend in [FastBackend(threads: 2), ReferenceBackend()] as [any Backend] {
      var scenes = TestScenes(seed: UInt64(seed))
      var scene = scenes.scene()
      var renderer = SceneRenderer(backend: backend)
      for step in 0..<6 {
        let frame = try await renderer.render(scene, TestScenes.pictures)
        var fresh = SceneRenderer(backend: backend)
        let whole = try await fresh.render(scene, TestScenes.pictures)
        #expect(frame.image.bytes == whole.image.bytes, "\(backend.name) step \(step)")
        scene = scenes.next(scene)
      }
    }
  }

  @Test func forgettingComputesEverything() async throws {
    var renderer = SceneRenderer(backend: FastBackend(threads: 1))
    let scene = scene([pane()])
    _ = try await renderer.render(scene, TestScenes.pictures)
    renderer.forget()
    #expect(
      try await renderer.render(scene, TestScenes.pictures).damage.area == TestScenes.size.area)
  }
}
