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
    plan.result.rect = rect
    plan.resolveDomains()
    if plan.roundsBetweenSteps { plan.removeHiddenBlends() }
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

  /// Walks the steps backward from the result and gives each slot the domain that is needed.
  mutating func resolveDomains() {
    var needed = [Rect?](repeating: nil, count: slots.count)
    for place in steps.indices.reversed() {
      let target = steps[place].target.flatMap { needed[$0] } ?? result.rect
      if case .blend(let blend) = steps[place].pass {
        steps[place].pass = .blend(blend.cropped(to: target))
      }
      let step = steps[place]
      for (index, source) in step.sources.enumerated() {
        let read = source.footprint(of: step.pass.sourceRect(for: target, of: index))
        needed[source.slot] = needed[source.slot]?.union(read) ?? read
      }
    }
    for index in slots.indices {
      if let domain = needed[index] { slots[index].domain = domain }
    }
  }
}
