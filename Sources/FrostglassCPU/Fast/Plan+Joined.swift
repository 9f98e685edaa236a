internal import FrostglassCore

// Steps that the fixed-point kernels do together with the next, rounding nothing between.
extension Plan {
  /// Whether a loaded picture is 8-bit rows as they are, and read by nothing but halving.
  func isOnlyHalved(_ slot: Int, _ load: Load) -> Bool {
    guard !roundsBetweenSteps else { return false }
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
    guard !roundsBetweenSteps, slots[slot].layout != .gray, steps.count >= 2,
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
