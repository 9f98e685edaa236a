// Steps that stand for several: boxes in a row, and filled shapes. A backend keeps those that it makes at once; it
// has others taken apart into passes that it has anyway.
extension Plan {
  /// Returns the plan with such steps taken apart, except for those that are kept.
  ///
  /// What a part sees beyond the image is what the one before makes of what it sees there: boxes of boxes are those
  /// of the image continued without end, and so are means of means.
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

  /// An image like a slot, of another part.
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

extension Plan {
  /// The same plan for a part of the image: the one way to compute regions, strips and tiles.
  ///
  /// Coordinates stay those of the whole image, so every sample is computed from the same numbers
  /// in the same order and has the same bytes as in the whole. Only what the part needs is computed.
  ///
  /// - Parameter rect: inside `result.rect`, not empty.
  /// - Throws: `PlanError.regionOutside` when it is not.
  public func cropped(to rect: Rect) throws(PlanError) -> Plan {
    guard !rect.isEmpty, result.rect.contains(rect) else {
      throw .regionOutside(rect, picture: result.rect)
    }
    var plan = self
    if rect != result.rect { plan.uncropped = wholeSize }
    for index in results.indices { plan.results[index].rect = rect }
    plan.resolveDomains()
    if plan.roundsBetweenSteps { plan.removeHiddenBlends() }
    // Of what does not show a pixel is computed all the same, near the others: maybe where the whole
    // never looked for one.
    plan.resolveEdges()
    return plan
  }

  /// Leaves out blends whose second image does not show in the part that is computed: the first
  /// image, as it is, takes the place of their result.
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

extension Plan {
  /// The number of input pixels to each side that can influence a result pixel: the reach of all steps.
  ///
  /// No pixel looks farther. Some pixels of an image that was shrunk and grown look farther than their neighbors. Where
  /// that happens more than once, this adds up the largest reach of each time, although perhaps no pixel looks the
  /// farthest each time.
  package var reach: (x: Int, y: Int) { (reach(along: .x), reach(along: .y)) }

  private func reach(along axis: Axis) -> Int {
    var readers = [Reach?](repeating: nil, count: slots.count)
    var input = Reach()
    for step in steps.reversed() {
      let target = step.target.map { readers[$0] ?? Reach() } ?? Reach()
      let read = target.through(
        step.pass.kind, along: axis, in: step.target.map { slots[$0].domain } ?? result.rect)
      if case .load = step.pass { input = input.union(read) }
      for source in step.sources {
        readers[source.slot] = readers[source.slot]?.union(read) ?? read
      }
    }
    // Reaching a fraction of a pixel farther reads no further pixel.
    return Int(max(input.before, input.after) + Reach.rounding)
  }
}

/// The distance along an axis that a result pixel looks in one of a plan's images. It counts in that image's samples,
/// from the pixel's own position: sample i of an image that is n times coarser lies at pixel n i.
private struct Reach {
  var before = 0.0
  var after = 0.0

  /// A bound on the error of sums of a few fractions, and more.
  static let rounding = 1e-6

  func union(_ other: Reach) -> Reach {
    Reach(before: max(before, other.before), after: max(after, other.after))
  }

  /// Returns the reach in a pass's source, given the reach in its result.
  func through(_ pass: any PassKind, along axis: Axis, in domain: Rect) -> Reach {
    func read(_ sample: Int) -> Range<Int> {
      let pixel = Rect(x: 0, y: 0, width: 1, height: 1)
      switch axis {
      case .x:
        return pass.reach(of: Rect(columns: sample..<sample + 1, rows: pixel.rows), in: domain)
          .columns
      case .y:
        return pass.reach(of: Rect(columns: pixel.columns, rows: sample..<sample + 1), in: domain)
          .rows
      }
    }
    let period = axis == .x ? pass.period.x : pass.period.y
    let first = read(0)
    // Source samples per target sample.
    let scale = Double(read(period).lowerBound - first.lowerBound) / Double(period)
    var own = Reach(before: -.infinity, after: -.infinity)
    for phase in 0..<period {
      let (read, place) = (phase == 0 ? first : read(phase), Double(phase) * scale)
      own = own.union(
        Reach(
          before: place - Double(read.lowerBound), after: Double(read.upperBound - 1) - place))
    }
    return Reach(before: before * scale + own.before, after: after * scale + own.after)
  }
}

/// The parts of a result that can differ from the input which a mask leaves as it is elsewhere.
package struct ChangedParts: Sendable {
  /// The input whose bytes are the rest.
  package let input: Int
  /// The plans that compute the parts.
  package let plans: [Plan]
  /// The area outside all parts, in rectangles that do not overlap.
  package let rest: [Rect]

  /// - Returns: `nil` where all may change, or nearly all.
  package init?(_ plan: Plan) {
    guard let (load, store, found) = plan.shownThroughMasks, plan.keepsBytes(load, store),
      Rect(plan.inputs[load.input].size).contains(plan.result.rect)
    else { return nil }
    let whole = plan.result.rect
    let reach = plan.reach
    let parts = Self.joined(
      found.map { $0.intersection(whole) }.filter { !$0.isEmpty }, reach, whole)
    let cost = parts.reduce(0) { $0 + Self.cost($1, reach, whole) }
    guard cost < Self.cost(whole, reach, whole) * 9 / 10 else { return nil }
    self.init(plan, parts, of: load.input)
  }

  /// - Parameters:
  ///   - parts: the parts of the result; outside of them it has the bytes of an input.
  /// - Returns: `nil` where a part lies outside of the result.
  package init?(_ plan: Plan, _ parts: [Rect], of input: Int) {
    var plans: [Plan] = []
    for part in parts {
      guard let cropped = try? plan.cropped(to: part) else { return nil }
      plans.append(cropped)
    }
    self.plans = plans
    self.input = input
    rest = plan.result.rect.without(parts)
  }

  /// So many parts are looked at in pairs; of more, one is made that holds all.
  private static let most = 64

  /// Puts parts together as long as one then costs less than two.
  private static func joined(_ all: [Rect], _ reach: (x: Int, y: Int), _ whole: Rect) -> [Rect] {
    guard all.count <= most else { return [all.dropFirst().reduce(all[0]) { $0.union($1) }] }
    var parts: [Rect] = []
    for part in all {
      var part = part
      while let index = parts.firstIndex(where: {
        cost($0.union(part), reach, whole) <= cost($0, reach, whole) + cost(part, reach, whole)
      }) {
        part = part.union(parts.remove(at: index))
      }
      parts.append(part)
    }
    return parts
  }

  /// Pixels that are made, and half as much for each that is looked at.
  private static func cost(_ part: Rect, _ reach: (x: Int, y: Int), _ whole: Rect) -> Int {
    let around = Rect(
      columns: part.columns.expanded(by: reach.x), rows: part.rows.expanded(by: reach.y)
    ).intersection(whole)
    return 2 * part.area + around.area
  }
}

extension Plan {
  /// The `load` of an input that equals the result except where masks show something else, the result's `store`, and
  /// the parts where masks may; `nil` where there is no such input.
  package var shownThroughMasks: (load: Load, store: Store, parts: [Rect])? {
    guard results.count == 1, case .store(let store) = steps.last?.pass,
      var slot = steps.last?.sources.first?.slot
    else { return nil }
    var parts: [Rect] = []
    while let step = step(making: slot) {
      switch step.pass {
      case .blend(let blend):
        guard blend.mode == .masked, let part = blend.secondPart else { return nil }
        parts += coverage(of: step.sources[2].slot)?.parts(of: part) ?? [part]
        slot = step.sources[0].slot
      case .load(let load): return (load, store, parts)
      default: return nil
      }
    }
    return nil
  }

  /// The pixels that what masks show is made of, and those themselves; `nil` where nothing shows. Of plans that
  /// do not end in masks, all of them.
  ///
  /// - Throws: `PlanError`, as `cropped(to:)` does.
  package func looked() throws(PlanError) -> Rect? {
    var all: Rect?
    for part in shownThroughMasks?.parts ?? [result.rect] where !part.isEmpty {
      let read = try cropped(to: part.intersection(result.rect)).part(ofInput: 0)
      let both = read.map { $0.union(part) } ?? part
      all = all?.union(both) ?? both
    }
    return all
  }

  /// Returns the coverage that a slot holds; `nil` where it holds something else.
  package func coverage(of slot: Int) -> Coverage? {
    guard case .generate(let generate) = step(making: slot)?.pass,
      case .coverage(let coverage) = generate.content
    else { return nil }
    return coverage
  }

  /// Returns true if samples that are loaded and stored again keep their bytes, where nothing is rounded in between.
  package func keepsBytes(_ load: Load, _ store: Store) -> Bool {
    let format = inputs[load.input].format
    return format == store.format && !load.decodesToLinear && !store.encodesFromLinear
      && store.background == nil && load.bits == nil && store.bits == nil
      && load.alpha == store.alpha && (!format.layout.hasAlpha || load.alpha == .premultiplied)
  }
}

extension Rect {
  /// Returns the rest of the rectangle without some parts, in rectangles that do not overlap; rows with the same
  /// columns are together.
  fileprivate func without(_ parts: [Rect]) -> [Rect] {
    let cuts = parts.flatMap { [$0.rows.lowerBound, $0.rows.upperBound] }.filter(rows.contains)
    let bounds = Set(cuts + [rows.lowerBound, rows.upperBound]).sorted()
    return zip(bounds, bounds.dropFirst()).flatMap { top, bottom in
      let holes = parts.filter { $0.rows.contains(top) }.map(\.columns)
        .sorted { $0.lowerBound < $1.lowerBound }
      var left: [Rect] = []
      var x = columns.lowerBound
      for hole in holes + [columns.upperBound..<columns.upperBound] {
        if hole.lowerBound > x {
          left.append(Rect(columns: x..<hole.lowerBound, rows: top..<bottom))
        }
        x = Swift.max(x, hole.upperBound)
      }
      return left
    }
  }
}
