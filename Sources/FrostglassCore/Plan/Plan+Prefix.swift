extension Plan {
  /// The plan cut after its first `count` steps, ending in what the last of them wrote.
  ///
  /// The result is premultiplied float in the slot's own grid, so that two backends can be
  /// compared pass by pass. `count` is limited to what the plan has; the whole count gives the
  /// plan itself.
  public func prefix(_ count: Int) -> Plan {
    guard count < steps.count, count > 0, let last = steps[count - 1].target else { return self }
    var plan = self
    let slot = slots[last]
    plan.result = Result(
      rect: slot.domain, format: PixelFormat(slot.layout, .float32), alpha: .premultiplied,
      transfer: result.transfer)
    let store = Store(
      format: plan.result.format, alpha: .premultiplied, encodesFromLinear: false, background: nil)
    plan.steps =
      steps.prefix(count) + [
        Step(pass: .store(store), sources: [Source(slot: last)], target: nil)
      ]
    plan.certifiedError = slot.error
    plan.removeUnreadSteps()
    return plan
  }

  /// Leaves out steps whose result nobody reads, and their slots.
  mutating func removeUnreadSteps() {
    var read = Set<Int>()
    steps = steps.reversed().filter { step in
      if let target = step.target, !read.contains(target) { return false }
      read.formUnion(step.sources.map(\.slot))
      return true
    }.reversed()
    let kept = read.sorted()
    let numbers = Dictionary(uniqueKeysWithValues: kept.enumerated().map { ($1, $0) })
    slots = kept.map { slots[$0] }
    for index in steps.indices {
      steps[index].target = steps[index].target.flatMap { numbers[$0] }
      for source in steps[index].sources.indices {
        steps[index].sources[source].slot = numbers[steps[index].sources[source].slot] ?? 0
      }
    }
  }
}
