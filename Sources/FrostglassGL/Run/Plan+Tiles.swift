internal import FrostglassCore

extension Plan {
  /// Plans that each fit, whose results together are this plan's: this plan itself where it fits.
  ///
  /// Parts are halved along their longer side until they do. `cropped(to:)` promises the same
  /// bytes, so tiling is a matter of memory only.
  ///
  /// - Parameter bytesPerSample: what one pixel of a slot takes as a texture.
  /// - Throws: `GLFailure.unsupported` where even a single pixel needs too much.
  func tiles(
    within limits: TileLimits, bytesPerSample: (Slot) -> Int
  ) throws(GLFailure) -> [Plan] {
    var waiting = [self]
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

  private func fits(_ limits: TileLimits, _ bytesPerSample: (Slot) -> Int) -> Bool {
    longestSide <= limits.longestSide && textureBytes(bytesPerSample) <= limits.bytes
  }

  /// The longest side of all pictures.
  var longestSide: Int {
    (slots.map(\.domain) + [result.rect]).map { max($0.width, $0.height) }.max() ?? 0
  }

  /// The most bytes of textures at once, inputs and result included.
  func textureBytes(_ bytesPerSample: (Slot) -> Int) -> Int {
    let last = lastUses
    var live = 0
    var peak = 0
    for (index, step) in steps.enumerated() {
      var passing = 0
      if let target = step.target {
        let area = slots[target].domain.area
        live += area * bytesPerSample(slots[target])
        if case .load(let load) = step.pass {
          passing = area * inputs[load.input].format.bytesPerPixel
        }
      } else {
        passing = result.rect.area * WorkFormat(result: result.format.depth).texture.bytesPerTexel
      }
      peak = max(peak, live + passing)
      for slot in Set(step.sources.map(\.slot)) where last[slot] == index {
        live -= slots[slot].domain.area * bytesPerSample(slots[slot])
      }
    }
    return peak
  }

  private func halves(_ limits: TileLimits) throws(GLFailure) -> [Plan] {
    let rect = result.rect
    guard rect.area > 1 else {
      throw .unsupported(
        "even one pixel of the result needs more than textures of "
          + "\(limits.longestSide)×\(limits.longestSide) and \(limits.bytes) bytes hold")
    }
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
    do {
      return try parts.map { part throws(PlanError) in try cropped(to: part) }
    } catch {
      throw .unsupported("\(error)")
    }
  }
}
