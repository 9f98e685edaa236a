import FrostglassBackends
import Synchronization

/// A machine that counts how often its GPU is started.
final class Machine: Sendable {
  private let started = Mutex(0)
  let backend = MadeUpBackend()
  let mayHaveGPU: Bool
  let isSoftware: Bool
  let fails: Bool

  init(mayHaveGPU: Bool = true, isSoftware: Bool = false, fails: Bool = false) {
    self.mayHaveGPU = mayHaveGPU
    self.isSoftware = isSoftware
    self.fails = fails
  }

  var starts: Int { started.withLock { $0 } }

  var host: GraphicsHost {
    GraphicsHost(
      mayHaveGPU: { [self] in mayHaveGPU },
      start: { [self] _ async throws(BackendError) in
        started.withLock { $0 += 1 }
        if fails { throw .unavailable(backend: "gl", reason: "broken", remedy: "mend it") }
        return GraphicsHost.Started(backend, description: "made up", isSoftware: isSoftware)
      })
  }
}
