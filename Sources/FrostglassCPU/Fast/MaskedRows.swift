internal import CKernels
internal import FrostglassCore

extension RowStrip<Int16> {
  /// Returns the program that makes rows of the result from the images behind and before masks.
  func storing(_ ending: MaskedEnding, into output: OutputRows) -> RowProgram {
    let columns = output.rect.columns
    let pictures = MixedRows(ending, self, output)
    let stack = ScaleStack(ending.layers, tools.kernels)
    if let stack, stack.isEven {
      return { rows in
        for y in rows {
          pictures.begin(y)
          switch stack.shown(in: y, at: columns.lowerBound) {
          case .one(let scale): pictures.store(columns, layer: scale)
          case .mix(let scale, let weight): pictures.mixEvenly(columns, layer: scale, weight)
          }
        }
      }
    }
    let runs = CoverageRuns(
      stack?.coverage ?? ending.layers[0].coverage, columns, rows: output.rect.rows,
      CoverageVectors(tools.kernels))
    return { rows in
      for y in rows {
        pictures.begin(y)
        let row = runs.row(y)
        var x = columns.lowerBound
        for run in row.runs {
          let part = x..<run.end
          x = run.end
          let values = row.coverage + (part.lowerBound - columns.lowerBound)
          switch run.kind {
          case .none: pictures.store(part, layer: -1)
          case .all: pictures.store(part, layer: ending.layers.count - 1)
          case .some:
            guard let stack else {
              pictures.mix(part, layer: 0, values)
              continue
            }
            let first = part.lowerBound
            stack.forEachRun(part, values) { part, scale, isMixed in
              if isMixed {
                pictures.mix(part, layer: scale, values + (part.lowerBound - first))
              } else {
                pictures.store(part, layer: scale)
              }
            }
          }
        }
      }
    }
  }
}

/// The images that are mixed, and the row of the result that they are stored in.
private final class MixedRows {
  private let bottom: CoveredRows
  /// `nil` for those that do not show in a strip.
  private let layers: [CoveringRows?]
  /// The same: to count who refers to them takes as long as a short run.
  private let uncounted: UnsafeMutablePointer<Unmanaged<CoveringRows>?>
  /// For each layer, what mixes it with the one before where a row is mixed alike.
  private let joint: [JointGrowth?]
  private let output: OutputRows
  private let store: Store
  private let channels: Int
  private let kernels: fgk_row_kernels
  private let weights: UnsafeMutablePointer<Int16>
  private let mixed: UnsafeMutablePointer<Int16>
  private var y = 0
  private var target: UnsafeMutableRawPointer

  init(_ ending: MaskedEnding, _ strip: RowStrip<Int16>, _ output: OutputRows) {
    let bottom = CoveredRows(ending, strip, output)
    let layers = ending.layers.map { CoveringRows($0, over: bottom, ending.store, strip, output) }
    (self.bottom, self.layers) = (bottom, layers)
    uncounted = strip.tools.memory.take(
      copying: layers.map { layer in layer.map { Unmanaged.passUnretained($0) } })
    joint = layers.indices.map { index in
      guard index > 0, let fine = layers[index - 1]?.grown, let coarse = layers[index]?.grown
      else { return nil }
      return JointGrowth(fine, coarse, strip.tools)
    }
    self.output = output
    store = ending.store
    channels = Int16.channels(of: store.format.layout)
    kernels = strip.tools.kernels
    weights = strip.tools.scratch(output.rect.width)
    mixed = strip.tools.scratch(output.rect.width * channels)
    target = output.bytes
  }

  /// Goes on to a row.
  func begin(_ y: Int) { (self.y, target) = (y, output.row(y)) }

  /// Stores a layer, or what is behind them all, -1.
  func store(_ part: Range<Int>, layer: Int) {
    if layer < 0 {
      bottom.store(part, y, place(part))
    } else {
      let (y, place) = (y, place(part))
      uncounted[layer]?._withUnsafeGuaranteedRef { $0.store(part, y, place) }
    }
  }

  /// Mixes a layer with what is behind it.
  func mix(_ part: Range<Int>, layer: Int, _ shares: UnsafePointer<Float>) {
    guard let (behind, top) = pixels(part, layer) else { return }
    kernels.mix_weights(shares, weights, part.count)
    kernels.mix(behind, top, weights, mixed, part.count, channels)
    store.store(mixed, place(part), part.count, kernels)
  }

  /// Mixes a layer with what is behind it, with one weight for all of a row.
  func mixEvenly(_ part: Range<Int>, layer: Int, _ weight: Int16) {
    if let joint = joint[layer] {
      layers[layer - 1]?.combine(y)
      layers[layer]?.combine(y)
      return joint.store(part, weight, place(part).assumingMemoryBound(to: UInt8.self))
    }
    guard let (behind, top) = pixels(part, layer) else { return }
    kernels.mix_evenly(behind, top, weight, mixed, part.count * channels)
    store.store(mixed, place(part), part.count, kernels)
  }

  /// Returns the pixels behind a layer and the layer's own. If only one of them shows in the strip, stores it and
  /// returns `nil`.
  private func pixels(
    _ part: Range<Int>, _ layer: Int
  ) -> (behind: UnsafePointer<Int16>, top: UnsafePointer<Int16>)? {
    guard let top = uncounted[layer] else {
      store(part, layer: layer - 1)
      return nil
    }
    let y = y
    let above = top._withUnsafeGuaranteedRef { $0.pixels(part, y) }
    if layer == 0 { return (bottom.pixels(part, y), above) }
    guard let behind = uncounted[layer - 1] else {
      store(part, layer: layer)
      return nil
    }
    return (behind._withUnsafeGuaranteedRef { $0.pixels(part, y) }, above)
  }

  private func place(_ part: Range<Int>) -> UnsafeMutableRawPointer {
    target + (part.lowerBound - output.rect.x) * store.format.bytesPerPixel
  }
}

/// The image behind a mask.
private struct CoveredRows {
  private let input: InputRows?
  private let load: Load?
  private let source: ImageSource<Int16>?
  private let store: Store
  private let channels: Int
  private let kernels: fgk_row_kernels
  private let gray: UnsafeMutablePointer<Int16>
  private let room: UnsafeMutablePointer<Int16>

  init(_ ending: MaskedEnding, _ strip: RowStrip<Int16>, _ output: OutputRows) {
    store = ending.store
    kernels = strip.tools.kernels
    channels = Int16.channels(of: store.format.layout)
    load = ending.load
    input = ending.load.map { strip.inputs[$0.input] }
    source = strip.pictures[ending.first].map { rows in
      strip.source(Source(slot: ending.first), of: rows)
    }
    gray = strip.tools.scratch(1)
    room = strip.tools.scratch(output.rect.width * 4)
  }

  /// Stores some columns of a row.
  func store(_ part: Range<Int>, _ y: Int, _ target: UnsafeMutableRawPointer) {
    guard let input else {
      guard let source else { return }
      return store.store(source.row(y) + source.offset(of: part), target, part.count, kernels)
    }
    let bytes = input.format.bytesPerPixel
    let from = input.row(y) + part.lowerBound * bytes
    // An image that is changed in place needs nothing.
    guard from != UnsafeRawPointer(target) else { return }
    target.copyMemory(from: from, byteCount: part.count * bytes)
  }

  /// The pixels from the first of a part on that lie in opaque blocks of the input, or in others.
  ///
  /// Blocks begin at multiples of their width, so that parts of an image find what the whole does.
  func run(of part: Range<Int>, _ y: Int) -> (end: Int, isOpaque: Bool) {
    guard let input else { return (part.upperBound, false) }
    if !input.format.layout.hasAlpha { return (part.upperBound, true) }
    let bytes = input.row(y).assumingMemoryBound(to: UInt8.self)
    func isOpaque(_ first: Int) -> Bool {
      kernels.is_opaque8(bytes + 4 * first, min(Self.block, input.width - first)) != 0
    }
    var first = part.lowerBound / Self.block * Self.block
    let isAll = isOpaque(first)
    repeat { first += Self.block } while first < part.upperBound && isOpaque(first) == isAll
    return (min(first, part.upperBound), isAll)
  }

  /// Columns of a block.
  private static let block = 64

  /// Gives some columns of a row.
  func pixels(_ part: Range<Int>, _ y: Int) -> UnsafePointer<Int16> {
    guard let input, let load else {
      guard let source else { return UnsafePointer(room) }
      return source.row(y) + source.offset(of: part)
    }
    load.load(
      input.row(y) + part.lowerBound * input.format.bytesPerPixel, input.format, into: room,
      channels: channels, part.count, gray, kernels)
    return UnsafePointer(room)
  }
}

/// The image before a mask.
private final class CoveringRows {
  let grown: GrownRows?
  /// The row that is ready to be grown.
  private var ready: Int?
  private let source: ImageSource<Int16>
  private let store: Store
  private let kernels: fgk_row_kernels
  private let room: UnsafeMutablePointer<Int16>
  private let current: CurrentRun
  private var run = 0
  /// The rows behind, if the grown image is divided by its coverage to match them.
  private let model: CoveredRows?

  init?(
    _ layer: MaskedEnding.Layer, over bottom: CoveredRows, _ store: Store,
    _ strip: RowStrip<Int16>, _ output: OutputRows
  ) {
    self.store = store
    model = layer.normalizes && layer.growth != nil ? bottom : nil
    kernels = strip.tools.kernels
    current = strip.tools.current
    room = strip.tools.scratch(output.rect.width * 4)
    guard let growth = layer.growth else {
      guard let rows = strip.pictures[layer.slot] else { return nil }
      source = strip.source(Source(slot: layer.slot), of: rows)
      grown = nil
      return
    }
    guard let step = strip.plan.step(making: layer.grown),
      let rows = strip.pictures[step.sources[0].slot]
    else { return nil }
    source = strip.source(step.sources[0], of: rows)
    let columns = strip.plan.slots[layer.grown].domain.columns
    guard let grown = GrownRows(growth, source, columns, store, strip.tools) else { return nil }
    self.grown = grown
  }

  /// Makes a row ready to be grown.
  func combine(_ y: Int) {
    guard let grown, ready != y || run != current.number else { return }
    grown.combine(y)
    (ready, run) = (y, current.number)
  }

  /// Stores some columns of a row.
  func store(_ part: Range<Int>, _ y: Int, _ target: UnsafeMutableRawPointer) {
    let bytes = target.assumingMemoryBound(to: UInt8.self)
    guard let grown else { return store.store(pixels(part, y), target, part.count, kernels) }
    combine(y)
    guard let model else { return grown.store(part, bytes) }
    // Opaque pixels of full weight are not divided, and need not be told apart from it.
    var x = part.lowerBound
    while x < part.upperBound {
      let full = grown.run(of: x..<part.upperBound)
      let opaque =
        full.isFull ? model.run(of: x..<full.end, y) : (end: full.end, isOpaque: false)
      let run = x..<opaque.end
      let place = bytes + (x - part.lowerBound) * store.format.bytesPerPixel
      if opaque.isOpaque {
        grown.store(run, place)
      } else {
        store.store(pixels(run, y), place, run.count, kernels)
      }
      x = opaque.end
    }
  }

  /// Gives some columns of a row.
  func pixels(_ part: Range<Int>, _ y: Int) -> UnsafePointer<Int16> {
    guard let grown else { return source.row(y) + source.offset(of: part) }
    combine(y)
    grown.grow(part, room)
    if let model { kernels.blend_normalize(room, model.pixels(part, y), room, part.count) }
    return UnsafePointer(room)
  }
}

/// The end of a plan that shows one image through a mask over another and stores that: three steps
/// that are fused, in runs of pixels that the mask covers fully, not at all, or partly.
///
/// If it covers nothing, an input that is shown as it is keeps its bytes, and is not loaded. Where it
/// covers all, an image that was shrunk is grown straight to the result. So what a region costs is its
/// area; what a pixel becomes depends on its coverage alone, wherever rows, strips and parts begin.
///
/// Of a blur whose strength varies, each pixel is the mix of two of many scales: of all of them only
/// these two are looked at there.
struct MaskedEnding {
  /// One of the images that are shown through masks, each over those before it.
  struct Layer {
    /// The slot that the image and those before it would come to, which is not made.
    let target: Int
    /// The image's slot, and its mask's.
    let slot: Int
    let mask: Int
    let coverage: Coverage
    /// The growth of the image, if nothing else reads it.
    let growth: Resample?
    /// The slot that is grown: that of the image, or of what is divided by its own coverage to make
    /// it, with the colors and alpha of what is behind.
    let grown: Int
  }

  let store: Store
  /// The slot of what all masks leave as it is.
  let first: Int
  /// The load of `first`, if it is an unchanged input.
  let load: Load?
  /// From the first to the last; several are neighboring scales of one mask.
  let layers: [Layer]

  /// - Returns: `nil` for plans that end in another way.
  init?(_ plan: Plan) {
    guard !plan.roundsBetweenSteps, plan.results.count == 1, let last = plan.steps.last,
      case .store(let store) = last.pass, store.background == nil
    else { return nil }
    self.store = store
    var layers: [Layer] = []
    var slot = last.sources[0].slot
    while let (layer, behind) = Layer.layer(making: slot, store, plan) {
      if let above = layers.last, !above.goesOn(from: layer) { break }
      layers.append(layer)
      slot = behind
    }
    guard !layers.isEmpty else { return nil }
    self.layers = layers.reversed()
    first = slot
    let loading = plan.step(making: first)
    if case .load(let load) = loading?.pass, plan.keepsBytes(load, store, .fixed) {
      self.load = load
    } else {
      load = nil
    }
  }

  /// Returns true if the ending includes the making of a slot.
  func makes(_ slot: Int) -> Bool {
    layers.contains { layer in
      slot == layer.target || layer.growth != nil && (slot == layer.slot || slot == layer.grown)
    }
  }

  /// Slots whose rows are read when rows of the result are stored.
  var slotsReadLate: [Int] { [first] + layers.filter { $0.growth == nil }.map(\.slot) }
}

extension MaskedEnding.Layer {
  /// A layer that comes to a slot, and the slot behind it.
  fileprivate static func layer(
    making target: Int, _ store: Store, _ plan: Plan
  ) -> (MaskedEnding.Layer, behind: Int)? {
    guard let step = plan.step(making: target), case .blend(let blend) = step.pass,
      blend.mode == .masked, plan.readers(of: target).count == 1,
      let coverage = plan.coverage(of: step.sources[2].slot)
    else { return nil }
    let (behind, slot) = (step.sources[0].slot, step.sources[1].slot)
    let channels = Int16.channels(of: store.format.layout)
    guard
      [behind, slot, target].allSatisfy({ Int16.channels(of: plan.slots[$0].layout) == channels })
    else { return nil }
    var growth: Resample?
    let grown = plan.normalized(slot, like: behind, store) ?? slot
    if case .resample(let resample) = plan.step(making: grown)?.pass, resample.isFastStoring(store),
      plan.slots[slot].layout == store.format.layout, store.format.layout != .gray,
      plan.readers(of: slot).count == 1
    {
      growth = resample
    }
    let layer = MaskedEnding.Layer(
      target: target, slot: slot, mask: step.sources[2].slot, coverage: coverage, growth: growth,
      grown: grown)
    return (layer, behind)
  }

  /// True if the grown image is divided by its own coverage.
  var normalizes: Bool { grown != slot }

  /// Returns true if this is the next scale of the same mask: its window begins where the other's ends.
  fileprivate func goesOn(from layer: MaskedEnding.Layer) -> Bool {
    guard let window = coverage.window, let before = layer.coverage.window,
      window.low == before.high
    else { return false }
    return coverage.withoutWindow == layer.coverage.withoutWindow
  }
}

extension Coverage {
  /// The same coverage of pixels, without averaging by a window.
  var withoutWindow: Coverage {
    var coverage = self
    coverage.window = nil
    return coverage
  }
}

extension Plan {
  /// Returns the slot that is divided by its own coverage to make a slot like a loaded input; `nil` if something else
  /// reads it.
  fileprivate func normalized(_ slot: Int, like second: Int, _ store: Store) -> Int? {
    guard let step = step(making: slot), case .blend(let blend) = step.pass,
      blend.mode == .normalize, step.sources.allSatisfy({ $0.x == nil && $0.y == nil }),
      step.sources[1].slot == second, case .load(let load) = self.step(making: second)?.pass,
      keepsBytes(load, store, .fixed), slots[second].layout != .gray
    else { return nil }
    let grown = step.sources[0].slot
    return readers(of: grown).count == 1 && slots[grown].layout == .rgba ? grown : nil
  }

  /// Returns true if a step multiplies by a coverage in fixed point, and so does not read the mask's image.
  func multipliesByCoverage(_ step: Step) -> Bool {
    guard case .blend(let blend) = step.pass, blend.mode == .multiply, let target = step.target
    else { return false }
    let layouts = [slots[step.sources[0].slot].layout, slots[target].layout]
    return Int16.channels(of: layouts[0]) == Int16.channels(of: layouts[1])
      && coverage(of: step.sources[1].slot) != nil
  }

  /// Returns true if loading and storing a sample keeps its bytes.
  func keepsBytes(_ load: Load, _ store: Store, _ arithmetic: RowArithmetic) -> Bool {
    // Fixed point keeps 15 of 16 bits.
    keepsBytes(load, store)
      && (arithmetic == .float || inputs[load.input].format.depth == .uint8)
  }
}

extension Plan {
  /// Returns the cost of a layer's own images per pixel of the result, in multiples of storing one.
  func cost(of layer: MaskedEnding.Layer) -> Double {
    chain(of: layer).reduce(2) { cost, part in
      cost + Double(part.convolve.radius + 1) / Double(4 * part.factorX * part.factorY)
    }
  }

  /// The parts of its rows in which each of a layer's own images is computed.
  func parts(
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
    // Blocks end between pixels of the small image.
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
  /// The reach of one of its pixels, in pixels of the result.
  let reachX: Int
  let reachY: Int
}

extension Source {
  /// True if the image repeats beyond its edges, so that pixels reach the other side.
  fileprivate var wraps: Bool { x?.mode == .wrap || y?.mode == .wrap }
}

extension Plan {
  /// Returns the load and coverage of an image that is loaded, weighted and then only halved; `nil` for any other.
  func weightedLoad(_ slot: Int) -> (load: Load, coverage: Coverage)? {
    guard !roundsBetweenSteps, slots[slot].layout == .rgba, let step = step(making: slot),
      case .blend(let blend) = step.pass, blend.mode == .multiply,
      step.sources.allSatisfy({ $0.x == nil && $0.y == nil }),
      let coverage = coverage(of: step.sources[1].slot),
      case .load(let load) = self.step(making: step.sources[0].slot)?.pass
    else { return nil }
    let format = inputs[load.input].format
    guard format.depth == .uint8, format.layout == slots[step.sources[0].slot].layout,
      format.layout != .gray,
      load.alpha != .straight, !load.decodesToLinear,
      Rect(inputs[load.input].size).contains(slots[slot].domain)
    else { return nil }
    let isHalved = readers(of: slot).allSatisfy { reader in
      guard case .resample(let resample) = reader.pass else { return false }
      return resample.halvesBoth
        && reader.sources.allSatisfy { source in
          // Beyond the sides there is nothing, not even alpha, which red, green and blue do not have.
          source.x?.mode != .wrap && source.y?.mode != .wrap
            && (format.layout == .rgba || source.x?.mode != .transparent)
        }
    }
    return isHalved ? (load, coverage) : nil
  }
}
