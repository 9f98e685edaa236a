internal import FrostglassCore

extension RowStrip<Float> {
  /// What computes a step in floats.
  func floatProgram(for step: Step) -> RowProgram? {
    (tools.usesReference ? nil : fastProgram(for: step)) ?? wholeReferenceProgram(for: step)
  }

  /// What computes a step with vectors; `nil` where a pass has only its reference kernel.
  private func fastProgram(for step: Step) -> RowProgram? {
    let sources = sources(of: step)
    guard let target = step.target else {
      guard case .store(let store) = step.pass else { return nil }
      return store.fast(sources[0], into: output, tools)
    }
    guard let picture = pictures[target] else { return nil }
    switch step.pass {
    case .load(let load): return load.fast(inputs[load.input], into: picture, tools)
    case .resample(let resample): return resample.fast(sources[0], into: picture, tools)
    case .convolve(let convolve): return convolve.fast(sources[0], into: picture, tools)
    case .colorMatrix(let matrix): return matrix.fast(sources[0], into: picture)
    case .lumaCurve(let curve): return curve.fast(sources[0], into: picture)
    case .displace: return nil
    case .blend(let blend): return blend.fast(sources, into: picture)
    case .prepend(let prepend): return prepend.fast(sources[0], sources[1], into: picture)
    case .generate(let generate): return generate.fast(into: picture)
    case .stencil(let stencil): return stencil.fast(sources[0], into: picture, tools)
    case .bilateral, .median, .cellMeans, .cellFill, .grain, .gather, .weigh, .store: return nil
    }
  }
}
