internal import FrostglassCore

/// What of their results plans change, for those that ran last: it is worked out once, and not with every frame.
struct KnownChanges {
  private var known: [(plan: Plan, changed: ChangedParts?)] = []

  /// As many plans as one caller, or several, may have in turn.
  private static let capacity = 16

  /// What of a plan's result may differ from an input in memory; `nil` is all.
  mutating func changes(of plan: Plan, _ inputs: [RunInput]) -> ChangedParts? {
    let changed = changes(of: plan)
    guard let changed, case .image = inputs[changed.input] else { return nil }
    return changed
  }

  private mutating func changes(of plan: Plan) -> ChangedParts? {
    if let found = known.first(where: { $0.plan.isSameStorage(as: plan) }) { return found.changed }
    let changed = ChangedParts(plan)
    known.append((plan, changed))
    if known.count > Self.capacity { known.removeFirst() }
    return changed
  }
}
