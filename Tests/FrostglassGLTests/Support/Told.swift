import FrostglassCore
import FrostglassGL
import Synchronization

/// The recoveries that a backend reports while it runs.
final class Told: Sendable {
  private let list = Mutex<[Recovery]>([])

  var recoveries: [Recovery] { list.withLock { $0 } }
  var remedies: [Recovery.Remedy] { recoveries.map(\.remedy) }

  func add(_ recovery: Recovery) {
    list.withLock { $0.append(recovery) }
  }
}

extension GLBackend {
  /// Starts one whose driver fails as told.
  static func start(
    _ setup: Setup, failing faults: GLFaults, textureBytes: Int? = nil
  ) async throws -> GLBackend {
    var options = setup.options
    options.faults = faults
    options.textureBytes = textureBytes
    return try await start(options)
  }
}
