internal import FrostglassCore
internal import Synchronization

/// Frames from a source to a sink: read one after another, worked on at the same time and written in order,
/// with memory for a few of them.
///
/// Frames before a failure are written. It runs once.
package final class FrameLoop<Failure: Error>: Sendable {
  private let room: FairSemaphore
  private let failure = Mutex<Failure?>(nil)

  /// - Parameter atOnce: frames on their way together, so that frame `n` may use the memory of frame
  ///   `n - atOnce`.
  package init(atOnce: Int) { room = FairSemaphore(atOnce) }

  /// Runs to the end of the source, or to the first failure.
  ///
  /// - Parameters:
  ///   - read: returns a frame by its number, from 0, or `nil` at the end; called when there is memory.
  ///   - work: makes something of a frame; several frames at the same time.
  ///   - write: gets what was made, in the order of frames and one at a time.
  /// - Throws: the failure of the first frame, in their order.
  package func run<Frame: Sendable, Made: Sendable>(
    isolation: isolated (any Actor)? = #isolation,
    read: (_ number: Int) async throws(Failure) -> Frame?,
    work: @escaping @Sendable (Frame) async throws(Failure) -> Made,
    write: @escaping @Sendable (Frame, Made) async throws(Failure) -> Void
  ) async throws(Failure) {
    let unread = await withDiscardingTaskGroup(returning: Failure?.self) { group in
      while true {
        let number = await room.enter()
        guard failure.withLock({ $0 == nil }) else { return nil }
        do throws(Failure) {
          guard let frame = try await read(number) else { return nil }
          group.addTask { [self] in
            let made = await Result { () async throws(Failure) in try await work(frame) }
            await room.waitForEarlier(number)
            do throws(Failure) {
              if failure.withLock({ $0 == nil }) { try await write(frame, made.get()) }
            } catch { failure.withLock { $0 = error } }
            room.leave(number)
          }
        } catch { return error }
      }
    }
    if let error = failure.withLock({ $0 }) ?? unread { throw error }
  }

  /// Waits until all frames before are written; for `read`.
  package func drain() async { await room.drain(to: 1) }
}

/// Memory of one frame on its way and of what is made of it.
package final class FrameSlot: Sendable {
  private let memory = Mutex((frame: OwnedMemory(0), result: OwnedMemory(0)))

  /// Without memory.
  package init() {}

  package convenience init(_ frameBytes: Int, _ resultBytes: Int) {
    self.init()
    reserve(frameBytes, resultBytes)
  }

  /// The frame.
  package var frame: UnsafeMutableRawBufferPointer { memory.withLock { $0.frame }.bytes }
  /// The rendered frame.
  package var result: UnsafeMutableRawBufferPointer { memory.withLock { $0.result }.bytes }

  /// Makes room for frames and results of so many bytes; what was there may be lost.
  package func reserve(_ frameBytes: Int, _ resultBytes: Int) {
    memory.withLock { memory in
      if memory.frame.bytes.count < frameBytes { memory.frame = OwnedMemory(frameBytes) }
      if memory.result.bytes.count < resultBytes { memory.result = OwnedMemory(resultBytes) }
    }
  }
}

/// Elements on their way from a producer to consumers, a few at a time.
///
/// Tasks and threads may be on either side.
package final class BoundedQueue<Element: Sendable, Failure: Error>: Sendable {
  private let capacity: Int
  private let state = Monitor(State())

  private struct State {
    var waiting: [Element] = []
    /// The end, after the elements that wait; `nil` while more may come.
    var end: Result<Void, Failure>?
    var isClosed = false

    var isTakeable: Bool { !waiting.isEmpty || end != nil }

    /// - Returns: `nil` where one has to wait.
    mutating func take() -> Result<Element?, Failure>? {
      waiting.isEmpty ? end.map { $0.map { nil } } : .success(waiting.removeFirst())
    }
  }

  /// - Parameter capacity: elements that may wait, 1 or more.
  package init(capacity: Int) { self.capacity = capacity }

  /// Adds an element; where there is no room, the oldest gives way.
  ///
  /// - Returns: the element that nobody will take: the oldest, or this one after the end.
  @discardableResult
  package func put(_ element: Element) -> Element? {
    state.change { state in
      guard state.end == nil else { return element }
      state.waiting.append(element)
      return state.waiting.count > capacity ? state.waiting.removeFirst() : nil
    }
  }

  /// Waits until there is room for another element.
  ///
  /// - Returns: false after the end.
  /// - Throws: the failure it ended with.
  package func waitForRoom() async throws(Failure) -> Bool {
    await state.suspend { [capacity] in $0.waiting.count < capacity || $0.end != nil }
    return try !check()
  }

  /// Checks for the end.
  ///
  /// - Returns: true if it has ended.
  /// - Throws: the failure it ended with.
  @discardableResult
  package func check() throws(Failure) -> Bool {
    guard let end = state.withLock({ $0.end }) else { return false }
    try end.get()
    return true
  }

  /// Ends it after the elements that wait, unless it has ended.
  package func finish(_ end: Result<Void, Failure> = .success(())) {
    state.change { if $0.end == nil { $0.end = end } }
  }

  /// Ends it at once, unless it is closed: nobody takes the elements that wait.
  package func close(_ end: Result<Void, Failure> = .success(())) {
    state.change { state in
      guard !state.isClosed else { return }
      state = State(end: end, isClosed: true)
    }
  }

  /// Suspends the task until there is an element.
  ///
  /// - Returns: `nil` after the last one.
  /// - Throws: the failure it ended with, after the last one.
  package func take() async throws(Failure) -> Element? {
    while true {
      if let taken = state.change({ $0.take() }) { return try taken.get() }
      await state.suspend { $0.isTakeable }
    }
  }

  /// Takes an element in a thread that may wait; everything else is as with `take`.
  package func takeBlocking() throws(Failure) -> Element? {
    while true {
      if let taken = state.change({ $0.take() }) { return try taken.get() }
      state.wait(until: { $0.isTakeable }) { _ in }
    }
  }
}
