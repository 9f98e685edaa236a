extension Plan {
  /// The same plan for a part of the picture: the one way to compute regions, strips and tiles.
  ///
  /// Coordinates stay those of the whole picture, so every sample is computed from the same numbers
  /// in the same order and has the same bytes as in the whole. Only what the part needs is computed.
  ///
  /// - Parameter rect: inside `result.rect`, not empty.
  /// - Throws: `PlanError.regionOutside` when it is not.
  public func cropped(to rect: Rect) throws(PlanError) -> Plan {
    guard !rect.isEmpty, result.rect.contains(rect) else {
      throw .regionOutside(rect, picture: result.rect)
    }
    var plan = self
    for index in results.indices { plan.results[index].rect = rect }
    plan.resolveDomains()
    if plan.roundsBetweenSteps { plan.removeHiddenBlends() }
    // Of what does not show a pixel is computed all the same, near the others: maybe where the whole
    // never looked for one.
    plan.resolveEdges()
    return plan
  }

  /// Leaves out blends whose second picture does not show in the part that is computed: the first
  /// picture, as it is, takes the place of their result.
  private mutating func removeHiddenBlends() {
    var places = Array(slots.indices)
    for index in steps.indices {
      for source in steps[index].sources.indices {
        steps[index].sources[source].slot = places[steps[index].sources[source].slot]
      }
      guard case .blend(let blend) = steps[index].pass, blend.secondPart?.isEmpty == true,
        let target = steps[index].target, let first = steps[index].sources.first,
        first.x == nil, first.y == nil, slots[first.slot].layout == slots[target].layout,
        slots[first.slot].precision == slots[target].precision
      else { continue }
      places[target] = first.slot
    }
    guard places != Array(slots.indices) else { return }
    removeUnreadSteps()
    resolveDomains()
  }
}

extension Plan {
  /// The plan cut after its first `count` steps, ending in what the last of them wrote; of a plan with
  /// several results, none is left.
  ///
  /// The result is premultiplied float in the slot's own grid, so that two backends can be
  /// compared pass by pass. `count` is limited to what the plan has; the whole count, and one that
  /// ends with a store, give the plan itself.
  package func prefix(_ count: Int) -> Plan {
    guard count < steps.count, count > 0, let last = steps[count - 1].target else { return self }
    var plan = self
    let slot = slots[last]
    plan.results = [
      Result(
        rect: slot.domain, format: PixelFormat(slot.layout, .float32), alpha: .premultiplied,
        transfer: result.transfer, certifiedError: slot.error)
    ]
    let store = Store(
      format: plan.result.format, alpha: .premultiplied, encodesFromLinear: false, background: nil)
    plan.steps =
      steps.prefix(count).filter { $0.target != nil } + [
        Step(pass: .store(store), sources: [Source(slot: last)], target: nil)
      ]
    plan.removeUnreadSteps()
    return plan
  }
}
