package import FrostglassCore
internal import FrostglassShaders

/// A draw of a plan as a device runs it: what it moves if each texel that it needs is read once.
package struct DrawReport: Sendable, Hashable {
  /// The passes that run as one.
  package var name: String
  /// The size of the target.
  package var size: Size
  /// Bytes of the textures' parts that are read.
  package var readBytes: Int
  /// Bytes of the texture that is written.
  package var writtenBytes: Int
  /// Texels that its invocations ask for, from the device's memory or from what its caches hold.
  package var fetches: Int

  /// Both.
  package var movedBytes: Int { readBytes + writtenBytes }
}

extension GLBackend {
  /// The draws of a plan in order, without running it; where it runs in tiles, those of all tiles.
  ///
  /// What only says where a picture lies, and is not drawn, is among them; masks that a draw reads
  /// are counted and not the upload of any picture.
  package func draws(of plan: Plan) throws(BackendError) -> [DrawReport] {
    do throws(GLFailure) { return try live().draws(of: plan) } catch { throw error.backendError }
  }
}

extension GLSession {
  func draws(of plan: Plan) throws(GLFailure) -> [DrawReport] {
    let tiler = runner.tiler(for: plan)
    return try tiler.tiles(of: plan).flatMap { tile in
      let list = tiler.draws(tile)
      return list.draws.map { tiler.report($0, list.slots, tile, runner.passes) }
    }
  }
}

extension Tiler {
  /// Returns the report on a draw of a plan.
  func report(
    _ draw: DrawList.Draw, _ slots: [DrawnSlot], _ plan: Plan, _ passes: PassRunner
  ) -> DrawReport {
    let rect =
      draw.change?.rect ?? draw.target.map { slots[$0].domain }
      ?? draw.result.map { plan.results[$0].rect } ?? plan.result.rect
    var read = 0
    for (index, picture) in draw.pictures.enumerated() where picture.shape == nil {
      let slot = slots[picture.source.slot]
      let region = draw.region(of: index, for: rect).intersection(slot.domain)
      let texel =
        picture.input.map { bytesPerTexel(ofInput: $0, slot, plan) } ?? bytesPerSample(slot)
      read += region.area * texel
    }
    return DrawReport(
      name: ((draw.lead.map { [$0.name] } ?? []) + draw.parts.map(\.pass.name))
        .joined(separator: " + "), size: rect.size,
      readBytes: read,
      writtenBytes: rect.area * bytesPerTexel(written: draw, slots, plan),
      fetches: Int(Double(rect.area) * fetches(of: draw, slots, plan, passes)))
  }

  /// Fetches for each target.
  private func fetches(
    of draw: DrawList.Draw, _ slots: [DrawnSlot], _ plan: Plan, _ passes: PassRunner
  ) -> Double {
    var count = 0.0
    for (index, part) in draw.parts.enumerated() {
      let pictures = part.inputs.filter { input in
        if case .picture(let picture) = input { draw.pictures[picture].shape == nil } else { false }
      }
      let isPlain = part.pass.isPointwise || part.pass.kind.tapCount <= 1
      var each = isPlain ? 1 : Double(part.pass.multiplyAdds)
      if index == 0, isLarge, let block = block(of: draw, slots, plan, passes),
        passes.capabilities.shares(block)
      {
        each = block.fetchesPerTarget
      }
      count += Double(pictures.count) * each
    }
    return count
  }

  private func block(
    of draw: DrawList.Draw, _ slots: [DrawnSlot], _ plan: Plan, _ passes: PassRunner
  ) -> ShaderBlock? {
    let pass = draw.parts[0].pass
    if let lead = draw.lead { return ShaderBlock.joining(lead, pass) }
    var readsBytes = false
    if case .load(let load) = draw.pictures[0].input, plan.loadsBytes(load) {
      if passes.stage != .fragment,
        let block = ShaderBlock.pickingBytes(pass, isPaired: passes.sharesWindows)
      {
        return block
      }
      readsBytes =
        draw.parts.count == 1 && draw.target.map { slots[$0].holdsIntegers } ?? false
    }
    let read = slots[draw.pictures[0].source.slot]
    return ShaderBlock.of(
      pass, stage: passes.stage,
      isWhole: (read.holdsIntegers || read.isInputOfBytes) && pass.hasWholeTaps,
      readsBytes: readsBytes, sharesWindows: passes.sharesWindows)
  }

  private func bytesPerTexel(written draw: DrawList.Draw, _ slots: [DrawnSlot], _ plan: Plan) -> Int
  {
    if let target = draw.target { return bytesPerSample(slots[target]) }
    return draw.result.map {
      WorkFormat(result: plan.results[$0].format.depth).texture.bytesPerTexel
    } ?? 0
  }
}
