import Frostglass
import FrostglassCore
import Synchronization
import TestSupport
import Testing

/// Elements on their way from a producer to consumers.
@Suite struct BoundedQueueTests {
  private enum Wrong: Error { case first, second }

  private typealias Numbers = BoundedQueue<Int, Wrong>

  /// Tasks and threads alike.
  @Test(arguments: [true, false]) func elementsComeInOrderFewAreMadeAhead(
    byThread: Bool
  ) async throws {
    let queue = Numbers(capacity: 2)
    let taken = Mutex<[Int]>([])
    async let all: Void = {
      while let number = byThread
        ? try await ThreadPool().run({ () throws(Wrong) in try queue.takeBlocking() })
        : try await queue.take()
      { taken.withLock { $0.append(number) } }
    }()
    for number in 0..<200 {
      #expect(try await queue.waitForRoom())
      #expect(queue.put(number) == nil)
      // Two wait, and one was taken.
      #expect(number - taken.withLock { $0.count } <= 3)
    }
    queue.finish()
    try await all
    #expect(taken.withLock { $0 } == Array(0..<200))
  }

  @Test func theNewestWins() async throws {
    let queue = Numbers(capacity: 1)
    #expect(queue.put(1) == nil && queue.put(2) == 1 && queue.put(3) == 2)
    queue.finish()
    #expect(queue.put(4) == 4)
    #expect(try await queue.take() == 3)
    #expect(try await queue.take() == nil)
  }

  /// A failure comes after the elements that wait. Later ends are ignored, except closing.
  @Test func aFailureComesAfterTheElements() async throws {
    let queue = Numbers(capacity: 3)
    queue.put(1)
    queue.finish(.failure(.first))
    queue.finish()
    await #expect(throws: Wrong.first) { try await queue.waitForRoom() }
    #expect(try queue.takeBlocking() == 1)
    await #expect(throws: Wrong.first) { try await queue.take() }
    queue.close(.failure(.second))
    queue.close()
    #expect(throws: Wrong.second) { try queue.check() }
  }

  @Test func nobodyTakesFromAClosedQueue() async throws {
    let queue = Numbers(capacity: 2)
    queue.put(1)
    queue.finish(.failure(.first))
    queue.close()
    #expect(try await queue.take() == nil && queue.put(2) == 2)
    #expect(try queue.check())
    #expect(try await queue.waitForRoom() == false)
  }

  /// Closing ends waits on both sides.
  @Test func closingEndsAllWaiting() async throws {
    let (full, empty) = (Numbers(capacity: 1), Numbers(capacity: 1))
    full.put(1)
    let producer = Task { try await full.waitForRoom() }
    let consumer = Task { try await empty.take() }
    let thread = Task {
      try await ThreadPool().run { () throws(Wrong) in try empty.takeBlocking() }
    }
    for _ in 0..<100 { await Task.yield() }
    full.close()
    empty.close(.failure(.first))
    #expect(try await producer.value == false)
    await #expect(throws: Wrong.first) { try await consumer.value }
    await #expect(throws: Wrong.first) { try await thread.value }
  }
}
