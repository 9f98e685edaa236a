internal import FrostglassCore
internal import FrostglassShaders

/// Draws that are one in memory which groups share.
extension DrawList {
  /// Has draws make themselves what one draw alone would read of another, where there are programs for that:
  /// a convolution along x halves what it reads, once or twice, one along y convolves an input along x,
  /// halving quarters an input, and growing convolves along y. Each group makes what its targets need, rounded
  /// as it would be in a picture, so nothing is computed differently; what neighbors need is made by both.
  mutating func share(_ plan: Plan) {
    // From the end, so that what is halved last is halved where it is convolved.
    for index in draws.indices.reversed() {
      guard let (reader, lead) = readerThatMakes(draws[index], plan) else { continue }
      draws[reader].lead = lead
      draws[reader].pictures[0] = draws[index].pictures[0]
      draws.remove(at: index)
    }
  }

  /// The draw that can do what a draw does for it, and what it then does first; `nil` where there is none.
  private func readerThatMakes(_ draw: Draw, _ plan: Plan) -> (reader: Int, lead: Pass)? {
    guard let target = draw.target, slots[target].holdsIntegers, draw.parts.count == 1,
      draw.lead == nil, draw.change == nil, draw.pictures.count == 1
    else { return nil }
    let readers = draws.indices.filter { reader in
      draws[reader].pictures.contains { $0.source.slot == target }
    }
    guard readers.count == 1, let reader = readers.first else { return nil }
    let (head, pass) = (draws[reader], draw.parts[0].pass)
    guard head.change == nil, head.pictures[0].source.slot == target, head.readsOnce(0),
      let lead = head.lead(after: pass, of: draw.pictures[0]),
      ShaderBlock.of(head.parts[0].pass, after: lead) != nil,
      canRead(draw.pictures[0], pass, plan),
      head.pictures[0].source.continues(draw.pictures[0].source, after: pass)
    else { return nil }
    return (reader, lead)
  }

  /// Whether a pass in shared memory sums up what it would in a draw of its own.
  private func canRead(_ picture: Picture, _ pass: Pass, _ plan: Plan) -> Bool {
    guard case .convolve(let convolve) = pass else {
      guard let input = picture.input else { return slots[picture.source.slot].holdsIntegers }
      // Halved samples are turned around where pictures are.
      guard case .load(let load) = input else { return false }
      return !load.decodesToLinear
    }
    guard let input = picture.input else {
      return convolve.axis == .y && slots[picture.source.slot].holdsIntegers
    }
    // Texels are kept as they came, and outside a transparent edge there is none.
    guard convolve.axis == .x, case .load(let load) = input, !load.decodesToLinear, load.bits == nil
    else { return false }
    return plan.inputs[load.input].format.depth == .uint8
      && picture.source.x?.mode != .transparent && picture.source.y?.mode != .transparent
  }
}

extension DrawList.Draw {
  /// What the draw would do first if it made what a pass makes of a picture; `nil` where that is too much.
  fileprivate func lead(after pass: Pass, of picture: DrawList.Picture) -> Pass? {
    guard case .resample(let resample) = pass else { return lead == nil ? pass : nil }
    guard case .resample(let own)? = lead else {
      // An input that is quartered is read by many more fetches than it has texels: only once each.
      if case .convolve = parts[0].pass, resample.x == PyramidKernel.quartering { return nil }
      return lead == nil ? pass : nil
    }
    guard picture.input == nil, resample.isHalving, own.isHalving else { return nil }
    return .resample(Resample(x: PyramidKernel.quartering, y: PyramidKernel.quartering))
  }

  /// Whether nothing but the first part reads a picture, and at no two places of its own.
  fileprivate func readsOnce(_ picture: Int) -> Bool {
    parts[0].inputs == [.picture(picture)]
      && !parts.dropFirst().contains { $0.inputs.contains(.picture(picture)) }
      && !pictures.indices.contains {
        $0 != picture && pictures[$0].source.slot == pictures[picture].source.slot
      }
  }
}

extension Source {
  /// Whether beyond the edges of what a pass makes of a source there is what it finds beyond the source's.
  fileprivate func continues(_ source: Source, after pass: Pass) -> Bool {
    switch pass {
    case .convolve(let convolve):
      let (isX, radius) = (convolve.axis == .x, convolve.radius)
      return (x == nil || x == (isX ? source.x?.convolved(radius: radius) : source.x))
        && (y == nil || y == (isX ? source.y : source.y?.convolved(radius: radius)))
    case .resample(let resample): return continues(source, quartered: !resample.isHalving)
    default: return false
    }
  }
}
