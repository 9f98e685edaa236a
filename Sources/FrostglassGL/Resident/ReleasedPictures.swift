internal import Synchronization

/// Pictures that nobody refers to any more, on their way to the thread that can free them.
///
/// One per set of resident pictures, so it also tells to which set a picture belongs.
final class ReleasedPictures: Sendable {
  private let ids = Mutex<[Int]>([])

  /// Notes a picture that has gone.
  ///
  /// - Returns: whether it is the first since the last `take`.
  func add(_ id: Int) -> Bool {
    ids.withLock { ids in
      ids.append(id)
      return ids.count == 1
    }
  }

  /// All that have gone since the last time.
  func take() -> [Int] {
    ids.withLock { ids in
      defer { ids = [] }
      return ids
    }
  }
}
