internal import CKernels
internal import FrostglassCPU
internal import Glibc

/// What is left of the processors' clock for this process: a host that is busy, hot or rationed gives less than
/// what the processor is sold by, and arithmetic takes longer by that factor, which copies of memory hardly do.
struct EffectiveClock {
  /// Operations that wait for each other, some 0.1 ms of them.
  private static let operations: UInt64 = 320_000

  /// Measures as many threads as work, all at once.
  ///
  /// - Returns: cycles in a second, of the slowest.
  static func measure(on workers: Workers) -> Double {
    let times = ThreadTimes(count: workers.count)
    workers.run(workers.count) { _, part in
      let start = ContinuousClock.now
      precondition(fg_wait_in_turn(operations) == 0)
      times.seconds[part] = start.duration(to: .now) / .seconds(1)
    }
    return Double(operations) / (times.seconds.max() ?? 1)
  }

  /// Each thread has its own place.
  private final class ThreadTimes: Sendable {
    nonisolated(unsafe) let seconds: UnsafeMutableBufferPointer<Double>

    init(count: Int) {
      seconds = .allocate(capacity: count)
      seconds.initialize(repeating: 0)
    }

    deinit { seconds.deallocate() }
  }
}
