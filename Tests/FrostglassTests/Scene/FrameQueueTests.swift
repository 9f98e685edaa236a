import Frostglass
import FrostglassCore
import FrostglassStills
import Synchronization
import Testing

/// Frames on their way to the threads that write them.
@Suite struct FrameQueueTests {
  private func frame(_ index: Int) -> FrameQueue.Frame {
    FrameQueue.Frame(index: index, image: Image(zeros: Size(width: 1, height: 1), format: .rgb8))
  }

  @Test func framesComeInOrderFewAreMadeAhead() async throws {
    let queue = FrameQueue(capacity: 2, writers: 1)
    let made = Mutex(0)
    let taken = Mutex<[Int]>([])
    let ahead = Mutex(0)
    let maker = Task {
      for index in 0..<200 {
        made.withLock { $0 += 1 }
        try await queue.put(frame(index))
      }
      try await queue.finish()
    }
    BackgroundThread.start {
      while let frame = try? queue.take() {
        let count = taken.withLock {
          $0.append(frame.index); return $0.count
        }
        let made = made.withLock { $0 }
        ahead.withLock { $0 = max($0, made - count) }
      }
      queue.leave()
    }
    try await maker.value
    #expect(taken.withLock { $0 } == Array(0..<200))
    // Two wait, and one is in the making.
    #expect(ahead.withLock { $0 } <= 3)
  }

  @Test func aFailureReachesWhoMakesFramesAndAllWriters() async {
    let queue = FrameQueue(capacity: 1, writers: 2)
    for _ in 0..<2 {
      BackgroundThread.start {
        while let frame = try? queue.take() {
          if frame.index == 3 { queue.fail(.frames(.noThread)) }
        }
        queue.leave()
      }
    }
    let error = await #expect(throws: FrostglassError.self) {
      for index in 0..<1000 { try await queue.put(frame(index)) }
    }
    #expect(error?.description == FrameSinkError.noThread.description)
    // Both have left, or this would not end.
    await #expect(throws: FrostglassError.self) { try await queue.finish() }
  }

  @Test func theFirstFailureCounts() async {
    let queue = FrameQueue(capacity: 1, writers: 0)
    queue.fail(.encode(.invalidQuality(0)))
    queue.fail(.frames(.noThread))
    let error = await #expect(throws: FrostglassError.self) { try await queue.put(frame(0)) }
    #expect(error?.description == EncodeError.invalidQuality(0).description)
    #expect(throws: FrostglassError.self) { try queue.take() }
  }

  /// Committed frames cannot be cancelled.
  @Test func whatIsCommittedIsNotStopped() async throws {
    let queue = FrameQueue(capacity: 1, writers: 1)
    try queue.commit()
    queue.stop()
    queue.leave()
    try await queue.finish()
  }

  @Test func whatIsStoppedIsNotCommitted() {
    let queue = FrameQueue(capacity: 1, writers: 1)
    queue.stop()
    let error = #expect(throws: FrostglassError.self) { try queue.commit() }
    #expect(error?.description == FrostglassError.cancelled.description)
  }
}
