internal import CKernels
internal import FrostglassCore

/// A plan that fixed point can run, cut into stages.
///
/// Each stage makes one picture, its rows in any number of strips side by side. A strip computes
/// anew what it needs beyond its border, which costs nothing for a short reach. Where the reach is
/// long, a small picture on the way is made first, in full and once, and the next stage starts
/// from it.
struct FixedPlan {
  /// A picture that is made in full.
  struct Stage {
    /// The slot that is made; `nil` is the result.
    let target: Int?
    /// Slots that earlier stages made.
    let complete: Set<Int>
  }

  let plan: Plan
  let stages: [Stage]

  /// - Parameter strips: how many parts of a picture will be made side by side.
  /// - Returns: `nil` when a pass needs more than fixed point has.
  init?(_ plan: Plan, strips: Int) {
    guard plan.slots.allSatisfy({ $0.precision <= .fixed16 }),
      plan.steps.allSatisfy({ $0.pass.isFast(in: plan) })
    else { return nil }
    self.plan = plan
    var stages: [Stage] = []
    var complete: Set<Int> = []
    if plan.reach.y * 2 * (strips - 1) > plan.result.rect.height / 16 {
      for slot in plan.smallestPictures {
        stages.append(Stage(target: slot, complete: complete))
        complete.insert(slot)
      }
    }
    self.stages = stages + [Stage(target: nil, complete: complete)]
  }
}

extension Plan {
  /// Slots that were shrunk to 1/16 or less of the picture, and are not shrunk further.
  fileprivate var smallestPictures: [Int] {
    let small = slots.indices.filter { slots[$0].domain.area * 16 <= result.rect.area }
    return small.filter { slot in
      let shrinks = { (step: Step) in
        if case .resample(let resample) = step.pass {
          resample.x.stride * resample.y.stride > 1
        } else {
          false
        }
      }
      return steps.contains { $0.target == slot && shrinks($0) }
        && !steps.contains { $0.sources.contains { $0.slot == slot } && shrinks($0) }
    }
  }
}

extension Pass {
  /// Whether there are fixed-point kernels for exactly these numbers.
  fileprivate func isFast(in plan: Plan) -> Bool {
    switch self {
    case .load(let load): load.isFast(depth: plan.inputs[load.input].format.depth)
    case .resample(let resample): resample.isFast
    case .convolve(let convolve): convolve.isFast
    // Fixed point holds nothing outside 0…1.
    case .colorMatrix(let matrix): matrix.clamps
    case .blend: true
    case .store(let store): store.isFast
    }
  }
}
