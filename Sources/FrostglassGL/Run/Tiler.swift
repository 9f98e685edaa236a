internal import FrostglassCore

/// Cuts plans into parts that fit, as `PlanRunner` runs them.
struct Tiler {
  var limits: TileLimits
  /// Whether the whole is large enough for programs of its own.
  var isLarge: Bool
  /// How a plan becomes draws: the same for the whole and for its parts.
  var draws: (Plan) -> DrawList
  /// What one pixel of a slot takes as a texture.
  var bytesPerSample: (Slot) -> Int

  /// Plans that each fit, whose results together are a plan's: this plan itself where it fits.
  ///
  /// Parts are equal, but for those that turn out larger than the one in the middle: they are
  /// halved until they fit. `cropped(to:)` promises the same bytes, so tiling is a matter of memory
  /// only.
  ///
  /// - Throws: `GLFailure.unsupported` where even a single pixel needs too much.
  func tiles(of plan: Plan) throws(GLFailure) -> [Plan] {
    if fits(plan) { return [plan] }
    let grid = TileGrid.best(for: plan.result.rect) { part in
      guard let plan = try? plan.cropped(to: part), fits(plan) else { return nil }
      return Tiler.work(of: plan)
    }
    guard let grid else { throw tooSmall }
    var waiting = try plan.parts(grid.parts(of: plan.result.rect).reversed())
    var tiles: [Plan] = []
    while let plan = waiting.popLast() {
      if fits(plan) {
        tiles.append(plan)
      } else {
        guard plan.result.rect.area > 1 else { throw tooSmall }
        waiting += try plan.parts(Tiler.halves(of: plan.result.rect))
      }
    }
    return tiles
  }

  /// What a plan takes, in samples that are computed or loaded.
  static func work(of plan: Plan) -> Int {
    plan.slots.reduce(plan.result.rect.area) { $0 + $1.domain.area }
  }

  /// What running a plan takes: the longest side, and the most bytes of textures at once, inputs and
  /// result included.
  func needs(of plan: Plan) -> TileLimits {
    let list = draws(plan)
    let sides = (list.slots.map(\.domain) + [plan.result.rect]).map { max($0.width, $0.height) }
    var held = [Int](repeating: 0, count: list.slots.count)
    var live = 0
    var peak = 0
    for (index, draw) in list.draws.enumerated() {
      for picture in draw.pictures {
        let slot = picture.source.slot
        guard let input = picture.input, held[slot] == 0 else { continue }
        held[slot] = inputBytes(input, list.slots[slot], plan)
        live += held[slot]
      }
      let written =
        draw.target.map { list.slots[$0].domain.area * bytesPerSample(list.slots[$0]) }
        ?? draw.result.map {
          let format = WorkFormat(result: plan.results[$0].format.depth)
          return plan.result.rect.area * format.texture.bytesPerTexel
        } ?? 0
      live += written
      peak = max(peak, live)
      for slot in list.freed(after: index) {
        live -= held[slot]
        held[slot] = 0
      }
      if let target = draw.target { held[target] = written } else { live -= written }
    }
    return TileLimits(longestSide: sides.max() ?? 0, bytes: peak)
  }

  private func fits(_ plan: Plan) -> Bool {
    let needs = needs(of: plan)
    return needs.longestSide <= limits.longestSide && needs.bytes <= limits.bytes
  }

  /// What the texture takes that a slot is loaded from.
  private func inputBytes(_ pass: Pass, _ slot: Slot, _ plan: Plan) -> Int {
    var format = PixelFormat(slot.layout, .float32)
    if case .load(let load) = pass { format = plan.inputs[load.input].format }
    return slot.domain.area * TextureFormat(input: format).bytesPerTexel
  }

  /// Along the longer side.
  private static func halves(of rect: Rect) -> [Rect] {
    let grid =
      rect.width >= rect.height
      ? TileGrid(columns: 2, rows: 1) : TileGrid(columns: 1, rows: 2)
    return grid.parts(of: rect)
  }

  private var tooSmall: GLFailure {
    .unsupported(
      "even one pixel of the result needs more than textures of "
        + "\(limits.longestSide)×\(limits.longestSide) and \(limits.bytes) bytes hold")
  }
}

/// What one run of a plan may take.
struct TileLimits: Hashable {
  /// Longest side of a texture.
  var longestSide: Int
  /// Bytes of textures at once.
  var bytes: Int

  /// Within these limits and others.
  func limited(to other: TileLimits) -> TileLimits {
    TileLimits(
      longestSide: min(longestSide, other.longestSide), bytes: min(bytes, other.bytes))
  }
}

/// How a plan is cut to fit a device.
package struct TilingReport: Sendable, Hashable {
  /// Parts that run one after the other; 1 where the plan fits.
  package var tiles: Int
  /// Samples that all parts compute or load, of those of the whole: what parts share counts for each.
  package var excess: Double
}

extension Plan {
  fileprivate func parts(_ rects: [Rect]) throws(GLFailure) -> [Plan] {
    do {
      return try rects.map { rect throws(PlanError) in try cropped(to: rect) }
    } catch {
      throw .unsupported("\(error)")
    }
  }
}
