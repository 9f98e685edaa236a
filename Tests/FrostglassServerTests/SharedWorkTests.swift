import FrostglassServer
import Synchronization
import Testing

@Suite final class SharedWorkTests: Sendable {
  private let work = SharedWork<Bool>()
  private let mayEnd = Mutex(false)

  /// A request for work that goes on until it may end or is cancelled, which is what it returns.
  private func ask() -> Task<Bool?, Never> {
    Task {
      await work.value("a") {
        while !self.mayEnd.withLock({ $0 }), !Task.isCancelled {
          try? await Task.sleep(for: .milliseconds(5))
        }
        return Task.isCancelled
      }.value
    }
  }

  @Test func cancelledWaiterLeavesAndOthersStay() async {
    let (first, second) = (ask(), ask())
    first.cancel()
    #expect(await first.value == nil)
    mayEnd.withLock { $0 = true }
    #expect(await second.value == false)
  }

  @Test func workWithoutWaitersIsCancelled() async {
    let all = [ask(), ask(), ask()]
    for each in all { each.cancel() }
    for each in all { #expect(await each.value == nil) }
    // The next request starts again.
    let next = await work.value("a") { true }
    #expect(next.value == true)
    #expect(next.isOwn)
  }
}
