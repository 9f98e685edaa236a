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
  private let kernels: fg_row_kernels
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
  private let source: PictureSource<Int16>?
  private let store: Store
  private let channels: Int
  private let kernels: fg_row_kernels
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
    // Where a picture is changed in its place, there is nothing to do.
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
  private let source: PictureSource<Int16>
  private let store: Store
  private let kernels: fg_row_kernels
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
