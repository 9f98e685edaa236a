internal import CKernels
internal import FrostglassCore

// Pixels of 8 bits with straight alpha. Most are opaque, and take the path of pixels
// without alpha.
extension Resample {
  /// Halves both axes of rows of straight alpha. Where all four rows are opaque, they are halved as they are;
  /// that rounds nowhere, and neither does halving what is loaded of them.
  func fastHalving(
    straight input: InputRows, _ source: Source, _ domain: Rect, into target: ImageRows<Int16>,
    _ tools: RowTools
  ) -> RowProgram {
    let reach = ColumnReach(
      x.sourceRange(for: target.domain.columns), of: domain.columns, edge: source.x)
    let (kernels, width) = (tools.kernels, domain.width)
    let sums: UnsafeMutablePointer<UInt16> = tools.memory.take(reach.width * 4 + 2 * Int(FG_SLACK))
    let sum: UnsafeMutablePointer<Int16> = tools.scratch(reach.width * 4)
    let nothing: UnsafeMutablePointer<Int16> = tools.scratch(width * 4, of: .transparent)
    let bytes: UnsafeMutablePointer<UnsafePointer<UInt8>> = tools.memory.take(4)
    let loaded: UnsafeMutablePointer<UnsafePointer<Int16>> = tools.memory.take(4)
    let ring = (0..<4).map { _ in tools.scratch(width * 4) as UnsafeMutablePointer<Int16> }
    let isOpaque: UnsafeMutablePointer<Bool> = tools.memory.take(4)
    var (looked, held) = (HeldRows(4, tools.current), HeldRows(4, tools.current))

    /// A row as it is; `nil` where nothing is.
    func row(_ y: Int) -> UnsafePointer<UInt8>? {
      (source.y.map { $0.mode.resolve(y, in: $0.range) } ?? y).map {
        input.row($0).assumingMemoryBound(to: UInt8.self) + domain.x * 4
      }
    }
    /// Returns true if four rows are opaque, and puts them into `bytes`.
    func areOpaque(from top: Int) -> Bool {
      var all = true
      for y in top..<top + 4 {
        let (place, isNew) = looked.take(y)
        let there = row(y)
        if isNew { isOpaque[place] = there.map { kernels.is_opaque8($0, width) != 0 } ?? false }
        if let there { bytes[y - top] = there }
        all = all && isOpaque[place]
      }
      return all
    }
    return { rows in
      looked.begin()
      held.begin()
      for y in rows {
        let top = self.y.start(of: y).source
        if areOpaque(from: top) {
          kernels.halve_rows8(bytes, sums + reach.presentOffset * 4, width * 4)
          reach.fillOutside(sums, channels: 4, transparent: 0)
          kernels.halve_sums(sums + reach.wantedOffset * 4, target.row(y), target.domain.width)
          continue
        }
        for source in top..<top + 4 {
          guard let there = row(source) else {
            loaded[source - top] = UnsafePointer(nothing)
            continue
          }
          let (place, isNew) = held.take(source)
          if isNew { kernels.load8_straight(there, ring[place], width) }
          loaded[source - top] = UnsafePointer(ring[place])
        }
        kernels.halve_rows(loaded, sum + reach.presentOffset * 4, width * 4)
        reach.fillOutside(sum, channels: 4, transparent: .transparent)
        kernels.halve_columns(sum + reach.wantedOffset * 4, target.row(y), target.domain.width)
      }
    }
  }

  /// Grows rows to 8 bits and straight alpha: where all that a pixel is grown from is opaque, without what is
  /// divided by alpha on the way.
  func fastStoring(
    straight source: ImageSource<Int16>, _ store: Store, into output: OutputRows,
    _ tools: RowTools
  ) -> RowProgram {
    let columns = output.rect.columns
    guard let grown = GrownRows(self, source, columns, store, tools) else { return { _ in } }
    let pixels: UnsafeMutablePointer<Int16> = tools.scratch(columns.count * 4)
    return { rows in
      for y in rows {
        grown.combine(y)
        let target = output.row(y).assumingMemoryBound(to: UInt8.self)
        var x = columns.lowerBound
        while x < columns.upperBound {
          let (end, isFull) = grown.run(of: x..<columns.upperBound)
          let place = target + (x - columns.lowerBound) * 4
          if isFull {
            grown.store(x..<end, place)
          } else {
            grown.grow(x..<end, pixels)
            tools.kernels.store8_straight(pixels, place, end - x)
          }
          x = end
        }
      }
    }
  }
}

// An image that is weighted by a mask and then halved: where the mask covers all, what is halved are
// the input's 8-bit rows, and where it covers nothing, there is nothing. The bytes are the same, as
// halving 8-bit samples once rounds nowhere.

/// The parts in which an image is weighted that is only read to be halved.
struct WeightedParts {
  /// The input, and how it is loaded.
  let load: Load
  private let shown: ShownLayers
  private let count: Int
  private let edges: (x: AxisEdge?, y: AxisEdge?)
  private let all: UInt64
  /// Blocks that are seen again beyond the image's sides; those of one side count alike.
  private let outer: [UInt64]

  /// - Parameters:
  ///   - domain: of the image that is weighted.
  ///   - source: the edges with which it is read when it is halved.
  ///   - reach: columns that are read beyond it, on either side.
  init(_ load: Load, _ coverage: Coverage, _ domain: Rect, _ source: Source, reach: Int) {
    self.load = load
    shown = ShownLayers(coverage, domain)
    count = shown.count
    edges = (source.x, source.y)
    all = UInt64.max >> UInt64(64 - count)
    let side = UInt64(min(count, reach / shown.width + 2))
    let low = UInt64.max >> (64 - side)
    outer = reach > 0 ? [low & all, low << (UInt64(count) - side) & all] : []
  }

  /// Blocks that have pixels with a weight of less than 1, and of more than 0, those beside them
  /// among them.
  private func weights(_ rows: Range<Int>, seesNothing: Bool) -> (less: UInt64, more: UInt64) {
    func spread(_ blocks: UInt64) -> UInt64 {
      var blocks = (blocks | blocks << 1 | blocks >> 1) & all
      for side in outer where blocks & side != 0 { blocks |= side }
      return blocks
    }
    let less = seesNothing ? all : shown.blocks(-1, in: rows)
    return (spread(less), spread(shown.blocks(0, in: rows)))
  }

  /// For the source rows of a target row: blocks whose weights are neither all 1 nor all 0,
  /// and blocks whose weights are all 0.
  func blocks(of four: Range<Int>) -> (mixed: UInt64, nothing: UInt64) {
    let rows = four.compactMap { row in edges.y.map { $0.mode.resolve(row, in: $0.range) } ?? row }
    guard let first = rows.min(), let last = rows.max() else { return (0, all) }
    let (less, more) = weights(first..<last + 1, seesNothing: rows.count < four.count)
    return (less & more, ~more & all)
  }

  /// Blocks of a row that are weighted, for any row that is made of it.
  func weighted(_ y: Int) -> UInt64 {
    let rows = y - Self.near..<y + Self.near + 1
    let seesNothing = edges.y.map { edge in
      edge.mode == .transparent
        && !(edge.range.contains(rows.lowerBound) && edge.range.contains(rows.upperBound - 1))
    }
    let (less, more) = weights(rows, seesNothing: seesNothing ?? false)
    let mixed = less & more
    return (mixed | mixed << 1 | mixed >> 1) & all
  }

  /// No row is made of two that are farther apart.
  private static let near = 8

  /// Returns the places of blocks in the image, or in a smaller one.
  func places(factor: Int) -> BlockPlaces {
    BlockPlaces(left: shown.left, width: shown.width, count: count, factor: factor)
  }
}

extension Resample {
  /// Halves both axes of an image that is there where it is weighted, and elsewhere of the input.
  func fastHalving(
    _ input: InputRows, _ weighted: ImageSource<Int16>, _ parts: WeightedParts,
    into target: ImageRows<Int16>, _ tools: RowTools
  ) -> RowProgram {
    let rows = WeightedHalving(self, input, weighted, parts, target, tools)
    return { wanted in for y in wanted { rows.make(y) } }
  }
}

/// Rows of such an image.
private final class WeightedHalving {
  private let resample: Resample
  private let input: InputRows
  private let weighted: ImageSource<Int16>
  private let parts: WeightedParts
  private let target: ImageRows<Int16>
  private let kernels: fgk_row_kernels
  private let reach: ColumnReach
  private let columns: Range<Int>
  private let channels: Int
  private let places: BlockPlaces
  /// Sums of the input's rows, and means of the weighted ones, with what lies beyond their columns.
  private let sums: UnsafeMutablePointer<UInt16>
  private let means: UnsafeMutablePointer<Int16>
  private let bytes: UnsafeMutablePointer<UnsafePointer<UInt8>>
  private let samples: UnsafeMutablePointer<UnsafePointer<Int16>>
  private let nothing: UnsafeMutablePointer<UInt8>
  private var runs: [(columns: Range<Int>, kind: Kind)] = []

  private enum Kind { case input, weighted, nothing }

  init(
    _ resample: Resample, _ input: InputRows, _ weighted: ImageSource<Int16>,
    _ parts: WeightedParts, _ target: ImageRows<Int16>, _ tools: RowTools
  ) {
    self.resample = resample
    self.input = input
    self.weighted = weighted
    self.parts = parts
    self.target = target
    kernels = tools.kernels
    columns = weighted.rows.domain.columns
    channels = input.format.layout.channels
    reach = weighted.columns(resample.x.sourceRange(for: target.domain.columns))
    places = parts.places(factor: 2)
    sums = tools.memory.take(reach.width * channels + 2 * Int(FG_SLACK))
    means = tools.scratch(reach.width * 4)
    bytes = tools.memory.take(4)
    samples = tools.memory.take(4)
    nothing = tools.memory.take(columns.count * channels, of: 0)
    runs.reserveCapacity(places.count)
  }

  func make(_ y: Int) {
    let top = resample.y.start(of: y).source
    classify(top..<top + 4)
    var kinds: (input: Bool, weighted: Bool) = (false, false)
    for run in runs where run.kind != .nothing {
      let read = resample.x.sourceRange(for: run.columns).clamped(to: columns)
      guard !read.isEmpty else { continue }
      switch run.kind {
      case .input:
        if !kinds.input { findBytes(top) }
        kinds.input = true
        halveBytes(read)
      default:
        kinds.weighted = true
        halveSamples(read, top)
      }
    }
    if kinds.input { reach.fillOutside(sums, channels: channels, transparent: 0) }
    if kinds.weighted { reach.fillOutside(means, channels: 4, transparent: .transparent) }
    for run in runs { halveColumns(run.columns, run.kind, target.row(y)) }
  }

  /// Finds the stretches of a target's row that are made alike.
  private func classify(_ rows: Range<Int>) {
    runs.removeAll(keepingCapacity: true)
    let (mixed, nothing) = parts.blocks(of: rows)
    func kind(_ block: Int) -> Kind {
      mixed >> UInt64(block) & 1 != 0
        ? .weighted : nothing >> UInt64(block) & 1 != 0 ? .nothing : .input
    }
    var block = 0
    while block < places.count {
      let (first, here) = (block, kind(block))
      repeat { block += 1 } while block < places.count && kind(block) == here
      let part = places.columns(first..<block, of: target.domain.columns)
      if !part.isEmpty { runs.append((part, here)) }
    }
  }

  private func findBytes(_ top: Int) {
    let first = columns.lowerBound * channels
    for place in 0..<4 {
      let row = weighted.source.y.map { $0.mode.resolve(top + place, in: $0.range) } ?? top + place
      bytes[place] =
        row.map { input.row($0).assumingMemoryBound(to: UInt8.self) + first }
        ?? UnsafePointer(nothing)
    }
  }

  private func halveBytes(_ read: Range<Int>) {
    let offset = (read.lowerBound - columns.lowerBound) * channels
    withUnsafeTemporaryAllocation(of: UnsafePointer<UInt8>.self, capacity: 4) { four in
      for place in 0..<4 { four.initializeElement(at: place, to: bytes[place] + offset) }
      guard let four = four.baseAddress else { return }
      kernels.halve_rows8(
        four, sums + reach.presentOffset * channels + offset, read.count * channels)
    }
  }

  private func halveSamples(_ read: Range<Int>, _ top: Int) {
    let offset = (read.lowerBound - columns.lowerBound) * 4
    for place in 0..<4 { samples[place] = weighted.row(top + place) + offset }
    kernels.halve_rows(samples, means + reach.presentOffset * 4 + offset, read.count * 4)
  }

  private func halveColumns(_ part: Range<Int>, _ kind: Kind, _ row: UnsafeMutablePointer<Int16>) {
    let result = row + (part.lowerBound - target.domain.x) * 4
    let first = resample.x.sourceRange(for: part).lowerBound - reach.wanted.lowerBound
    let pixel = reach.wantedOffset + first
    switch kind {
    case .nothing: result.update(repeating: .transparent, count: part.count * 4)
    case .weighted: kernels.halve_columns(means + pixel * 4, result, part.count)
    case .input:
      let halve = channels == 3 ? kernels.halve_sums_rgb : kernels.halve_sums
      halve(sums + pixel * channels, result, part.count)
    }
  }
}
