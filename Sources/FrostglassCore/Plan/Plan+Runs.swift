// Shapes that were taken apart, for backends whose machine makes the whole of one sooner than its parts.
extension Plan {
  /// The same plan with shapes in one step each that are planned as means of runs and what is left beside them.
  ///
  /// What a step sees beyond the picture is what the one before makes of what it sees there, so means
  /// of means are those of the picture continued without end, and so is the mean of both. It is rounded less.
  ///
  /// - Parameter pays: whether such a shape is made at once.
  package func joiningRuns(where pays: (Stencil) -> Bool) -> Plan {
    var plan = self
    if plan.joinRuns(where: pays) { plan.removeUnreadSteps() }
    return plan
  }

  /// Has such shapes made in one step each; the steps of their parts stay, and nobody reads them.
  ///
  /// - Returns: whether there was one.
  @discardableResult
  package mutating func joinRuns(where pays: (Stencil) -> Bool) -> Bool {
    guard !roundsBetweenSteps else { return false }
    return steps.indices.reduce(false) { joinRuns($1, pays) || $0 }
  }

  /// Joins a shape that was taken apart into means of runs and what is left beside them.
  private mutating func joinRuns(_ index: Int, _ pays: (Stencil) -> Bool) -> Bool {
    guard case .blend(let blend) = steps[index].pass, case .mix(let amount) = blend.mode,
      let outer = maker(index, 0), let other = maker(index, 1), let inner = maker(outer),
      case .stencil(let runs) = steps[outer].pass, case .stencil(let rest) = steps[other].pass,
      case .stencil(let run) = steps[inner].pass,
      steps[inner].sources == steps[other].sources,
      let shape = Stencil(run, at: runs, beside: rest, amount: Double(amount)), pays(shape)
    else { return false }
    let (means, source) = (steps[outer].sources[0], steps[inner].sources[0])
    let mirrored = run.mirrored
    let x = source.x?.filtered(offsets: run.columns, stride: 1, isSymmetric: mirrored.x)
    let y = source.y?.filtered(offsets: run.rows, stride: 1, isSymmetric: mirrored.y)
    guard means.x == nil || means.x == x, means.y == nil || means.y == y else { return false }
    replaceStep(index, with: .stencil(shape), on: [source])
    return true
  }
}

extension Stencil {
  /// A shape of runs, each wherever one begins, mixed with what is left beside them; `nil` where the parts
  /// are none of whole weights.
  init?(_ run: Stencil, at runs: Stencil, beside rest: Stencil, amount: Double) {
    let parts = [run, runs, rest]
    let whole = parts.compactMap { $0.stride == 1 && $0.phases == 1 ? $0.wholeTaps(0) : nil }
    guard whole.count == 3, (whole[0] + whole[1]).allSatisfy({ $0.count == 1 }) else { return nil }
    let inside = Double(whole[0].count * whole[1].count)
    let outside = Double(whole[2].reduce(0) { $0 + $1.count })
    // What a sample of a run counts beside the rest's, so that the rest is that much of all.
    let full = (outside * (1 / amount - 1) / inside).rounded()
    guard full >= 1, full < 0x1p15, abs(outside / (outside + full * inside) / amount - 1) < 1e-6
    else { return nil }
    var counts: [SIMD2<Int>: Int] = [:]
    for start in whole[1] {
      for step in whole[0] {
        counts[SIMD2(start.dx + step.dx, start.dy + step.dy), default: 0] += Int(full)
      }
    }
    for tap in whole[2] { counts[SIMD2(tap.dx, tap.dy), default: 0] += tap.count }
    self.init(counts.map { WholeTap(dx: $0.key.x, dy: $0.key.y, count: $0.value) })
  }
}
