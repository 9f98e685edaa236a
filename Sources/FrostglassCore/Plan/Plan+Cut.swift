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
    if rect != result.rect { plan.uncropped = wholeSize }
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
