internal import FrostglassCore

extension Plan {
  /// The plan's steps, where an input that is halved twice is quartered by one step. To halve bytes once loses
  /// nothing, so the picture in between need not be there to be rounded. Where colors are multiplied by alpha
  /// first, it is.
  ///
  /// - Parameter drawn: the plan's slots.
  func quartering(_ drawn: [DrawnSlot]) -> [Step] {
    var steps = steps
    for first in self.steps {
      guard let slot = first.halvedSlot, let between = first.target,
        case .load(let load)? = step(making: slot)?.pass, loadsBytes(load),
        drawn[between].holdsIntegers, drawn[slot].isInputOfBytes
      else { continue }
      let readers = steps.indices.filter { steps[$0].sources.contains { $0.slot == between } }
      guard readers.count == 1, let index = readers.first, steps[index].halvedSlot == between,
        let target = steps[index].target, drawn[target].holdsIntegers,
        steps[index].sources[0].continues(first.sources[0], after: first.pass)
      else { continue }
      let both = PyramidKernel.quartering
      steps[index].pass = .resample(Resample(x: both, y: both))
      steps[index].sources = first.sources
      steps.removeAll { $0.target == between }
    }
    return steps
  }

  /// Returns true if loading leaves an input's samples as whole 255ths; see `ShaderVariant.Source`.
  func loadsBytes(_ load: Load) -> Bool { load.alpha != .straight && loadsWhole(load) }

  /// Returns true if loading makes whole numbers of an input's samples: 255ths, and products of two of them.
  func loadsWhole(_ load: Load) -> Bool {
    !load.decodesToLinear && load.bits == nil && inputs[load.input].format.depth == .uint8
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
  /// Returns true if the samples beyond an image's edges are what the pass that makes the image would compute there
  /// from the samples beyond its source's edges.
  func continues(_ source: Source, after pass: Pass) -> Bool {
    func continues(_ edge: AxisEdge?, _ whole: AxisEdge?, _ taps: Polyphase) -> Bool {
      guard let edge else { return true }
      let (first, count) = (taps.phases[0].first, taps.phases[0].taps.count)
      return edge
        == whole?.filtered(
          offsets: first...first + count - 1, stride: taps.stride, isSymmetric: true)
    }
    switch pass {
    // Reads in place along the other axis.
    case .convolve(let convolve):
      return convolve.axis == .x ? y == nil || y == source.y : x == nil || x == source.x
    case .resample(let resample)
    where [PyramidKernel.halving, PyramidKernel.quartering].contains(resample.x)
      && resample.x == resample.y:
      return continues(x, source.x, resample.x) && continues(y, source.y, resample.y)
    default: return false
    }
  }
}
