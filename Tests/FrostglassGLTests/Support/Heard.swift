import FrostglassGL
import Synchronization

/// What a driver says.
final class Heard: Sendable {
  private let list = Mutex<[GLMessage]>([])

  var messages: [GLMessage] { list.withLock { $0 } }

  func add(_ message: GLMessage) {
    list.withLock { $0.append(message) }
  }
}
