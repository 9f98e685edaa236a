// Steps that stand for several: boxes in a row, and filled shapes. A backend keeps those that it makes at once; it
// has others taken apart into passes that it has anyway.
extension Plan {
  /// Returns the plan with such steps taken apart, except for those that are kept.
  ///
  /// What a part sees beyond the picture is what the one before makes of what it sees there: boxes of boxes are those
  /// of the picture continued without end, and so are means of means.
  ///
  /// - Parameter keeps: true for what the backend makes at once. Where it does not make all boxes of a row, it is
  ///   asked for fewer. A plan that rounds between steps keeps none.
  package func inParts(keeping keeps: (Pass) -> Bool = { _ in false }) -> Plan {
    guard steps.contains(where: \.pass.hasParts) else { return self }
    var plan = self
    plan.steps = []
    for step in steps { plan.append(step) { !roundsBetweenSteps && keeps($0) } }
    // Backends count on it that slots are numbered as they are made.
    plan.keepSlots(plan.steps.compactMap(\.target))
    return plan
  }

  private mutating func append(_ step: Step, keeping keeps: (Pass) -> Bool) {
    guard let target = step.target, let source = step.sources.first else {
      return steps.append(step)
    }
    switch step.pass {
    case .convolve(let convolve):
      guard let (before, last) = convolve.lastBoxes(keeping: keeps) else { break }
      var between = source.after(before)
      between.slot = addSlot(
        like: target, of: between.footprint(of: last, for: slots[target].domain))
      append(
        Step(pass: .convolve(before), sources: [source], target: between.slot), keeping: keeps)
      return steps.append(Step(pass: .convolve(last), sources: [between], target: target))
    case .stencil(var stencil):
      guard let parts = stencil.parts else { break }
      guard !keeps(step.pass) else {
        stencil.form = .taps
        return steps.append(Step(pass: .stencil(stencil), sources: [source], target: target))
      }
      append(parts, of: source, into: target)
      return
    default: break
    }
    steps.append(step)
  }

  /// Means of runs, the mean of all that belong to the shape, and the rest mixed in.
  private mutating func append(_ parts: Stencil.Parts, of source: Source, into target: Int) {
    let domain = slots[target].domain
    var means = source.after(parts.run)
    means.slot = addSlot(like: target, of: means.footprint(of: parts.runs, for: domain))
    let runs = addSlot(like: target, of: domain)
    let rest = addSlot(like: target, of: domain)
    steps += [
      Step(pass: .stencil(parts.run), sources: [source], target: means.slot),
      Step(pass: .stencil(parts.runs), sources: [means], target: runs),
      Step(pass: .stencil(parts.rest), sources: [source], target: rest),
      Step(
        pass: .blend(Blend(.mix(Float(parts.restShare)))),
        sources: [Source(slot: runs), Source(slot: rest)], target: target),
    ]
  }

  /// A picture like a slot, of another part.
  private mutating func addSlot(like slot: Int, of domain: Rect) -> Int {
    var added = slots[slot]
    added.domain = domain
    slots.append(added)
    return slots.count - 1
  }
}

extension Pass {
  /// True for a pass that may be taken apart.
  fileprivate var hasParts: Bool {
    switch self {
    case .convolve(let convolve): convolve.kernel.parts.count > 1
    case .stencil(let stencil): stencil.isShape
    default: false
    }
  }
}

extension Convolve {
  /// The last boxes of a row, as many as are kept at once, and those before them; `nil` where none are before.
  fileprivate func lastBoxes(keeping keeps: (Pass) -> Bool) -> (before: Convolve, last: Convolve)? {
    guard case .box(let box) = kernel else { return nil }
    func boxes(_ order: Int) -> Convolve {
      Convolve(axis: axis, kernel: .box(BoxPower(width: box.width, order: order)))
    }
    let orders = stride(from: box.order, to: box.leastOrder, by: -box.leastOrder)
    let most = orders.first { keeps(.convolve(boxes($0))) } ?? box.leastOrder
    guard most < box.order else { return nil }
    let last = (box.order - 1) % most + 1
    return (boxes(box.order - last), boxes(last))
  }
}

extension Source {
  /// The edges of what a filter along an axis makes of this.
  func after(_ convolve: Convolve) -> Source {
    var made = self
    switch convolve.axis {
    case .x: made.x = x?.convolved(radius: convolve.radius)
    case .y: made.y = y?.convolved(radius: convolve.radius)
    }
    return made
  }

  /// The edges of what a stencil makes of this.
  func after(_ stencil: Stencil) -> Source {
    let mirrored = stencil.mirrored
    var made = self
    made.x = x?.filtered(
      offsets: stencil.columns, stride: stencil.stride, isSymmetric: mirrored.x)
    made.y = y?.filtered(offsets: stencil.rows, stride: stencil.stride, isSymmetric: mirrored.y)
    return made
  }

  /// The part of the slot that a pass reads for a target.
  fileprivate func footprint(of pass: some PassKind, for target: Rect) -> Rect {
    footprint(of: pass.sourceRect(for: target))
  }
}
