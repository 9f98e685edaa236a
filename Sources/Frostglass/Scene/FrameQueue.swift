internal import Glibc

/// Hands frames from who makes them to the threads that write them, a few at a time.
///
/// Who makes them waits without a thread; who writes them, in a thread of its own, waits in it.
package final class FrameQueue: @unchecked Sendable {
  package struct Frame: Sendable {
    /// Counted from 0.
    package var index: Int
    package var image: Image

    package init(index: Int, image: Image) {
      self.index = index
      self.image = image
    }
  }

  /// Frames that may wait before no more are asked for.
  private let capacity: Int
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var waiting: [Frame] = []
  private var ends = false
  private var error: FrostglassError?
  private var writers: Int
  /// Who waits for room, or for the writers' end.
  private var maker: CheckedContinuation<Void, Never>?

  /// - Parameter writers: threads that will take frames, and `leave`.
  package init(capacity: Int, writers: Int) {
    self.capacity = capacity
    self.writers = writers
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(changed, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    pthread_cond_destroy(changed)
    mutex.deallocate()
    changed.deallocate()
  }

  /// Gives a frame, and waits until another may be made; one caller at a time.
  ///
  /// - Throws: what a writer met with.
  package func put(_ frame: Frame) async throws(FrostglassError) {
    locked {
      if error == nil { waiting.append(frame) }
      pthread_cond_broadcast(changed)
    }
    await wait { waiting.count < capacity || error != nil }
    if let error = locked({ error }) { throw error }
  }

  /// Waits until the writers have written everything and left.
  ///
  /// - Throws: what a writer met with.
  package func finish() async throws(FrostglassError) {
    locked {
      ends = true
      pthread_cond_broadcast(changed)
    }
    await wait { writers == 0 }
    if let error = locked({ error }) { throw error }
  }

  /// The next frame; `nil` when there are no more, or something failed.
  package func take() -> Frame? {
    locked {
      while waiting.isEmpty && !ends && error == nil { pthread_cond_wait(changed, mutex) }
      guard error == nil, !waiting.isEmpty else { return nil }
      let frame = waiting.removeFirst()
      wakeMaker { waiting.count < capacity && !ends }
      return frame
    }
  }

  /// Stops everything; the first error counts.
  package func fail(_ error: FrostglassError) {
    locked {
      if self.error == nil { self.error = error }
      waiting = []
      wakeMaker { !ends }
      pthread_cond_broadcast(changed)
    }
  }

  /// A writer is done.
  package func leave() {
    locked {
      writers -= 1
      wakeMaker { writers == 0 }
    }
  }

  private func wait(until holds: () -> Bool) async {
    await withCheckedContinuation { continuation in
      let goesOn = locked {
        if holds() { return true }
        precondition(maker == nil, "one caller gives frames")
        maker = continuation
        return false
      }
      if goesOn { continuation.resume() }
    }
  }

  private func wakeMaker(if holds: () -> Bool) {
    guard holds(), let waiting = maker else { return }
    maker = nil
    waiting.resume()
  }

  private func locked<Value>(_ body: () -> Value) -> Value {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }
}
