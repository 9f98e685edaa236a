internal import CKernels
internal import FrostglassCore

extension Convolve {
  /// True if fixed point computes the taps exactly, or sums up each of the boxes.
  var hasFixedKernel: Bool {
    switch kernel {
    case .taps: fixedTaps != nil
    case .box(let box): BoxPower(width: box.width, order: box.leastOrder).fitsSums
    }
  }

  /// The taps in 1/65536, the first half of the center's; an even number, nearest first.
  private var fixedTaps: [Int16]? {
    var fixed: [Int16] = []
    for (distance, tap) in taps.enumerated() {
      let scaled = tap * (distance == 0 ? 32768 : 65536)
      guard scaled == scaled.rounded(), abs(scaled) < 32768 else { return nil }
      fixed.append(Int16(scaled))
    }
    guard fixed.reduce(0, { $0 + Int($1) }) == 32768 else { return nil }
    if fixed.count % 2 == 1 { fixed.append(0) }
    return fixed
  }

  /// `out[i] = t0 in[i] + Σ tk (in[i - k] + in[i + k])`, each sum exact and rounded once.
  ///
  /// - Parameters:
  ///   - blocks: the parts of rows that are computed; `nil` is all.
  ///   - ending: takes parts of rows instead of the target, of filters along columns.
  func fast(
    _ source: ImageSource<Int16>, into target: ImageRows<Int16>, _ tools: RowTools,
    _ blocks: ColumnBlocks? = nil, ending: TapPairs<Int16>.Ending? = nil
  ) -> RowProgram {
    if let boxes { return sum(boxes, source, into: target, tools) }
    guard let fixedTaps else { return { _ in } }
    let pairs = TapPairs(
      source: source, target: target, count: fixedTaps.count, radius: radius, blocks: blocks)
    // Where kernels read them: to hand an array on takes as long as a few samples, each time.
    let count = fixedTaps.count
    let taps = tools.memory.take(copying: fixedTaps)
    let kernels = tools.kernels
    let kernel: TapPairs<Int16>.Kernel = { pairs, row, samples in
      kernels.convolve(pairs, taps, count, row, samples)
    }
    guard axis == .y else { return pairs.alongRows(tools, kernel) }
    return pairs.alongColumns(tools, ending: ending, kernel) { pairs, row, next, samples in
      kernels.convolve_two(pairs, taps, count, row, next, samples)
    }
  }
}

extension Convolve {
  /// `out[i] = t0 in[i] + Σ tk (in[i - k] + in[i + k])`, outermost pair first.
  func fast(
    _ source: ImageSource<Float>, into target: ImageRows<Float>, _ tools: RowTools
  ) -> RowProgram {
    let taps = taps
    let pairs = TapPairs(
      source: source, target: target, count: taps.count, radius: radius, blocks: nil)
    let kernel: TapPairs<Float>.Kernel = { pairs, row, samples in
      tools.kernels.float_convolve(pairs, taps, taps.count, row, samples)
    }
    return axis == .x ? pairs.alongRows(tools, kernel) : pairs.alongColumns(tools, kernel)
  }
}

/// Walks a symmetric filter along rows or columns: for each stretch of a target row, the pairs of
/// source samples at distance 0, 1, 2, … that belong together.
struct TapPairs<Sample: RowSample> {
  /// Computes samples of a target row from pairs of pointers, nearest first.
  typealias Kernel = (
    _ pairs: UnsafeMutablePointer<UnsafePointer<Sample>?>, _ target: UnsafeMutablePointer<Sample>,
    _ samples: Int
  ) -> Void

  /// The same for a row and the next: the pairs are those of rows before the one, and after the other.
  typealias KernelOfTwo = (
    _ pairs: UnsafeMutablePointer<UnsafePointer<Sample>?>, _ row: UnsafeMutablePointer<Sample>,
    _ next: UnsafeMutablePointer<Sample>, _ samples: Int
  ) -> Void

  /// The consumer of computed parts of rows, in samples.
  struct Ending {
    /// Is told before a part is computed: memory that is asked for then is there when the part is.
    let begin: (_ y: Int, _ part: Range<Int>) -> Void
    /// Takes a part.
    let finish: (_ y: Int, _ part: Range<Int>, _ samples: UnsafePointer<Sample>) -> Void
  }

  let source: ImageSource<Sample>
  let target: ImageRows<Sample>
  /// The number of pairs that the kernel takes; beyond the radius the last one is repeated.
  let count: Int
  let radius: Int
  /// The parts of rows that are computed; `nil` is all.
  let blocks: ColumnBlocks?

  /// Goes through the parts of a row of the target, in samples, from left to right: kernels write somewhat
  /// more than they are asked for.
  ///
  /// - Parameter shown: the blocks of the row, where not all are computed.
  @inline(__always)
  private func forEachPart(
    _ shown: UInt64, _ places: BlockPlaces?, _ body: (Range<Int>) -> Void
  ) {
    guard let places else { return body(0..<target.rowLength) }
    let (first, channels) = (target.domain.x, target.channels)
    places.forEach(shown, of: target.domain.columns) { columns in
      body((columns.lowerBound - first) * channels..<(columns.upperBound - first) * channels)
    }
  }

  /// Goes through the same parts in stretches of so many samples at most.
  @inline(__always)
  private func forEachStretch(
    of shown: UInt64, _ places: BlockPlaces?, _ width: Int, _ body: (Range<Int>) -> Void
  ) {
    forEachPart(shown, places) { part in
      for first in stride(from: part.lowerBound, to: part.upperBound, by: width) {
        body(first..<min(first + width, part.upperBound))
      }
    }
  }

  func alongRows(_ tools: RowTools, _ kernel: @escaping Kernel) -> RowProgram {
    let channels = target.channels
    let extended = source.extended(target.domain.columns.expanded(by: radius), tools)
    let pairs: UnsafeMutablePointer<UnsafePointer<Sample>?> = tools.memory.take(2 * count)
    let (places, table) = (blocks?.places, blocks?.table(in: tools.memory))
    return { rows in
      for y in rows {
        let center = extended.row(y) + radius * channels
        forEachPart(table?.blocks(y) ?? 0, places) { part in
          for index in 0..<count {
            let distance = min(index, radius) * channels
            pairs[2 * index] = center + part.lowerBound - distance
            pairs[2 * index + 1] = center + part.lowerBound + distance
          }
          kernel(pairs, target.row(y) + part.lowerBound, part.count)
        }
      }
    }
  }

  /// Some columns at a time, so that the rows which one row is computed from are still in the
  /// nearest cache for the next.
  ///
  /// - Parameters:
  ///   - ending: takes what is computed of some columns of a band; otherwise it goes to the target.
  ///   - two: computes two rows at once, which share what they read; `nil` where there is no such kernel.
  func alongColumns(
    _ tools: RowTools, ending: Ending? = nil, _ kernel: @escaping Kernel, two: KernelOfTwo? = nil
  ) -> RowProgram {
    let offset = source.offset(of: target.domain.columns)
    let pairs: UnsafeMutablePointer<UnsafePointer<Sample>?> = tools.memory.take(2 * count)
    let most = RowSchedule.rowsPerBand * (tools.workers?.count ?? 1)
    let sources: UnsafeMutablePointer<UnsafePointer<Sample>> = tools.memory.take(most + 2 * radius)
    let (places, table) = (blocks?.places, blocks?.table(in: tools.memory))
    let shown: UnsafeMutablePointer<UInt64> = tools.memory.take(most)
    let widest = Self.mostColumns(radius: radius)
    let parts: UnsafeMutablePointer<Sample>? =
      ending.map { _ in tools.memory.take(most * Self.room(widest)) }
    // Not unwrapped for each part of a row: references would be counted.
    let (canPair, pairing) = (two != nil, two ?? { _, _, _, _ in })
    return { rows in
      precondition(rows.count <= most, "more rows than a band has")
      var any: UInt64 = 0
      for (place, y) in rows.enumerated() {
        shown[place] = table?.blocks(y) ?? 0
        any |= shown[place]
      }
      if table != nil, any == 0 { return }
      let read = rows.expanded(by: radius)
      for (place, y) in read.enumerated() { sources[place] = source.row(y) + offset }
      let width = max(Self.cachedSamples / read.count & ~63, Self.fewestColumns)
      forEachStretch(of: any, places, width) { columns in
        let first = columns.lowerBound
        if let ending { for y in rows { ending.begin(y, columns) } }
        func made(_ y: Int) -> UnsafeMutablePointer<Sample> {
          parts.map { $0 + (y - rows.lowerBound) * Self.room(width) } ?? target.row(y) + first
        }
        /// Pairs of rows before one and after another.
        func pair(_ row: Int, _ other: Int, _ column: Int) {
          for index in 0..<count {
            let distance = min(index, radius)
            pairs[2 * index] = sources[row - read.lowerBound - distance] + column
            pairs[2 * index + 1] = sources[other - read.lowerBound + distance] + column
          }
        }
        var y = rows.lowerBound
        while y < rows.upperBound {
          let (blocks, next) = (shown[y - rows.lowerBound], y + 1)
          let areTwo =
            canPair && next < rows.upperBound && shown[next - rows.lowerBound] == blocks
          forEachPart(blocks, places) { part in
            let part = part.clamped(to: columns)
            guard !part.isEmpty else { return }
            let start = part.lowerBound - first
            if areTwo {
              pair(y, next, part.lowerBound)
              pairing(pairs, made(y) + start, made(next) + start, part.count)
            } else {
              pair(y, y, part.lowerBound)
              kernel(pairs, made(y) + start, part.count)
            }
          }
          y += areTwo ? 2 : 1
        }
        if let ending { for y in rows { ending.finish(y, columns, made(y)) } }
      }
    }
  }

  /// Samples of a row that are made at a time, of a band of one row.
  static func mostColumns(radius: Int) -> Int {
    max(cachedSamples / (1 + 2 * radius) & ~63, fewestColumns)
  }

  /// Kernels write somewhat more than they are asked for.
  private static func room(_ samples: Int) -> Int { samples + 128 }
  private static var fewestColumns: Int { 128 }

  /// Two thirds of a 32 KiB cache.
  private static var cachedSamples: Int { 22_000 / MemoryLayout<Sample>.stride }
}

// Filters at a plan's ends: along rows of the input that nothing else reads, which are loaded one by one,
// and along columns that are stored as they are. Their images would be of full size, and a band of each
// takes more than a cache has.
extension Convolve {
  /// The filter along rows that are loaded as they are read.
  ///
  /// - Parameter source: the rows that the load would make.
  func fast(
    _ load: Load, _ input: InputRows, _ source: ImageSource<Int16>,
    into target: ImageRows<Int16>, _ tools: RowTools
  ) -> RowProgram {
    let row = ImageRows<Int16>(
      domain: source.rows.domain, layout: source.rows.layout, capacity: 1, in: tools.memory)
    let loading = load.fast(input, into: row, tools)
    let read = ImageSource(rows: row, source: source.source, transparent: source.transparent)
    let convolving = fast(read, into: target, tools)
    return { rows in
      for y in rows {
        if let there = source.rowStandingFor(y) { loading(there..<there + 1) }
        convolving(y..<y + 1)
      }
    }
  }

  /// The filter along columns, some columns of a band stored at a time.
  ///
  /// - Parameter picture: the rows that would be stored.
  func fastStoring(
    _ source: ImageSource<Int16>, _ picture: ImageRows<Int16>, _ store: Store,
    into output: OutputRows, _ tools: RowTools
  ) -> RowProgram {
    let (channels, kernels) = (picture.channels, tools.kernels)
    let bytes = output.format.bytesPerPixel
    let ending = TapPairs<Int16>.Ending(
      begin: { y, part in
        fgk_expect_writes(
          output.row(y) + part.lowerBound / channels * bytes, part.count / channels * bytes)
      },
      finish: { y, part, samples in
        store.store(
          samples, output.row(y) + part.lowerBound / channels * bytes, part.count / channels,
          kernels)
      })
    return fast(source, into: picture, tools, ending: ending)
  }
}

extension Convolve {
  /// The boxes of the kernel, if running sums can form them.
  var boxes: BoxPower? {
    guard case .box(let boxes) = kernel, boxes.fitsSums else { return nil }
    return boxes
  }
}

extension BoxPower {
  /// True if sums of samples fit 32 bits, and kernels add up so many boxes at once.
  var fitsSums: Bool { 1...3 ~= order && width >= order && total * 0x1p14 < 0x1p31 }

  /// The factor of a sum.
  var scale: Float { Float(1 / total) }
}

// Boxes in fixed point: running sums, exact, each mean rounded once.
extension Convolve {
  /// Means along the axis.
  func sum(
    _ boxes: BoxPower, _ source: ImageSource<Int16>, into target: ImageRows<Int16>,
    _ tools: RowTools
  ) -> RowProgram {
    switch axis {
    case .x: sumAlongRows(boxes, source, target, tools)
    case .y:
      BoxColumns(boxes, source, target, tools).program
    }
  }

  /// Four rows at a time, as two pixels are a quarter of the widest vector.
  private func sumAlongRows(
    _ boxes: BoxPower, _ source: ImageSource<Int16>, _ target: ImageRows<Int16>,
    _ tools: RowTools
  ) -> RowProgram {
    let (width, order, scale) = (boxes.width, boxes.order, boxes.scale)
    let kernels = tools.kernels
    let columns = target.domain.columns
    let wanted = columns.expanded(by: radius)
    guard target.channels == 4 else {
      let extended = source.extended(wanted, tools)
      return { rows in
        for y in rows {
          kernels.sum_columns_gray(
            extended.row(y), width, order, scale, target.row(y), columns.count)
        }
      }
    }
    let extended = (0..<4).map { _ in source.extended(wanted, tools) }
    let sources: UnsafeMutablePointer<UnsafePointer<Int16>> = tools.memory.take(4)
    let targets: UnsafeMutablePointer<UnsafeMutablePointer<Int16>> = tools.memory.take(4)
    return { rows in
      for y in stride(from: rows.lowerBound, to: rows.upperBound, by: 4) {
        for place in 0..<4 {
          // Where there are fewer, the first is made again.
          let isThere = y + place < rows.upperBound
          sources[place] = isThere ? extended[place].row(y + place) : sources[0]
          targets[place] = isThere ? target.row(y + place) : targets[0]
        }
        kernels.sum_columns(sources, width, order, scale, targets, columns.count)
      }
    }
  }
}

/// Sums per column that go on from row to row.
private final class BoxColumns {
  private let boxes: BoxPower
  private let source: ImageSource<Int16>
  private let target: ImageRows<Int16>
  private let kernels: fgk_row_kernels
  private let offset: Int
  /// Rows that are made at once, at most.
  private let most: Int
  private let state: UnsafeMutablePointer<Int32>
  /// A row of samples that add nothing, and one that nobody reads.
  private let nothing: UnsafeMutablePointer<Int16>
  private let unread: UnsafeMutablePointer<Int16>
  /// For each row that is made, those that its sums take in, and the one that leaves them after it.
  private let rows: UnsafeMutablePointer<UnsafePointer<Int16>?>
  private let targets: UnsafeMutablePointer<UnsafeMutablePointer<Int16>?>
  /// The row that the sums are ready for.
  private var next: Int?

  init(
    _ boxes: BoxPower, _ source: ImageSource<Int16>, _ target: ImageRows<Int16>,
    _ tools: RowTools
  ) {
    self.boxes = boxes
    self.source = source
    self.target = target
    kernels = tools.kernels
    offset = source.offset(of: target.domain.columns)
    most = RowSchedule.rowsPerBand * (tools.workers?.count ?? 1)
    state = tools.memory.take(boxes.order * (target.rowLength + Int(FG_SLACK)))
    nothing = tools.scratch(target.rowLength, of: 0)
    unread = tools.scratch(target.rowLength)
    rows = tools.memory.take(most * (boxes.order + 1))
    targets = tools.memory.take(most)
  }

  var program: RowProgram { { self.make($0) } }

  private func make(_ wanted: Range<Int>) {
    precondition(wanted.count <= most, "more rows than a band has")
    if next != wanted.lowerBound { begin(wanted.lowerBound) }
    let radius = boxes.radius
    for (place, y) in wanted.enumerated() {
      take(place, ending: y + radius, from: y - radius)
      rows[place * (boxes.order + 1) + boxes.order] = source.row(y - radius) + offset
      targets[place] = target.row(y)
    }
    sum(wanted.count)
    next = wanted.upperBound
  }

  /// Takes in what the first row sees but for the last; what comes before counts as nothing.
  private func begin(_ y: Int) {
    state.update(repeating: 0, count: boxes.order * (target.rowLength + Int(FG_SLACK)))
    let radius = boxes.radius
    for start in stride(from: y - radius, to: y + radius, by: most) {
      let part = start..<min(start + most, y + radius)
      for (place, row) in part.enumerated() {
        take(place, ending: row, from: y - radius)
        rows[place * (boxes.order + 1) + boxes.order] = UnsafePointer(nothing)
        targets[place] = unread
      }
      sum(part.count)
    }
  }

  /// Notes what comes with a row.
  private func take(_ place: Int, ending row: Int, from first: Int) {
    for step in 0..<boxes.order {
      let y = row - step * boxes.width
      rows[place * (boxes.order + 1) + step] =
        y < first ? UnsafePointer(nothing) : source.row(y) + offset
    }
  }

  private func sum(_ count: Int) {
    kernels.sum_rows(
      state, boxes.order, rows, count, boxes.scale, targets, target.rowLength)
  }
}
