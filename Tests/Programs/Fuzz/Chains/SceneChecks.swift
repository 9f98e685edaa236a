import FrostglassCPU
import FrostglassCore
package import FrostglassGL
import TestSupport

/// Scenes drawn by chance that follow each other: what is computed anew, laid over what there was, is
/// the image that computing all of it gives, byte for byte, on every backend.
package struct SceneChecks: Sendable {
  private let backends: [any Backend]

  /// - Parameter gpus: take part beside the CPU's backends.
  package init(gpus: [GLBackend] = []) {
    backends =
      [
        ReferenceBackend(), FastBackend(threads: 2),
        FastBackend(threads: 3, instructions: .best, guardedWith: 0x7F),
      ] + gpus
  }

  /// Runs the sequence of a number.
  ///
  /// - Returns: a finding; `nil` if there is none.
  package func finding(_ number: UInt64) async -> String? {
    do {
      var parts = backends.map { SceneRenderer(backend: $0) }
      var scenes = TestScenes(seed: number)
      var scene = scenes.scene()
      for step in 0..<4 {
        var bytes: [[UInt8]] = []
        for (index, backend) in backends.enumerated() {
          let frame = try await parts[index].render(scene, TestScenes.pictures)
          var fresh = SceneRenderer(backend: backend)
          let whole = try await fresh.render(scene, TestScenes.pictures)
          guard frame.image.bytes == whole.image.bytes else {
            return "step \(step) on \(backend.name) number \(index): a part is not the whole's"
          }
          bytes.append(frame.image.bytes)
        }
        guard bytes[1] == bytes[2] else { return "step \(step): depends on unwritten memory" }
        scene = scenes.next(scene)
      }
      return nil
    } catch { return "\(error)" }
  }
}
