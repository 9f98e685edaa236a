import FrostglassBackends
import Synchronization

/// A machine that counts what is done with it.
final class Machine: Sendable {
  struct Counts {
    var starts = 0
    var measurements = 0
    /// Seconds of the start, as the measurement was told.
    var startUp = -1.0
  }

  private let state = Mutex(Counts())
  let backend = MadeUpBackend()
  let model: CostModel
  let mayHaveGPU: Bool
  let isSoftware: Bool
  let fails: Bool
  let secondsOnce: Double

  init(
    _ model: CostModel = CostModelTests.discrete, mayHaveGPU: Bool = true,
    isSoftware: Bool = false, fails: Bool = false, secondsOnce: Double = 0
  ) {
    self.model = model
    self.mayHaveGPU = mayHaveGPU
    self.isSoftware = isSoftware
    self.fails = fails
    self.secondsOnce = secondsOnce
  }

  /// How often it was started, and how often measured.
  var counts: [Int] { state.withLock { [$0.starts, $0.measurements] } }
  var startUp: Double { state.withLock { $0.startUp } }

  var host: GraphicsHost {
    GraphicsHost(
      mayHaveGPU: { [self] in mayHaveGPU }, fingerprint: { "renderD128 10de:2335" },
      start: { [self] _ async throws(BackendError) in
        state.withLock { $0.starts += 1 }
        if fails { throw .unavailable(backend: "gl", reason: "broken", remedy: "mend it") }
        return GraphicsHost.Started(
          backend, description: "made up", isSoftware: isSoftware,
          identity: model.identity ?? "", secondsOnce: secondsOnce)
      },
      measure: { [self] _, _, _, startUp in
        state.withLock {
          $0.measurements += 1
          $0.startUp = startUp
        }
        return model
      })
  }
}
