internal import CKernels
internal import FrostglassCore

extension RowStrip<Int16> {
  /// What makes rows of the result from the pictures behind and before masks.
  func storing(_ ending: MaskedEnding, into output: OutputRows) -> RowProgram {
    let columns = output.rect.columns
    let pictures = MixedRows(ending, self, output)
    let stack = ScaleStack(ending, columns, tools)
    let runs = CoverageRuns(
      stack?.coverage ?? ending.layers[0].coverage, columns, rows: output.rect.rows)
    let amounts: UnsafeMutablePointer<Int16> = tools.scratch(columns.count)
    return { rows in
      for y in rows {
        pictures.begin(y)
        // Where all of a row is blurred alike, one pixel says how.
        if let stack, stack.isEven {
          stack.forAll(y) { part, layer, shares in
            pictures.mix(part, layer: layer, shares, amounts)
          }
          continue
        }
        let row = runs.row(y)
        var x = columns.lowerBound
        for run in row.runs {
          let part = x..<run.end
          x = run.end
          let values = row.coverage + (part.lowerBound - columns.lowerBound)
          switch (run.kind, stack) {
          case (.none, _): pictures.store(part, layer: 0, .none)
          case (.all, _): pictures.store(part, layer: ending.layers.count - 1, .all)
          case (.some, nil): pictures.mix(part, layer: 0, values, amounts)
          case (.some, .some(let stack)):
            stack.forEachRun(y, part, values) { part, layer, shares in
              pictures.mix(part, layer: layer, shares, amounts)
            }
          }
        }
      }
    }
  }
}

/// The scales of a blur whose strength varies, and which two of them a pixel shows.
private struct ScaleStack {
  /// How strong the blur is, of its most.
  let coverage: Coverage
  /// Whether all of a row is blurred alike.
  let isEven: Bool
  private let layers: [Coverage]
  private let windows: [BlurWindow]
  private let columns: Range<Int>
  private let shares: UnsafeMutableBufferPointer<Float>

  /// - Returns: `nil` where masks are no shares of scales.
  init?(_ ending: MaskedEnding, _ columns: Range<Int>, _ tools: RowTools) {
    layers = ending.layers.map(\.coverage)
    windows = layers.compactMap(\.window)
    guard windows.count == layers.count else { return nil }
    coverage = layers[0].withoutWindow
    isEven =
      coverage.plane == nil
      && coverage.shapes.allSatisfy { shape in
        if case .ramp(let ramp) = shape.outline { ramp.start.x == ramp.end.x } else { false }
      }
    self.columns = columns
    shares = UnsafeMutableBufferPointer(
      start: tools.scratch(columns.count) as UnsafeMutablePointer<Float>, count: columns.count)
  }

  private func layer(of value: Float) -> Int {
    windows.firstIndex { Double(value) <= $0.high } ?? windows.count - 1
  }

  /// Gives the larger of the two scales of a row that is blurred alike, and its share for each pixel.
  func forAll(_ y: Int, _ run: (Range<Int>, Int, UnsafePointer<Float>) -> Void) {
    guard let start = shares.baseAddress else { return }
    let one = UnsafeMutableBufferPointer(start: start, count: 1)
    coverage.row(y, columns.prefix(1), into: one)
    let layer = layer(of: start.pointee)
    layers[layer].row(y, columns.prefix(1), into: one)
    shares.update(repeating: start.pointee)
    run(columns, layer, start)
  }

  /// Goes through a part of a row in runs of pixels that show the same two scales: the larger one, and
  /// its share for each pixel.
  func forEachRun(
    _ y: Int, _ columns: Range<Int>, _ values: UnsafePointer<Float>,
    _ run: (Range<Int>, Int, UnsafePointer<Float>) -> Void
  ) {
    guard let start = shares.baseAddress else { return }
    var x = 0
    while x < columns.count {
      let first = x
      let layer = layer(of: values[x])
      let (low, high) = (windows[layer].low, windows[layer].high)
      repeat {
        x += 1
      } while x < columns.count && Double(values[x]) <= high
        && (Double(values[x]) > low || layer == 0)
      let part = columns.lowerBound + first..<columns.lowerBound + x
      layers[layer].row(y, part, into: UnsafeMutableBufferPointer(start: start, count: part.count))
      run(part, layer, start)
    }
  }
}

/// The pictures that are mixed, and the row of the result that they are stored in.
private final class MixedRows {
  private let bottom: CoveredRows
  /// `nil` for those that do not show in a strip.
  private let layers: [CoveringRows?]
  private let output: OutputRows
  private let store: Store
  private let channels: Int
  private let kernels: fg_row_kernels
  private let mixed: UnsafeMutablePointer<Int16>
  private var y = 0
  private var target: UnsafeMutableRawPointer

  init(_ ending: MaskedEnding, _ strip: RowStrip<Int16>, _ output: OutputRows) {
    bottom = CoveredRows(ending, strip)
    layers = ending.layers.map { CoveringRows($0, ending.store, strip, output) }
    self.output = output
    store = ending.store
    channels = Int16.channels(of: store.format.layout)
    kernels = strip.tools.kernels
    mixed = strip.tools.scratch(output.rect.width * channels)
    target = output.bytes
  }

  /// Goes on to a row.
  func begin(_ y: Int) { (self.y, target) = (y, output.row(y)) }

  /// Stores a layer, or what is behind it.
  func store(_ part: Range<Int>, layer: Int, _ kind: CoverageRun.Kind) {
    let shown = kind == .all ? layer : layer - 1
    if shown < 0 {
      bottom.store(part, y, place(part))
    } else {
      layers[shown]?.store(part, y, place(part))
    }
  }

  /// Mixes a layer with what is behind it.
  func mix(
    _ part: Range<Int>, layer: Int, _ values: UnsafePointer<Float>,
    _ amounts: UnsafeMutablePointer<Int16>
  ) {
    Int16.take(UnsafeBufferPointer(start: values, count: part.count), .gray, into: amounts)
    amounts.forEachRun(part) { part, amounts, kind in
      guard kind == .some else { return store(part, layer: layer, kind) }
      guard let top = layers[layer] else { return }
      if layer == 0 {
        bottom.pixels(part, y, mixed)
      } else {
        guard let behind = layers[layer - 1] else { return }
        mixed.update(from: behind.pixels(part, y), count: part.count * channels)
      }
      kernels.blend_masked(mixed, top.pixels(part, y), amounts, part.count, channels)
      store.store(mixed, place(part), part.count, kernels)
    }
  }

  private func place(_ part: Range<Int>) -> UnsafeMutableRawPointer {
    target + (part.lowerBound - output.rect.x) * store.format.bytesPerPixel
  }
}

extension UnsafeMutablePointer<Int16> {
  /// Goes through a row's amounts in runs that are all, nothing, or anything.
  fileprivate func forEachRun(
    _ columns: Range<Int>,
    _ run: (Range<Int>, UnsafeMutablePointer<Int16>, CoverageRun.Kind) -> Void
  ) {
    var x = 0
    while x < columns.count {
      let (start, kind) = (x, CoverageRun.Kind(self[x]))
      while x < columns.count, CoverageRun.Kind(self[x]) == kind { x += 1 }
      run(columns.lowerBound + start..<columns.lowerBound + x, self + start, kind)
    }
  }
}

extension CoverageRun.Kind {
  /// What an amount in fixed point is.
  fileprivate init(_ amount: Int16) {
    self = amount == Int16(FG_FULL) ? .all : amount == -Int16(FG_FULL) ? .none : .some
  }
}

/// The picture behind a mask.
private struct CoveredRows {
  private let input: InputRows?
  private let load: Load?
  private let source: PictureSource<Int16>?
  private let store: Store
  private let channels: Int
  private let kernels: fg_row_kernels
  private let gray: UnsafeMutablePointer<Int16>

  init(_ ending: MaskedEnding, _ strip: RowStrip<Int16>) {
    store = ending.store
    kernels = strip.tools.kernels
    channels = Int16.channels(of: store.format.layout)
    load = ending.load
    input = ending.load.map { strip.inputs[$0.input] }
    source = strip.pictures[ending.first].map { rows in
      strip.source(Source(slot: ending.first), of: rows)
    }
    gray = strip.tools.scratch(1)
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

  /// Gives some columns of a row.
  func pixels(_ part: Range<Int>, _ y: Int, _ target: UnsafeMutablePointer<Int16>) {
    guard let input, let load else {
      guard let source else { return }
      return target.update(
        from: source.row(y) + source.offset(of: part), count: part.count * channels)
    }
    load.load(
      input.row(y) + part.lowerBound * input.format.bytesPerPixel, input.format, into: target,
      channels: channels, part.count, gray, kernels)
  }
}

/// The picture before a mask.
private final class CoveringRows {
  private let grown: GrownRows?
  /// The row that is ready to be grown.
  private var ready: Int?
  private let source: PictureSource<Int16>
  private let store: Store
  private let kernels: fg_row_kernels
  private let room: UnsafeMutablePointer<Int16>
  private let current: CurrentRun
  private var run = 0

  init?(
    _ layer: MaskedEnding.Layer, _ store: Store, _ strip: RowStrip<Int16>, _ output: OutputRows
  ) {
    self.store = store
    kernels = strip.tools.kernels
    current = strip.tools.current
    room = strip.tools.scratch(output.rect.width * 4)
    guard let growth = layer.growth else {
      guard let rows = strip.pictures[layer.slot] else { return nil }
      source = strip.source(Source(slot: layer.slot), of: rows)
      grown = nil
      return
    }
    guard let step = strip.plan.step(making: layer.slot),
      let rows = strip.pictures[step.sources[0].slot]
    else { return nil }
    source = strip.source(step.sources[0], of: rows)
    let columns = strip.plan.slots[layer.slot].domain.columns
    guard let grown = GrownRows(growth, source, columns, store, strip.tools) else { return nil }
    self.grown = grown
  }

  private func combined(_ grown: GrownRows, _ y: Int) -> GrownRows {
    if ready != y || run != current.number { grown.combine(y) }
    (ready, run) = (y, current.number)
    return grown
  }

  /// Stores some columns of a row.
  func store(_ part: Range<Int>, _ y: Int, _ target: UnsafeMutableRawPointer) {
    guard let grown else {
      return store.store(source.row(y) + source.offset(of: part), target, part.count, kernels)
    }
    combined(grown, y).store(part, target.assumingMemoryBound(to: UInt8.self))
  }

  /// Gives some columns of a row.
  func pixels(_ part: Range<Int>, _ y: Int) -> UnsafePointer<Int16> {
    guard let grown else { return source.row(y) + source.offset(of: part) }
    combined(grown, y).grow(part, room)
    return UnsafePointer(room)
  }
}
