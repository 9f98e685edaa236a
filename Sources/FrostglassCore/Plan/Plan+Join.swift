extension Plan {
  /// One plan with the results of several, in order: what they have in common is computed once.
  ///
  /// Steps are the same where they do the same to the same pictures, beginning with the inputs; so two
  /// plans may share how far they shrink a picture before their blurs part. Each result keeps the error
  /// it is certified for. Its bytes may differ within that from those of its plan alone, as backends
  /// fuse other passes where a picture has more than one reader.
  ///
  /// - Parameter plans: of the same inputs, for the same part of the picture; one or more.
  /// - Throws: `PlanError.malformed` where they are not.
  public init(joining plans: [Plan]) throws(PlanError) {
    guard let first = plans.first else { throw .malformed("no plan to join") }
    self = first
    // By what they do to which slots, the slots that steps of earlier plans wrote.
    var known: [SharedStep: Int] = [:]
    for step in steps {
      if let target = step.target { known[SharedStep(step, slots[target])] = target }
    }
    for plan in plans.dropFirst() {
      guard plan.inputs == inputs else { throw .malformed("plans of different inputs are joined") }
      guard plan.result.rect == result.rect else {
        throw .malformed("plans of \(result.rect) and \(plan.result.rect) are joined")
      }
      append(plan, &known)
      roundsBetweenSteps = roundsBetweenSteps || plan.roundsBetweenSteps
    }
  }

  private mutating func append(_ plan: Plan, _ known: inout [SharedStep: Int]) {
    // Where the other plan's slots are in this one.
    var places = [Int](repeating: 0, count: plan.slots.count)
    let firstResult = results.count
    for var step in plan.steps {
      for source in step.sources.indices {
        step.sources[source].slot = places[step.sources[source].slot]
      }
      if let target = step.target {
        let shared = SharedStep(step, plan.slots[target])
        if let place = known[shared] {
          places[target] = place
          continue
        }
        places[target] = slots.count
        known[shared] = slots.count
        step.target = slots.count
        slots.append(plan.slots[target])
      } else if case .store(var store) = step.pass {
        store.result += firstResult
        step.pass = .store(store)
      }
      steps.append(step)
    }
    results += plan.results
  }
}

/// A step and what it makes, wherever that is kept.
private struct SharedStep: Hashable {
  private let pass: Pass
  private let sources: [Source]
  private let made: Slot

  init(_ step: Step, _ made: Slot) {
    pass = step.pass
    sources = step.sources
    self.made = made
  }
}
