internal import FrostglassCore

/// Cuts plans into parts that fit, as `PlanRunner` runs them.
struct Tiler {
  var limits: TileLimits
  /// True if the whole is large enough for programs of its own.
  var isLarge: Bool
  /// The whole with steps taken apart that take less in parts, before it is cut.
  var lowered: (Plan) -> Plan
  /// Returns the draws of a plan: the same for the whole and for its parts.
  var draws: (Plan) -> DrawList
  /// Returns the bytes of one pixel of a slot in a texture.
  var bytesPerSample: (DrawnSlot) -> Int

  /// Plans that each fit, whose results together are a plan's: all of it where it fits.
  ///
  /// Parts are equal, but for those that turn out larger than the one in the middle: they are
  /// halved until they fit. `cropped(to:)` promises the same bytes, so tiling is a matter of memory
  /// only.
  ///
  /// - Throws: `GLFailure.unsupported` where even a single pixel needs too much.
  func tiles(of whole: Plan) throws(GLFailure) -> [Plan] {
    let plan = lowered(whole)
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

  /// Returns the number of samples that a plan computes or loads.
  static func work(of plan: Plan) -> Int {
    plan.slots.reduce(plan.result.rect.area) { $0 + $1.domain.area }
  }

  /// Returns the limits that running a plan needs: the longest side, and the most bytes of textures at once, inputs
  /// and result included.
  func needs(of plan: Plan) -> TileLimits {
    let list = draws(plan)
    let sides = (list.slots.map(\.domain) + [plan.result.rect]).map { max($0.width, $0.height) }
    var held = [Int](repeating: 0, count: list.slots.count)
    var live = 0
    var peak = 0
    for (index, draw) in list.draws.enumerated() {
      for picture in draw.pictures {
        let slot = picture.source.slot
        guard let input = picture.input, picture.shape == nil, held[slot] == 0 else { continue }
        held[slot] =
          list.slots[slot].domain.area * bytesPerTexel(ofInput: input, list.slots[slot], plan)
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

  /// Returns the bytes per texel of the texture that a slot is loaded from.
  func bytesPerTexel(ofInput pass: Pass, _ slot: DrawnSlot, _ plan: Plan) -> Int {
    var format = PixelFormat(slot.layout, .float32)
    if case .load(let load) = pass { format = plan.inputs[load.input].format }
    return TextureFormat(input: format).bytesPerTexel
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

/// The limits of one run of a plan.
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

/// The division of a plan into parts that fit a device.
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

/// Equal parts of a result: so many along each axis.
///
/// What parts share of their surroundings is computed for each of them. So parts are to be large,
/// and of the shape that shares least, which depends on how far a plan reaches along each axis.
struct TileGrid: Hashable {
  var columns: Int
  var rows: Int

  /// The parts, row by row.
  func parts(of rect: Rect) -> [Rect] {
    (0..<rows).flatMap { row in (0..<columns).map { part($0, row, of: rect) } }
  }

  /// The part in the middle, which has surroundings on all sides.
  private func middle(of rect: Rect) -> Rect { part(columns / 2, rows / 2, of: rect) }

  private func part(_ column: Int, _ row: Int, of rect: Rect) -> Rect {
    func bounds(_ index: Int, of count: Int, _ range: Range<Int>) -> Range<Int> {
      let low = range.lowerBound + index * range.count / count
      return low..<range.lowerBound + (index + 1) * range.count / count
    }
    return Rect(
      columns: bounds(column, of: columns, rect.columns), rows: bounds(row, of: rows, rect.rows))
  }

  /// Numbers of columns that are tried: each about a fifth more than the one before.
  private static func steps(upTo most: Int) -> [Int] {
    var steps = [1]
    while let last = steps.last, last < most { steps.append(max(last + 1, last * 6 / 5)) }
    return steps.filter { $0 <= most }
  }

  /// The fixed cost of a part, in samples: passes are set up and waited for.
  private static let workPerPart = 1 << 14

  /// The grid whose parts fit and take the least work together; `nil` where no part is small enough.
  ///
  /// - Parameters:
  ///   - rect: what is cut.
  ///   - work: what a part takes; `nil` where it does not fit. Asked for the middle part of grids.
  static func best(for rect: Rect, work: (Rect) -> Int?) -> TileGrid? {
    var best: (grid: TileGrid, work: Double)?
    // More columns never need more rows.
    var mostRows = rect.height
    for columns in steps(upTo: rect.width) {
      guard let (rows, part) = fewestRows(columns, upTo: mostRows, rect, work) else { continue }
      mostRows = rows
      let grid = TileGrid(columns: columns, rows: rows)
      let perPixel = Double(part) / Double(grid.middle(of: rect).area)
      let total = perPixel * Double(rect.area) + Double(columns * rows * workPerPart)
      if total < best?.work ?? .infinity { best = (grid, total) }
      // Past the best shape it only gets worse.
      if rows == 1 || total > 2 * (best?.work ?? .infinity) { break }
    }
    return best?.grid
  }

  /// The fewest rows with which the middle part fits, and what it takes.
  private static func fewestRows(
    _ columns: Int, upTo most: Int, _ rect: Rect, _ work: (Rect) -> Int?
  ) -> (rows: Int, work: Int)? {
    func fitting(_ rows: Int) -> Int? {
      work(TileGrid(columns: columns, rows: rows).middle(of: rect))
    }
    guard var found = fitting(most) else { return nil }
    var (low, high) = (1, most)
    while low < high {
      let middle = (low + high) / 2
      if let fits = fitting(middle) {
        (high, found) = (middle, fits)
      } else {
        low = middle + 1
      }
    }
    return (high, found)
  }
}

extension Plan {
  /// The plan's steps, where an input that is halved twice is quartered by one step. To halve bytes once loses
  /// nothing, so the image in between need not be there to be rounded. Where colors are multiplied by alpha
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

/// The plans for an image in planes, cut to what changes: of the filtered image in between what that needs,
/// and of each plane the parts that are made anew. Only what is read for them goes to the device.
struct PlanesParts: Sendable {
  let plan: YCbCrPlan
  /// The plans that make the filtered image; empty if each plane is filtered separately, or if nothing changes.
  let toImage: [Plan]
  /// For each plane what alone is computed; `nil` is all of it.
  let changed: [ChangedParts?]

  /// - Throws: `BackendError.failed` for plans that are not well formed.
  init(_ plan: YCbCrPlan) throws(BackendError) {
    self.plan = plan
    var changed: [ChangedParts?] = []
    var needed: Rect?
    func need(_ part: Rect?) {
      guard let part else { return }
      needed = needed?.union(part) ?? part
    }
    for (step, parts) in zip(plan.toPlanes, plan.parts) {
      guard parts != [step.result.rect] else {
        changed.append(nil)
        if !plan.isByPlanes { need(step.part(ofInput: 0)) }
        continue
      }
      let own = ChangedParts(
        step, parts.filter { !$0.isEmpty }, of: plan.isByPlanes ? 0 : step.inputs.count - 1)
      guard let own else { throw .failed(backend: "gl", what: "parts outside of a plane") }
      changed.append(own)
      if !plan.isByPlanes { for part in own.plans { need(part.part(ofInput: 0)) } }
    }
    self.changed = changed
    var toImage: [Plan] = []
    do throws(PlanError) {
      for step in plan.toImage.reversed() {
        guard let part = needed else { break }
        let own = try step.cropped(to: part)
        toImage.insert(own, at: 0)
        needed = own.part(ofInput: 0)
      }
    } catch { throw .failed(backend: "gl", what: "\(error)") }
    self.toImage = toImage
  }
}

/// A cache of the parts that recent plans change, worked out once per plan instead of once per frame.
struct KnownChanges {
  private var known: [(plan: Plan, changed: ChangedParts?)] = []

  /// As many plans as one caller, or several, may have in turn.
  private static let capacity = 16

  /// Returns the parts of a plan's result that may differ from an input in memory; `nil` for the whole result.
  mutating func changes(of plan: Plan, _ inputs: [RunInput]) -> ChangedParts? {
    let changed = changes(of: plan)
    guard let changed, case .image = inputs[changed.input] else { return nil }
    return changed
  }

  private mutating func changes(of plan: Plan) -> ChangedParts? {
    if let found = known.first(where: { $0.plan.isSameStorage(as: plan) }) { return found.changed }
    let changed = ChangedParts(plan)
    known.append((plan, changed))
    if known.count > Self.capacity { known.removeFirst() }
    return changed
  }
}
