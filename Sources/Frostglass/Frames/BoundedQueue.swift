internal import FrostglassCore

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
