internal import FrostglassCore

extension RowStrip<Int16> {
  /// What computes a step: in fixed point, or where a pass has no such kernel with its reference
  /// kernel; `nil` where the next step does it on the way.
  func fixedProgram(for step: Step) -> RowProgram? {
    let sources = sources(of: step)
    guard let target = step.target else {
      guard case .store(let store) = step.pass else { return nil }
      if let (resample, grown) = growing(into: store, step.sources[0].slot) {
        return resample.fastStoring(grown, store, into: output, tools)
      }
      return store.fast(sources[0], into: output, tools)
    }
    guard let picture = pictures[target] else { return nil }
    switch step.pass {
    case .load(let load):
      return isOnlyHalved(target, load) ? nil : load.fast(inputs[load.input], into: picture, tools)
    case .resample(let resample):
      if let load = loading(step.sources[0].slot), isOnlyHalved(step.sources[0].slot, load) {
        return resample.fastHalving(
          inputs[load.input], step.sources[0], sources[0].rows.domain, into: picture, tools)
      }
      if isOnlyGrown(target) { return nil }
      return resample.fast(sources[0], into: picture, tools)
    case .convolve(let convolve): return convolve.fast(sources[0], into: picture, tools)
    case .colorMatrix(let matrix): return matrix.fast(sources[0], into: picture, tools)
    case .lumaCurve(let curve): return curve.fast(sources[0], into: picture, tools)
    case .displace(let displace):
      return displace.fast(sources[0], sources[1], into: picture) ?? referenceProgram(for: step)
    case .blend(let blend):
      return blend.fast(sources, into: picture, tools) ?? referenceProgram(for: step)
    case .generate(let generate):
      return generate.fast(into: picture, tools) ?? referenceProgram(for: step)
    case .stencil(let stencil): return stencil.fast(sources[0], into: picture, tools)
    case .bilateral, .median, .cellMeans, .cellFill, .grain, .gather, .weigh:
      return referenceProgram(for: step)
    case .store: return nil
    }
  }

  /// The load that makes a slot.
  private func loading(_ slot: Int) -> Load? {
    for step in plan.steps where step.target == slot {
      if case .load(let load) = step.pass { return load }
    }
    return nil
  }

  /// Whether a loaded picture is 8-bit rows as they are, and read by nothing but halving.
  private func isOnlyHalved(_ slot: Int, _ load: Load) -> Bool {
    let format = plan.inputs[load.input].format
    guard format.depth == .uint8, format.layout == plan.slots[slot].layout,
      !(format.layout == .rgba && load.alpha == .straight)
    else { return false }
    return plan.steps.allSatisfy { step in
      guard step.sources.contains(where: { $0.slot == slot }) else { return true }
      if case .resample(let resample) = step.pass { return resample.halvesBoth }
      return false
    }
  }

  /// The growing that a store can do on the way, with its source.
  private func growing(into store: Store, _ slot: Int) -> (Resample, PictureSource<Int16>)? {
    for step in plan.steps where step.target == slot && isOnlyGrown(slot) {
      guard case .resample(let resample) = step.pass, let source = sources(of: step).first
      else { return nil }
      return (resample, source)
    }
    return nil
  }

  /// Whether a grown picture is stored as it is and read by nothing else.
  private func isOnlyGrown(_ slot: Int) -> Bool {
    guard plan.slots[slot].layout != .gray, plan.steps.count >= 2,
      case .store(let store) = plan.steps[plan.steps.count - 1].pass,
      store.format.layout == plan.slots[slot].layout
    else { return false }
    let readers = plan.steps.filter { $0.sources.contains { $0.slot == slot } }
    guard readers.count == 1, readers[0].target == nil else { return false }
    return plan.steps.contains { step in
      if step.target == slot, case .resample(let resample) = step.pass {
        return resample.isFastStoring(store)
      }
      return false
    }
  }
}
