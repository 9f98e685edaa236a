import CKernels
import FrostglassCPU
import FrostglassCore
import Foundation
import Testing

/// Worker threads, which are woken on idle processors.
@Suite struct WorkersTests {
  @Test func allTasksAreDoneOnce() {
    let workers = Workers(count: 3)
    for tasks in 0..<20 {
      let done = Monitor([Int](repeating: 0, count: tasks))
      workers.run(tasks) { _, task in done.withLock { $0[task] += 1 } }
      #expect(done.withLock { $0 } == [Int](repeating: 1, count: tasks))
    }
  }

  @Test(arguments: [2, 3]) func threadsMayRunAnywhereWhileTheyWork(_ threads: Int) throws {
    let workers = Workers(count: threads)
    let everywhere = try allowedProcessors(of: "thread-self")
    for _ in 0..<30 {
      // They sleep between two runs, and each has a task as nobody ends its own before all have begun.
      let seen = Monitor<[Int: String]>([:])
      workers.run(threads) { worker, _ in
        let allowed = try? allowedProcessors(of: "thread-self")
        seen.change { $0[worker] = allowed ?? "unknown" }
        _ = seen.wait(upTo: .now + .seconds(20)) { $0.count == threads }
      }
      #expect(seen.withLock { Array($0.values) } == Array(repeating: everywhere, count: threads))
    }
  }

  /// The state of `fgk_sleeper` on a thread that sleeps, is woken, and sleeps no longer.
  @Test func aSleeperIsKeptFromTheProcessorOfWhoWakesIt() throws {
    let everywhere = try allowedProcessors(of: "thread-self")
    let sleeper = Monitor((state: fgk_sleeper(), isWoken: false, allowedAfter: ""))
    BackgroundThread.start {
      sleeper.change { fgk_sleep_begins(&$0.state) }
      let isAwake = sleeper.wait(until: \.isWoken) {
        fgk_sleep_ends(&$0.state)
        return true
      }
      let allowed = (try? allowedProcessors(of: "thread-self")) ?? "unknown"
      sleeper.change { $0.allowedAfter = isAwake ? allowed : "" }
    }
    let thread = sleeper.wait(until: { $0.state.thread != 0 }) { $0.state.thread }
    sleeper.withLock { fgk_wake_elsewhere(&$0.state) }
    let allowed = try allowedProcessors(of: "self/task/\(thread)")
    if everywhere.count(where: { $0 == "1" }) > 1 {
      #expect(
        allowed.count(where: { $0 == "1" }) == everywhere.count(where: { $0 == "1" }) - 1)
    } else {
      #expect(allowed == everywhere)
    }
    sleeper.change { $0.isWoken = true }
    let after = sleeper.wait(until: { !$0.allowedAfter.isEmpty }) { $0 }
    #expect(after.allowedAfter == everywhere)
    #expect(after.state.thread == 0)
  }
}

/// The processors that a thread may run on, a digit each from the last to the first: 1 for those that it may.
private func allowedProcessors(of thread: String) throws -> String {
  let status = try String(contentsOfFile: "/proc/\(thread)/status", encoding: .utf8)
  let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed:") })
  return line.dropFirst("Cpus_allowed:".count).compactMap(\.hexDigitValue).map {
    String(16 + $0, radix: 2).dropFirst()
  }.joined()
}
