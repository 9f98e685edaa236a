internal import FrostglassCore

/// How a plan ends, and what follows from it for the pictures that it mixes: worked out once for all strips.
struct PlanEnding {
  /// `nil` for plans whose last steps are done one by one.
  let masked: MaskedEnding?
  private let shown: ShownLayers?
  /// For each slot, which parts of its rows are computed; `nil` is all.
  let blocks: [ColumnBlocks?]

  /// - Parameters:
  ///   - allowsFixed: whether fixed point is used where it serves; there is no ending otherwise.
  ///   - rows: of the result, where no others will be asked for.
  init(_ plan: Plan, allowsFixed: Bool = true, rows: Range<Int>? = nil) {
    masked = plan.arithmetic(allowsFixed: allowsFixed) == .fixed ? MaskedEnding(plan) : nil
    let all = plan.result.rect
    let part = rows.map { Rect(columns: all.columns, rows: $0.clamped(to: all.rows)) } ?? all
    let shown = masked.map { ShownLayers($0, part) }
    self.shown = shown
    var blocks = [ColumnBlocks?](repeating: nil, count: plan.slots.count)
    if let masked, let shown {
      for (index, layer) in masked.layers.enumerated() {
        for (slot, part) in plan.parts(of: index, layer, shown) { blocks[slot] = part }
      }
    }
    self.blocks = blocks
  }

  /// The rows for which a step reads one of its sources; `nil` where that follows from its pass.
  func rows(for step: Step, readingSource place: Int) -> RowSet? {
    guard let masked, let shown, let target = step.target, place < 2,
      let layer = masked.layers.firstIndex(where: { $0.target == target })
    else { return nil }
    if place == 1 { return shown.rows(layer) }
    return layer == 0 ? shown.rows(-1) : nil
  }

  /// Parts of a result's rows that take about as long; `nil` where all rows take as long.
  func cuts(of plan: Plan, into parts: Int) -> [Range<Int>]? {
    guard let masked, let shown, masked.layers.count > 1 else { return nil }
    var costs = shown.shares(-1).map { 1 + $0 }
    for (index, layer) in masked.layers.enumerated() {
      let cost = plan.cost(of: layer)
      for (band, share) in shown.shares(index).enumerated() { costs[band] += cost * share }
    }
    return shown.cuts(costs, into: parts)
  }
}

extension Plan {
  /// What a layer's own pictures take per pixel of the result, as multiples of storing one.
  fileprivate func cost(of layer: MaskedEnding.Layer) -> Double {
    chain(of: layer).reduce(2) { cost, part in
      cost + Double(part.convolve.taps.count) / Double(4 * part.factorX * part.factorY)
    }
  }

  fileprivate func parts(
    of index: Int, _ layer: MaskedEnding.Layer, _ shown: ShownLayers
  ) -> [(slot: Int, ColumnBlocks)] {
    chain(of: layer).map { part in
      let blocks = ColumnBlocks(
        shown: shown, layer: index, factorX: part.factorX, factorY: part.factorY,
        reachX: part.reachX, reachY: part.reachY)
      return (part.slot, blocks)
    }
  }

  /// The convolutions that make a layer and nothing else, the last one first.
  private func chain(of layer: MaskedEnding.Layer) -> [LayerPart] {
    var parts: [LayerPart] = []
    var (slot, factorX, factorY, reachX, reachY) = (layer.grown, 1, 1, 0, 0)
    if let growth = layer.growth {
      guard let step = step(making: slot), !step.sources[0].wraps else { return [] }
      slot = step.sources[0].slot
      (factorX, factorY) = (growth.x.phases.count, growth.y.phases.count)
      (reachX, reachY) = (2 * factorX, 2 * factorY)
    }
    // Blocks end between pixels of the small picture.
    while factorX <= 64, let step = step(making: slot), case .convolve(let convolve) = step.pass,
      convolve.boxes == nil, readers(of: slot).count == 1
    {
      parts.append(
        LayerPart(
          slot: slot, convolve: convolve, factorX: factorX, factorY: factorY, reachX: reachX,
          reachY: reachY))
      guard !step.sources[0].wraps else { break }
      if convolve.axis == .x {
        reachX += convolve.radius * factorX
      } else {
        reachY += convolve.radius * factorY
      }
      slot = step.sources[0].slot
    }
    return parts
  }
}

/// A convolution that only one layer is made of.
private struct LayerPart {
  let slot: Int
  let convolve: Convolve
  let factorX: Int
  let factorY: Int
  /// How far a pixel of it reaches, in pixels of the result.
  let reachX: Int
  let reachY: Int
}

extension Source {
  /// Whether the picture is seen again beyond its edges, so that pixels reach the other side.
  fileprivate var wraps: Bool { x?.mode == .wrap || y?.mode == .wrap }
}
