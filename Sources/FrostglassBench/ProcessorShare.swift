internal import CKernels
internal import FrostglassCPU
internal import Synchronization

/// The share of its processors that a host grants: times depend on it, and the machine reports it nowhere else.
package struct ProcessorShare: Sendable, Hashable {
  /// Cycles in a second, by operations that wait for each other.
  package var clock: Double
  /// The number of independent vector additions per cycle: about half if the other half of a core is busy.
  package var additionsPerCycle: Double

  package init(clock: Double, additionsPerCycle: Double) {
    (self.clock, self.additionsPerCycle) = (clock, additionsPerCycle)
  }

  /// The median of each.
  ///
  /// - Parameter shares: at least one.
  package init(medianOf shares: [ProcessorShare]) {
    func median(_ value: (ProcessorShare) -> Double) -> Double {
      shares.map(value).sorted()[shares.count / 2]
    }
    self.init(clock: median(\.clock), additionsPerCycle: median(\.additionsPerCycle))
  }

  /// Operations of each kind, some 0.1 ms of them.
  private static let operations: UInt64 = 320_000

  /// Measures as many threads as work, all at once.
  ///
  /// - Returns: the share of the slowest.
  static func measured(on workers: Workers) -> ProcessorShare {
    let turn = longest(on: workers) { precondition(fg_wait_in_turn(operations) == 0) }
    let beside = longest(on: workers) { _ = fg_add_vectors(operations) }
    let clock = Double(operations) / turn
    return ProcessorShare(clock: clock, additionsPerCycle: Double(operations) / beside / clock)
  }

  /// The seconds that the slowest thread took.
  private static func longest(on workers: Workers, _ work: @Sendable () -> Void) -> Double {
    let slowest = Mutex(0.0)
    workers.run(workers.count) { _, _ in
      let start = ContinuousClock.now
      work()
      let seconds = start.duration(to: .now) / .seconds(1)
      slowest.withLock { $0 = max($0, seconds) }
    }
    return slowest.withLock { $0 }
  }
}
