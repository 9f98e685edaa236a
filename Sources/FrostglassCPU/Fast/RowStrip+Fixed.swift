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
      return plan.isOnlyHalved(target, load)
        ? nil : load.fast(inputs[load.input], into: picture, tools)
    case .resample(let resample):
      if let load = loading(step.sources[0].slot), plan.isOnlyHalved(step.sources[0].slot, load) {
        return resample.fastHalving(
          inputs[load.input], step.sources[0], sources[0].rows.domain, into: picture, tools)
      }
      if plan.isOnlyGrown(target) { return nil }
      return resample.fast(sources[0], into: picture, tools)
    case .convolve(let convolve): return convolve.fast(sources[0], into: picture, tools)
    case .colorMatrix(let matrix): return matrix.fast(sources[0], into: picture, tools)
    case .lumaCurve(let curve): return curve.fast(sources[0], into: picture, tools)
    case .displace(let displace):
      return displace.fast(sources[0], sources[1], into: picture) ?? referenceProgram(for: step)
    case .blend(let blend):
      return blend.fast(sources, into: picture, tools) ?? referenceProgram(for: step)
    case .prepend(let prepend): return prepend.fast(sources[0], sources[1], into: picture, tools)
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

  /// The growing that a store can do on the way, with its source.
  private func growing(into store: Store, _ slot: Int) -> (Resample, PictureSource<Int16>)? {
    for step in plan.steps where step.target == slot && plan.isOnlyGrown(slot) {
      guard case .resample(let resample) = step.pass, let source = sources(of: step).first
      else { return nil }
      return (resample, source)
    }
    return nil
  }
}
