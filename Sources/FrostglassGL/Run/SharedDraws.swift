internal import FrostglassCore
internal import FrostglassShaders

/// Draws that are one in memory which groups share.
extension DrawList {
  /// Has draws make themselves what one draw alone would read of another, where there are programs for that:
  /// a convolution along x halves what it reads, and growing convolves it along y. Each group makes what its
  /// targets need, rounded as it would be in a picture, so nothing is computed differently; what neighbors
  /// need is made by both.
  mutating func share(_ plan: Plan) {
    var index = 0
    while index < draws.count {
      guard let reader = readerThatMakes(draws[index], plan) else {
        index += 1
        continue
      }
      draws[reader].lead = draws[index].parts[0].pass
      draws[reader].pictures[0] = draws[index].pictures[0]
      draws.remove(at: index)
    }
  }

  /// The draw that can do what a draw does for it; `nil` where there is none.
  private func readerThatMakes(_ draw: Draw, _ plan: Plan) -> Int? {
    guard let target = draw.target, slots[target].holdsIntegers, draw.parts.count == 1,
      draw.lead == nil, draw.change == nil, draw.pictures.count == 1
    else { return nil }
    let readers = draws.indices.filter { reader in
      draws[reader].pictures.contains { $0.source.slot == target }
    }
    guard readers.count == 1, let reader = readers.first else { return nil }
    let (head, lead) = (draws[reader], draw.parts[0].pass)
    guard head.lead == nil, head.change == nil, head.pictures[0].source.slot == target,
      head.readsOnce(0), ShaderBlock.of(head.parts[0].pass, after: lead) != nil,
      canRead(draw.pictures[0], lead, plan),
      head.pictures[0].source.continues(draw.pictures[0].source, after: lead)
    else { return nil }
    return reader
  }

  /// Whether a pass in shared memory sums up what it would in a draw of its own.
  private func canRead(_ picture: Picture, _ lead: Pass, _ plan: Plan) -> Bool {
    guard let input = picture.input else { return slots[picture.source.slot].holdsIntegers }
    // What a convolution fetches is kept in integers.
    guard case .load(let load) = input, case .resample = lead else { return false }
    return plan.loadsBytes(load) || !load.decodesToLinear && !picture.source.isMirrored
  }
}

extension DrawList.Draw {
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
      (x == nil || x == source.x)
        && (y == nil || y == source.y?.convolved(radius: convolve.radius))
    case .resample: continues(source)
    default: false
    }
  }
}
