internal import FrostglassCore

/// The plans for a picture in planes, cut to what changes: of the filtered picture in between what that needs,
/// and of each plane the parts that are made anew. Only what is read for them goes to the device.
struct PlanesParts: Sendable {
  let plan: YCbCrPlan
  /// The plans that make the filtered image; empty if each plane is filtered separately, or if nothing changes.
  let toPicture: [Plan]
  /// For each plane what alone is computed; `nil` is all of it.
  let changed: [ChangedParts?]

  /// - Throws: `BackendError.failed` for plans that are not well formed.
  init(_ plan: YCbCrPlan) throws(BackendError) {
    self.plan = plan
    var changed: [ChangedParts?] = []
    var needed: Rect?
    func need(_ part: Rect?) {
      guard let part else { return }
      needed = needed?.union(part) ?? part
    }
    for (step, parts) in zip(plan.toPlanes, plan.parts) {
      guard parts != [step.result.rect] else {
        changed.append(nil)
        if !plan.isByPlanes { need(step.part(ofInput: 0)) }
        continue
      }
      let own = ChangedParts(
        step, parts.filter { !$0.isEmpty }, of: plan.isByPlanes ? 0 : step.inputs.count - 1)
      guard let own else { throw .failed(backend: "gl", what: "parts outside of a plane") }
      changed.append(own)
      if !plan.isByPlanes { for part in own.plans { need(part.part(ofInput: 0)) } }
    }
    self.changed = changed
    var toPicture: [Plan] = []
    do throws(PlanError) {
      for step in plan.toPicture.reversed() {
        guard let part = needed else { break }
        let own = try step.cropped(to: part)
        toPicture.insert(own, at: 0)
        needed = own.part(ofInput: 0)
      }
    } catch { throw .failed(backend: "gl", what: "\(error)") }
    self.toPicture = toPicture
  }
}

/// A cache of the parts that recent plans change, worked out once per plan instead of once per frame.
struct KnownChanges {
  private var known: [(plan: Plan, changed: ChangedParts?)] = []

  /// As many plans as one caller, or several, may have in turn.
  private static let capacity = 16

  /// Returns the parts of a plan's result that may differ from an input in memory; `nil` for the whole result.
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
