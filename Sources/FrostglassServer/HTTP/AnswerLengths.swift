internal import Synchronization

/// The lengths of answers that were made, by their tags: a 304, and the answer to HEAD, which make none, may then say
/// theirs, and their connection goes on.
///
/// Two lots: where the newer is full, it takes the place of the older.
final class AnswerLengths: Sendable {
  private let lots = Mutex((newer: [String: Int](), older: [String: Int]()))
  private static let most = 4096

  func note(_ length: Int, of tag: String) {
    lots.withLock { lots in
      if lots.newer.count >= Self.most { lots = ([:], lots.newer) }
      lots.newer[tag] = length
    }
  }

  /// `nil` where none was made lately.
  subscript(tag: String) -> Int? { lots.withLock { $0.newer[tag] ?? $0.older[tag] } }
}
