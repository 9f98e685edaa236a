import FrostglassGL
import Synchronization

/// The messages of a driver.
final class Heard: Sendable {
  private let list = Mutex<[GLMessage]>([])

  var messages: [GLMessage] { list.withLock { $0 } }

  func add(_ message: GLMessage) {
    list.withLock { $0.append(message) }
  }
}
