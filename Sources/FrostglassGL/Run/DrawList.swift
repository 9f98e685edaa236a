package import FrostglassCore
internal import FrostglassShaders

/// A plan as the GPU runs it.
///
/// For large images, passes that work pixel by pixel are part of the draw before them, inputs are
/// loaded where they are read, and changes of scale are made along one axis after the other. Nothing
/// is computed differently, only fewer images are written and read again: of a Gaussian's images
/// in full size the input and the result are left. For small images that would not be worth the
/// programs, one for each combination: there each pass is a draw.
///
/// A blend through a mask that shows in a part only is drawn there alone, see `LayeredSlot`.
struct DrawList {
  /// An image that a draw reads.
  struct ImageEntry: Hashable {
    /// The slot and its edges.
    var source: Source
    /// The pass that fills the slot, where it is read from the input's own texture.
    var input: Pass?
    /// The shape that is computed instead of read.
    var shape: DrawnShape?
  }

  /// Passes that run as one.
  struct Draw {
    /// The pass that makes the image around which the first part reads, see `PassCall`.
    var lead: Pass?
    var parts: [PassCall.Part]
    var pictures: [ImageEntry]
    /// The slot that is written; `nil` is a result.
    var target: Int?
    /// The part that is drawn, if less than the slot.
    var change: Change?

    /// The number of the result that is written; `nil` for a slot.
    var result: Int? {
      if case .store(let store) = parts.last?.pass { store.result } else { nil }
    }
  }

  /// A part of a slot; around it, the slot is what one of the draw's images is.
  struct Change {
    var rect: Rect
    /// Index into the draw's images.
    var picture: Int
  }

  private(set) var draws: [Draw] = []
  /// The plan's slots, and after them those between the halves of a pass.
  private(set) var slots: [DrawnSlot]
  private let result: Rect
  /// For each slot, the last draw that reads it, or its input.
  private var lastUses: [Int]

  /// More than the parts of any chain that is worth one program; devices take 16.
  private static let mostImages = 8

  private let splits: Bool
  private let drawsParts: Bool
  private let shapes: [DrawnShape?]

  /// - Parameters:
  ///   - joins: whether passes share draws.
  ///   - splits: whether changes of scale may take two, where passes share draws.
  ///   - drawsParts: whether blends may be drawn where they show alone; not where slots round.
  ///   - quarters: whether two halvings of an input may be one draw, where passes share draws.
  ///   - leads: whether two passes of whole numbers may be one draw, of which the second reads around what the
  ///     first one makes.
  init(
    _ plan: Plan, joins: Bool, splits: Bool, drawsParts: Bool, quarters: Bool,
    leads: (Pass, Pass) -> Bool
  ) {
    self.splits = splits
    self.drawsParts = drawsParts
    slots = plan.drawnSlots
    shapes = plan.drawnShapes
    result = plan.result.rect
    lastUses = []
    if joins {
      join(quarters ? plan.quartering(slots) : plan.steps)
      follow(where: leads)
    } else {
      separate(plan)
    }
    lastUses = [Int](repeating: -1, count: slots.count)
    for (index, draw) in draws.enumerated() {
      for picture in draw.pictures { lastUses[picture.source.slot] = index }
    }
  }

  /// One draw for each step, but for loads of bytes, and stores of whole sums.
  private mutating func separate(_ plan: Plan) {
    let readers = DrawList.readers(of: slots.count, plan.steps)
    var inputs = [Pass?](repeating: nil, count: slots.count)
    var open: [Int: Draw] = [:]
    for step in plan.steps {
      if let target = step.target, slots[target].isInputOfBytes {
        inputs[target] = step.pass
      } else if let stored = stored(step, readers) {
        draws[draws.count - 1] = stored
      } else {
        draws.append(load(step) ?? draw(step, inputs, &open))
      }
    }
  }

  /// The last draw together with a store that does no more than round its sums, so that these are rounded once
  /// however passes are joined.
  private func stored(_ step: Step, _ readers: [[Int]]) -> Draw? {
    guard step.pass.onlyStores, var draw = draws.last, let slot = draw.target,
      step.sources == [Source(slot: slot)], readers[slot].count == 1, draw.parts.count == 1,
      draw.parts[0].pass.hasWholeTaps
    else { return nil }
    draw.parts.append(.init(step.pass, inputs: [.previous], .rgba))
    draw.target = nil
    return draw
  }

  private mutating func join(_ steps: [Step]) {
    let readers = DrawList.readers(of: slots.count, steps)
    // What fills the slots that no draw writes.
    var inputs = [Pass?](repeating: nil, count: slots.count)
    // Draws whose slot may yet become a part of what reads it.
    var open: [Int: Draw] = [:]
    for step in steps {
      let passes = step.target.map { readers[$0].map { steps[$0].pass } } ?? []
      if let target = step.target, DrawList.loadsWhereRead(step.pass, by: passes) {
        inputs[target] = step.pass
      } else if let load = load(step) {
        draws.append(load)
      } else {
        let draw = draw(step, inputs, &open)
        if let target = step.target, passes.count == 1, draw.change == nil {
          open[target] = draw
        } else {
          add(draw, &open)
        }
      }
    }
  }

  /// A load, or a generated image, as a draw of its own; `nil` for other passes.
  private func load(_ step: Step) -> Draw? {
    guard let target = step.target else { return nil }
    switch step.pass {
    case .load, .generate:
      return Draw(
        parts: [.init(step.pass, inputs: [.picture(0)], slots[target].layout)],
        pictures: [
          ImageEntry(source: Source(slot: target), input: step.pass, shape: shapes[target])
        ], target: target)
    default: return nil
    }
  }

  /// The slots whose textures nothing needs once a draw has run.
  func freed(after index: Int) -> Set<Int> {
    // A load of its own turns the input's texture into the slot's.
    Set(draws[index].pictures.map(\.source.slot)).filter {
      lastUses[$0] == index || $0 == draws[index].target
    }
  }

  /// Adds a draw after those that write what it reads.
  private mutating func add(_ draw: Draw, _ open: inout [Int: Draw]) {
    for picture in draw.pictures {
      if let needed = open.removeValue(forKey: picture.source.slot) { add(needed, &open) }
    }
    draws += halves(draw) ?? [draw]
  }

  /// A change of scale as two draws, columns before rows, where that takes fewer fetches.
  ///
  /// The sums are the same in the same order, as what lies between is kept in floats. Those of whole numbers
  /// are left as one: their sums along one axis would not be 65280ths.
  private mutating func halves(_ draw: Draw) -> [Draw]? {
    guard splits, case .resample(let resample) = draw.parts[0].pass, resample.isCheaperInHalves,
      !draw.parts.dropFirst().contains(where: { $0.inputs.contains(.picture(0)) })
    else { return nil }
    let whole = draw.pictures[0]
    let read = slots[whole.source.slot]
    guard !(read.holdsIntegers || read.isInputOfBytes) || !draw.parts[0].pass.hasWholeTaps else {
      return nil
    }
    let target = draw.change?.rect ?? draw.target.map { slots[$0].domain } ?? result
    guard !target.isEmpty else { return nil }
    slots.append(
      DrawnSlot(
        domain: Rect(columns: target.columns, rows: slots[whole.source.slot].domain.rows),
        layout: draw.parts[0].layout, precision: .float32))
    var columns = draw
    columns.parts = [draw.parts[0]]
    columns.parts[0].pass = .resample(Resample(x: resample.x, y: .identity))
    columns.pictures = [
      ImageEntry(source: Source(slot: whole.source.slot, x: whole.source.x), input: whole.input)
    ]
    columns.target = slots.count - 1
    columns.change = nil
    var rows = draw
    rows.parts[0].pass = .resample(Resample(x: .identity, y: resample.y))
    rows.pictures[0] = ImageEntry(source: Source(slot: slots.count - 1, y: whole.source.y))
    return [columns, rows]
  }

  /// Joins draws with those that alone read what they make, where that takes no image in between.
  private mutating func follow(where leads: (Pass, Pass) -> Bool) {
    var index = 0
    while index < draws.count {
      if let lead = lead(of: draws[index], leads) {
        draws[index].lead = draws[lead].parts[0].pass
        draws[index].pictures[0] = draws[lead].pictures[0]
        draws.remove(at: lead)
      } else {
        index += 1
      }
    }
  }

  /// The draw whose image a draw need not have: of whole numbers, and beyond its edges there is what would be
  /// made there.
  private func lead(of draw: Draw, _ leads: (Pass, Pass) -> Bool) -> Int? {
    guard draw.lead == nil, draw.change == nil, draw.pictures.count == 1,
      draw.parts[0].inputs == [.picture(0)],
      !draw.parts.dropFirst().contains(where: { $0.inputs.contains(.picture(0)) }),
      draw.pictures[0].input == nil
    else { return nil }
    let read = draw.pictures[0].source
    guard slots[read.slot].holdsIntegers,
      draws.filter({ $0.pictures.contains { $0.source.slot == read.slot } }).count == 1,
      let index = draws.firstIndex(where: { $0.target == read.slot })
    else { return nil }
    let first = draws[index]
    guard first.lead == nil, first.change == nil, first.parts.count == 1, first.pictures.count == 1,
      first.pictures[0].shape == nil
    else { return nil }
    // What is shrunk is stored as it is.
    if case .resample = draw.parts[0].pass {
      guard draw.parts.count == 1, draw.target.map({ slots[$0].holdsIntegers }) ?? false else {
        return nil
      }
    }
    let whole = slots[first.pictures[0].source.slot]
    guard whole.holdsIntegers || whole.isInputOfBytes, first.parts[0].pass.hasWholeTaps,
      draw.parts[0].pass.hasWholeTaps,
      read.continues(first.pictures[0].source, after: first.parts[0].pass),
      leads(first.parts[0].pass, draw.parts[0].pass)
    else { return nil }
    return index
  }

  /// For each slot, the steps that read it, as often as they do.
  private static func readers(of slots: Int, _ steps: [Step]) -> [[Int]] {
    var readers = [[Int]](repeating: [], count: slots)
    for (index, step) in steps.enumerated() {
      for source in step.sources { readers[source.slot].append(index) }
    }
    return readers
  }

  /// Returns true if a pass is a load, or generates content, and costs less at each fetch than an intermediate image.
  /// A load that decodes to linear light does so for at most two taps.
  private static func loadsWhereRead(_ pass: Pass, by readers: [Pass]) -> Bool {
    switch pass {
    case .load(let load) where load.decodesToLinear:
      readers.allSatisfy { $0.kind.tapCount <= 2 }
    case .load, .generate: true
    default: false
    }
  }

  /// A step as a draw, together with the open draw of one of its sources where that is possible.
  private mutating func draw(
    _ step: Step, _ inputs: [Pass?], _ open: inout [Int: Draw]
  ) -> Draw {
    let layout = step.target.map { slots[$0].layout } ?? .rgba
    let changed = changed(by: step)
    let joined = step.sources.indices.last { index in
      // What shows around a change is left as it is.
      step.pass.isPointwise && (changed == nil || index > 0)
        && open[step.sources[index].slot].map {
          $0.pictures.count + step.sources.count - 1 <= DrawList.mostImages
        } ?? false
    }
    var draw =
      joined.flatMap { open.removeValue(forKey: step.sources[$0].slot) }
      ?? Draw(parts: [], pictures: [], target: nil)
    let places = step.sources.enumerated().map { index, source -> ShaderPart.Input in
      if index == joined { return .previous }
      let input = inputs[source.slot]
      let picture = ImageEntry(
        source: source, input: input, shape: input == nil ? nil : shapes[source.slot])
      if let known = draw.pictures.firstIndex(of: picture) { return .picture(known) }
      draw.pictures.append(picture)
      return .picture(draw.pictures.count - 1)
    }
    draw.parts.append(.init(step.pass, inputs: places, layout))
    draw.target = step.target
    if let changed, case .picture(let picture) = places[0] {
      draw.change = Change(rect: changed, picture: picture)
    }
    return draw
  }

  /// The part of its first image that a step changes; `nil` where that is most of it.
  private func changed(by step: Step) -> Rect? {
    guard drawsParts, case .blend(let blend) = step.pass, blend.mode == .masked,
      let part = blend.secondPart, let target = step.target, let first = step.sources.first,
      first.x == nil, first.y == nil
    else { return nil }
    let rect = part.intersection(slots[target].domain)
    return rect.area <= slots[target].domain.area / 2 ? rect : nil
  }
}

extension Pass {
  /// True if a pixel depends only on the sources' pixels at the same place, at little cost.
  var isPointwise: Bool {
    switch self {
    case .colorMatrix, .lumaCurve, .highlightWeight, .blend, .packChannels, .store: true
    case .load, .generate, .resample, .convolve, .displace, .stencil, .gather, .bilateral, .median,
      .cellMeans, .cellFill, .grain:
      false
    }
  }
}

extension Resample {
  /// True if filtering columns and rows separately takes clearly fewer fetches than both at once. The intermediate
  /// image counts for six, as measured on llvmpipe: growing by 2 is not worth it, by 4 is.
  fileprivate var isCheaperInHalves: Bool {
    let (columns, rows) = (Double(x.longestPhase), Double(y.longestPhase))
    let growth = Double(y.phases.count) / Double(y.stride)
    let halves = (columns + 6) / growth + rows
    return !x.isIdentity && !y.isIdentity && halves < 0.8 * columns * rows
  }
}

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
  /// What only says where an image lies, and is not drawn, is among them; masks that a draw reads
  /// are counted and not the upload of any image.
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
