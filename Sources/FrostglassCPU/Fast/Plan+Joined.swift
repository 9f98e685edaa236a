internal import FrostglassCore

// Steps that the fixed-point kernels do together with the next, rounding nothing between.
extension Plan {
  /// Whether there are any.
  var joinsSteps: Bool {
    steps.contains { step in
      guard let target = step.target else { return false }
      if case .load(let load) = step.pass { return isOnlyHalved(target, load) }
      return isOnlyGrown(target)
    }
  }

  /// Whether a loaded picture is 8-bit rows as they are, and read by nothing but halving.
  func isOnlyHalved(_ slot: Int, _ load: Load) -> Bool {
    let format = inputs[load.input].format
    guard format.depth == .uint8, format.layout == slots[slot].layout,
      !(format.layout == .rgba && load.alpha == .straight)
    else { return false }
    return steps.allSatisfy { step in
      guard step.sources.contains(where: { $0.slot == slot }) else { return true }
      if case .resample(let resample) = step.pass { return resample.halvesBoth }
      return false
    }
  }

  /// Whether a grown picture is stored as it is and read by nothing else.
  func isOnlyGrown(_ slot: Int) -> Bool {
    guard slots[slot].layout != .gray, steps.count >= 2,
      case .store(let store) = steps[steps.count - 1].pass,
      store.format.layout == slots[slot].layout
    else { return false }
    let readers = steps.filter { $0.sources.contains { $0.slot == slot } }
    guard readers.count == 1, readers[0].target == nil else { return false }
    return steps.contains { step in
      if step.target == slot, case .resample(let resample) = step.pass {
        return resample.isFastStoring(store)
      }
      return false
    }
  }
}
