internal import FrostglassCore

/// The end of a plan that shows one image through a mask over another and stores that: three steps
/// that are fused, in runs of pixels that the mask covers fully, not at all, or partly.
///
/// Where it covers nothing, an input that is shown as it is keeps its bytes, and is not loaded. Where it
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
