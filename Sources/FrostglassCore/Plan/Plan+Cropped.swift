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
    return plan
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
