package import FrostglassCore

/// How a plan is divided into strips that are computed side by side within a memory ceiling.
package struct StripSchedule {
  package let strips: [Plan]

  /// - Parameters:
  ///   - workers: strips computed at once.
  ///   - bytes: most bytes of intermediate pictures of one strip, as floats.
  package init(_ plan: Plan, workers: Int, bytes: Int) {
    var chosen = [plan]
    var count = workers
    while true {
      let strips = plan.strips(count)
      // Strips repeat what lies in each other's reach: more of them only make it worse once that
      // is most of what they compute.
      guard strips.reduce(0, { $0 + $1.work }) <= plan.work * 3 / 2 else { break }
      chosen = strips
      if strips.count < count || strips.allSatisfy({ $0.floatBytes <= bytes }) { break }
      count *= 2
    }
    strips = chosen
  }
}

extension Plan {
  /// Samples that all steps compute.
  package var work: Int {
    steps.reduce(result.rect.area) { $0 + ($1.target.map { slots[$0].domain.area } ?? 0) }
  }

  /// Bytes of intermediate pictures at once when all are floats.
  package var floatBytes: Int { peakBytes { $0.domain.area * $0.layout.channels * 4 } }
}
