extension Plan {
  /// Leaves out steps whose result nobody reads, and their slots.
  package mutating func removeUnreadSteps() {
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

  /// Has a step do on other sources what it did together with those before it, which may be unread then.
  package mutating func replaceStep(_ index: Int, with pass: Pass, on sources: [Source]) {
    steps[index].pass = pass
    steps[index].sources = sources
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

extension Plan {
  /// Gives steps that read in place a picture of all they read, where that lies beyond the edges of
  /// their source.
  ///
  /// A shadow that falls far outside the picture, for example, asks for columns of a blur that lie
  /// wholly beyond what was blurred. The blur's last pass, along y, takes columns as they lie in
  /// memory, where of its source there is only the border. So what is beyond is copied first, by a pass
  /// that resolves edges.
  mutating func resolveEdges() {
    var resolved: [Step] = []
    for var step in steps {
      let target = step.target.map { slots[$0].domain } ?? result.rect
      for (place, source) in step.sources.enumerated() {
        let wanted = step.pass.sourceRect(for: target, of: place)
        guard !step.pass.finds(wanted, in: source, of: place, for: target) else { continue }
        let read = slots[source.slot]
        let copy = Step(
          pass: .resample(Resample(x: .identity, y: .identity)), sources: [source],
          target: slots.count)
        slots.append(
          Slot(domain: wanted, layout: read.layout, precision: read.precision, error: read.error))
        resolved.append(copy)
        step.sources[place] = Source(slot: slots.count - 1)
      }
      resolved.append(step)
    }
    steps = resolved
  }
}

extension Pass {
  /// Whether a source's samples are all where this pass looks for them: inside the source's edges, or
  /// along axes where it resolves them.
  ///
  /// - Parameters:
  ///   - wanted: what is read for `target`, before edges.
  func finds(_ wanted: Rect, in source: Source, of place: Int, for target: Rect) -> Bool {
    // What does not show is not looked for.
    guard reads(place, for: target.rows) else { return true }
    let beyond = kind.readsBeyondEdges(of: place)
    let read = source.footprint(of: wanted)
    return (beyond.x || read.columns == wanted.columns) && (beyond.y || read.rows == wanted.rows)
  }
}
