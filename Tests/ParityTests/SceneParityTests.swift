import FrostglassCPU
import FrostglassCore
import FrostglassGL
import TestSupport
import Testing

/// Scenes look the same on every backend.
@Suite struct SceneParityTests {
  private func compare(_ backend: any Backend, seeds: ClosedRange<UInt64>) async throws {
    for seed in seeds {
      var scenes = TestScenes(seed: seed)
      let scene = scenes.scene()
      var compiler = SceneCompiler()
      let plan = try compiler.plan(scene)
      try plan.validate(for: .none)
      let expected = try await ReferenceBackend().execute(plan, TestScenes.pictures)
      let actual = try await backend.execute(plan, TestScenes.pictures)
      try expectClose(actual, expected, within: 1, "scene \(seed) \(backend.name)")
    }
  }

  @Test func fastIsTheReference() async throws {
    try await compare(FastBackend(threads: 2), seeds: 1...60)
  }

  @Test func glIsTheReference() async throws {
    try await compare(try await GLBackend.start(GLOptions()), seeds: 1...25)
  }

  @Test func glComputesPartsLikeTheWhole() async throws {
    let backend = try await GLBackend.start(GLOptions())
    for seed in 1...8 as ClosedRange<UInt64> {
      var scenes = TestScenes(seed: seed)
      var scene = scenes.scene()
      var renderer = SceneRenderer(backend: backend)
      for step in 0..<4 {
        let frame = try await renderer.render(scene, TestScenes.pictures)
        var fresh = SceneRenderer(backend: backend)
        let whole = try await fresh.render(scene, TestScenes.pictures)
        #expect(frame.image.bytes == whole.image.bytes, "scene \(seed) step \(step)")
        scene = scenes.next(scene)
      }
    }
  }
}
