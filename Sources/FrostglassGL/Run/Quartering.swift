internal import FrostglassCore

extension Plan {
  /// The plan's steps, where an input that is halved twice is quartered by one step. To halve bytes once loses
  /// nothing, so the picture in between need not be there to be rounded; where colors are multiplied by alpha
  /// first, the draw rounds what would have been in it.
  ///
  /// - Parameter drawn: the plan's slots.
  func quartering(_ drawn: [DrawnSlot]) -> [Step] {
    var steps = steps
    for first in self.steps {
      guard let slot = first.halvedSlot, let between = first.target,
        case .load(let load)? = step(making: slot)?.pass, !load.decodesToLinear,
        drawn[between].holdsIntegers
      else { continue }
      let readers = steps.indices.filter { steps[$0].sources.contains { $0.slot == between } }
      guard readers.count == 1, let index = readers.first, steps[index].halvedSlot == between,
        let target = steps[index].target, drawn[target].holdsIntegers,
        steps[index].sources[0].continues(first.sources[0])
      else { continue }
      let both = PyramidKernel.quartering
      steps[index].pass = .resample(Resample(x: both, y: both))
      steps[index].sources = first.sources
      steps.removeAll { $0.target == between }
    }
    return steps
  }

  /// Whether loading leaves an input's samples the whole 255ths that they are; see `ShaderVariant.Source`.
  func loadsBytes(_ load: Load) -> Bool {
    load.alpha != .straight && !load.decodesToLinear && load.bits == nil
      && inputs[load.input].format.depth == .uint8
  }
}

extension Step {
  /// The slot that this step halves along both axes, and does no more.
  fileprivate var halvedSlot: Int? {
    guard case .resample(let resample) = pass, resample.x == PyramidKernel.halving,
      resample.y == resample.x
    else { return nil }
    return sources[0].slot
  }
}

extension Source {
  /// Whether beyond the edges of a halved picture there is what halving finds beyond those of its source.
  fileprivate func continues(_ source: Source) -> Bool {
    func continues(_ edge: AxisEdge?, _ whole: AxisEdge?) -> Bool {
      edge == nil || edge == whole?.filtered(offsets: -1...2, stride: 2, isSymmetric: true)
    }
    return continues(x, source.x) && continues(y, source.y)
  }
}
