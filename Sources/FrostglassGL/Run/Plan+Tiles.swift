internal import FrostglassCore

extension Plan {
  /// Plans that each fit, whose results together are this plan's: this plan itself where it fits.
  ///
  /// Parts are equal, but for those that turn out larger than the one in the middle: they are
  /// halved until they fit. `cropped(to:)` promises the same bytes, so tiling is a matter of memory
  /// only.
  ///
  /// - Parameter bytesPerSample: what one pixel of a slot takes as a texture.
  /// - Throws: `GLFailure.unsupported` where even a single pixel needs too much.
  func tiles(
    within limits: TileLimits, bytesPerSample: (Slot) -> Int
  ) throws(GLFailure) -> [Plan] {
    if fits(limits, bytesPerSample) { return [self] }
    let grid = TileGrid.best(for: result.rect) { part in
      guard let plan = try? cropped(to: part), plan.fits(limits, bytesPerSample) else { return nil }
      return plan.work
    }
    guard let grid else { throw tooSmall(limits) }
    var waiting = try plans(for: grid.parts(of: result.rect).reversed())
    var tiles: [Plan] = []
    while let plan = waiting.popLast() {
      if plan.fits(limits, bytesPerSample) {
        tiles.append(plan)
      } else {
        waiting += try plan.halves(limits)
      }
    }
    return tiles
  }

  /// What a plan takes, in samples that are computed or loaded.
  var work: Int { slots.reduce(result.rect.area) { $0 + $1.domain.area } }

  private func plans(for parts: [Rect]) throws(GLFailure) -> [Plan] {
    do {
      return try parts.map { part throws(PlanError) in try cropped(to: part) }
    } catch {
      throw .unsupported("\(error)")
    }
  }

  private func tooSmall(_ limits: TileLimits) -> GLFailure {
    .unsupported(
      "even one pixel of the result needs more than textures of "
        + "\(limits.longestSide)×\(limits.longestSide) and \(limits.bytes) bytes hold")
  }

  private func fits(_ limits: TileLimits, _ bytesPerSample: (Slot) -> Int) -> Bool {
    longestSide <= limits.longestSide && textureBytes(bytesPerSample) <= limits.bytes
  }

  /// The longest side of all pictures.
  var longestSide: Int {
    (slots.map(\.domain) + [result.rect]).map { max($0.width, $0.height) }.max() ?? 0
  }

  /// The most bytes of textures at once, inputs and result included, as `PlanRunner` runs the plan.
  func textureBytes(_ bytesPerSample: (Slot) -> Int) -> Int {
    let list = DrawList(self)
    var held = [Int](repeating: 0, count: slots.count)
    var live = 0
    var peak = 0
    for (index, draw) in list.draws.enumerated() {
      for picture in draw.pictures {
        let slot = picture.source.slot
        guard let input = picture.input, held[slot] == 0 else { continue }
        held[slot] = inputBytes(input, slots[slot])
        live += held[slot]
      }
      let written =
        draw.target.map { slots[$0].domain.area * bytesPerSample(slots[$0]) }
        ?? result.rect.area * WorkFormat(result: result.format.depth).texture.bytesPerTexel
      live += written
      peak = max(peak, live)
      for slot in list.freed(after: index) {
        live -= held[slot]
        held[slot] = 0
      }
      if let target = draw.target { held[target] = written } else { live -= written }
    }
    return peak
  }

  /// What the texture takes that a slot is loaded from.
  private func inputBytes(_ pass: Pass, _ slot: Slot) -> Int {
    let format: PixelFormat
    if case .load(let load) = pass {
      format = inputs[load.input].format
    } else {
      format = PixelFormat(slot.layout, .float32)
    }
    return slot.domain.area * TextureFormat(input: format).bytesPerTexel
  }

  private func halves(_ limits: TileLimits) throws(GLFailure) -> [Plan] {
    let rect = result.rect
    guard rect.area > 1 else { throw tooSmall(limits) }
    let parts: [Rect]
    if rect.width >= rect.height {
      let middle = rect.x + rect.width / 2
      parts = [
        Rect(columns: rect.x..<middle, rows: rect.rows),
        Rect(columns: middle..<rect.columns.upperBound, rows: rect.rows),
      ]
    } else {
      let middle = rect.y + rect.height / 2
      parts = [
        Rect(columns: rect.columns, rows: rect.y..<middle),
        Rect(columns: rect.columns, rows: middle..<rect.rows.upperBound),
      ]
    }
    return try plans(for: parts)
  }
}
