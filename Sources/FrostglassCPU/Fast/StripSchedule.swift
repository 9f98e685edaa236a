package import FrostglassCore

/// How a plan is divided into strips that are computed side by side within a memory ceiling.
package struct StripSchedule {
  package let strips: [Plan]

  /// - Parameters:
  ///   - workers: strips computed at once.
  ///   - bytes: most bytes of intermediate pictures of one strip, as floats.
  package init(_ plan: Plan, workers: Int, bytes: Int) {
    var count = workers
    while true {
      let strips = plan.strips(count)
      let largest = strips.map(\.floatBytes).max() ?? 0
      if largest <= bytes || strips.count < count {
        // Strips repeat what lies in each other's reach: not worth it when that is most of them.
        let repeats =
          count == workers && strips.map(\.floatBytes).reduce(0, +) > plan.floatBytes * 3 / 2
        self.strips = repeats ? [plan] : strips
        return
      }
      count *= 2
    }
  }
}

extension Plan {
  /// Bytes of intermediate pictures at once when all are floats.
  package var floatBytes: Int { peakBytes { $0.domain.area * $0.layout.channels * 4 } }
}
