internal import Synchronization

/// What a backend tells while it works.
package final class RecoveryList: Sendable {
  private let list = Mutex<[Recovery]>([])

  package init() {}

  /// In the order in which they were told.
  package var all: [Recovery] { list.withLock { $0 } }

  package func add(_ recovery: Recovery) {
    list.withLock { $0.append(recovery) }
  }
}
