internal import CKernels
internal import FrostglassCore

extension Stencil {
  /// The taps of whole rows at once.
  func fast<Sample: RowSample>(
    _ source: ImageSource<Sample>, into target: ImageRows<Sample>, _ tools: RowTools
  ) -> RowProgram {
    let rows = StencilRows(self, source, target, tools)
    return { wanted in
      rows.begin()
      for y in wanted { rows.make(y) }
    }
  }
}

/// Rows of a stencil's source as floats with all columns that are read, and the sums of its taps.
///
/// Columns are kept apart by their place in a period, those of the source and those of the target,
/// so that every tap is one stretch of samples times a weight, added to another.
private final class StencilRows<Sample: RowSample> {
  /// A tap, and where the first period of a row is read and added.
  private struct Tap {
    var source: Int
    var target: Int
    var weight: Float
  }

  private let stencil: Stencil
  private let source: ImageSource<Sample>
  private let target: ImageRows<Sample>
  private let channels: Int
  /// For each phase of rows, its taps by row.
  private let rows: [[(dy: Int, taps: [Tap])]]
  private let reach: ColumnReach
  private let planes: StencilPlanes
  /// Rows that were converted: row y is at y modulo their number.
  private let ring: UnsafeMutablePointer<Float>
  private var held: HeldRows
  private let extended: UnsafeMutablePointer<Float>
  private let sums: UnsafeMutablePointer<Float>
  private let result: UnsafeMutablePointer<Float>

  /// Converted rows that are kept, at most: stencils that reach farther convert them anew.
  private static var most: Int { 96 }
  /// Sums that are formed at once: few enough to stay in the nearest cache.
  private static var block: Int { 2048 }

  init(
    _ stencil: Stencil, _ source: ImageSource<Sample>, _ target: ImageRows<Sample>,
    _ tools: RowTools
  ) {
    self.stencil = stencil
    self.source = source
    self.target = target
    let channels = source.rows.layout.channels
    let reach = source.columns(stencil.sourceRect(for: target.domain).columns)
    let planes = StencilPlanes(stencil, reach, target.domain.columns, channels: channels)
    rows = (0..<stencil.phases).map { py in
      let taps = (0..<stencil.phases).flatMap { px in
        stencil.taps[px + stencil.phases * py].map { tap in
          let made = Tap(
            source: planes.source(tap.dx), target: planes.target(px), weight: tap.weight)
          return (dy: tap.dy, tap: made)
        }
      }
      return Dictionary(grouping: taps, by: \.dy).sorted { $0.key < $1.key }.map { dy, taps in
        (dy, taps.map(\.tap))
      }
    }
    self.channels = channels
    self.reach = reach
    self.planes = planes
    let offsets = rows.joined().map(\.dy)
    let span = (offsets.max() ?? 0) - (offsets.min() ?? 0) + 1
    held = HeldRows(span <= Self.most ? span : 1, tools.current)
    ring = tools.memory.take(planes.sourceLength * held.count)
    extended = tools.memory.take(reach.width * channels)
    sums = tools.memory.take(planes.targetLength)
    result = tools.memory.take(target.domain.width * channels)
  }

  /// Goes on to more rows, perhaps of another run.
  func begin() { held.begin() }

  /// Makes one row of the target.
  ///
  /// Every sum is formed in the order of the taps, as the reference does.
  func make(_ y: Int) {
    sums.update(repeating: 0, count: planes.targetLength)
    let period = floorDivide(y, stencil.phases)
    let rows = rows[y - period * stencil.phases]
    let first = period * stencil.stride
    let count = planes.periods * channels
    if held.count == 1 {
      for (dy, taps) in rows { add(taps, of: converted(first + dy), 0..<count) }
    } else {
      let sources = rows.map { converted(first + $0.dy) }
      for start in stride(from: 0, to: count, by: Self.block) {
        let block = start..<min(start + Self.block, count)
        for (source, row) in zip(sources, rows) { add(row.taps, of: source, block) }
      }
    }
    let made = planes.joined(sums, into: result)
    let length = target.domain.width * channels
    Sample.take(
      UnsafeBufferPointer(start: made, count: length), target.layout, into: target.row(y))
  }

  private func add(_ taps: [Tap], of row: UnsafePointer<Float>, _ block: Range<Int>) {
    for tap in taps {
      let source = row + tap.source + block.lowerBound
      let target = sums + tap.target + block.lowerBound
      let weight = tap.weight
      for index in 0..<block.count { target[index] += weight * source[index] }
    }
  }

  /// A source row as floats, with what lies beyond its columns.
  private func converted(_ y: Int) -> UnsafePointer<Float> {
    let (place, isNew) = held.take(y)
    let row = ring + place * planes.sourceLength
    if isNew {
      let whole = stencil.stride == 1 ? row : extended
      let present = UnsafeMutableBufferPointer(
        start: whole + reach.presentOffset * channels, count: reach.present.count * channels)
      Sample.give(source.row(y), source.rows.layout, into: present)
      reach.fillOutside(whole, channels: channels, transparent: 0)
      if stencil.stride > 1 { planes.split(extended, into: row) }
    }
    return UnsafePointer(row)
  }
}

/// The layout of a stencil's rows in which columns at the same place of a period lie together.
struct StencilPlanes {
  /// Periods that a row of the target touches.
  let periods: Int
  let stride: Int
  let channels: Int
  /// The number of columns in an extended source row.
  let width: Int
  private let phases: Int
  private let firstPeriod: Int
  /// The first column of an extended source row.
  private let firstColumn: Int
  private let columns: Range<Int>

  init(_ stencil: Stencil, _ reach: ColumnReach, _ columns: Range<Int>, channels: Int) {
    stride = stencil.stride
    phases = stencil.phases
    self.channels = channels
    self.columns = columns
    firstPeriod = floorDivide(columns.lowerBound, phases)
    periods = floorDivide(columns.upperBound - 1, phases) - firstPeriod + 1
    firstColumn = reach.wanted.lowerBound - reach.wantedOffset
    width = reach.width
  }

  /// Samples of a source row.
  var sourceLength: Int { stride * sourcePlane }
  /// Samples of a target row.
  var targetLength: Int { phases * periods * channels }

  private var sourcePlane: Int {
    (floorDivide(firstColumn + width - 1, stride) - floorDivide(firstColumn, stride) + 1) * channels
  }

  /// Returns the offset at which a source row is read for the first period.
  func source(_ dx: Int) -> Int {
    let plane = floorModulo(dx, stride)
    let index = firstPeriod + floorDivide(dx, stride) - floorDivide(firstColumn, stride)
    return plane * sourcePlane + index * channels
  }

  /// Returns the offset of a column of an extended source row.
  func place(ofColumn column: Int) -> Int {
    let absolute = firstColumn + column
    let index = floorDivide(absolute, stride) - floorDivide(firstColumn, stride)
    return floorModulo(absolute, stride) * sourcePlane + index * channels
  }

  /// Columns of the first period that lie before the target's.
  var lead: Int { columns.lowerBound - firstPeriod * phases }

  /// Returns the offset of a phase's sums.
  func target(_ phase: Int) -> Int { phase * periods * channels }

  /// Puts the columns of an extended row where they belong.
  func split(_ row: UnsafePointer<Float>, into planes: UnsafeMutablePointer<Float>) {
    for column in 0..<width {
      let place = place(ofColumn: column)
      for channel in 0..<channels { planes[place + channel] = row[column * channels + channel] }
    }
  }

  /// The sums column by column: as they are where there is one phase.
  func joined(
    _ sums: UnsafeMutablePointer<Float>, into result: UnsafeMutablePointer<Float>
  ) -> UnsafeMutablePointer<Float> {
    guard phases > 1 else { return sums }
    for (column, x) in columns.enumerated() {
      let period = floorDivide(x, phases)
      let place = target(x - period * phases) + (period - firstPeriod) * channels
      for channel in 0..<channels { result[column * channels + channel] = sums[place + channel] }
    }
    return result
  }
}

// Dual Kawase's patterns on pixels: halving that reads 8-bit rows itself, and growing of two rows at a time,
// straight to 8-bit rows where these are what is wanted.
extension Stencil {
  /// True if this is dual Kawase's halving.
  var isDualHalving: Bool { form == .dualHalving }

  /// Returns true if `store` can take this stencil's rows before they are rounded to fixed point.
  func isFastStoring(_ store: Store) -> Bool {
    form == .dualGrowing && store.format == .rgba8 && store.alpha != .straight
      && store.background == nil && store.bits == nil
  }

  /// Halving or growing of pixels; `nil` for any other stencil.
  func fastDual(
    _ source: ImageSource<Int16>, into target: ImageRows<Int16>, _ tools: RowTools
  ) -> RowProgram? {
    guard target.channels == 4 else { return nil }
    if form == .dualGrowing {
      return DualGrowth(source, target.domain.columns, tools).program(into: target)
    }
    guard isDualHalving else { return nil }
    let columns = sourceRect(for: target.domain).columns
    let read = SeveralRows(source, columns, count: rows.count, tools)
    let four: UnsafeMutablePointer<UnsafePointer<Int16>> = tools.memory.take(rows.count)
    return { wanted in
      read.begin()
      for y in wanted {
        for place in 0..<rows.count { four[place] = read.row(2 * y + rows.lowerBound + place) }
        tools.kernels.halve_dual(four, target.row(y), target.domain.width)
      }
    }
  }

  /// Halving of 8-bit rows that need no arithmetic of their own, rounding nowhere.
  ///
  /// - Parameter source: the rows that loading them would make.
  func fastHalving(
    _ input: InputRows, _ source: ImageSource<Int16>, into target: ImageRows<Int16>,
    _ tools: RowTools
  ) -> RowProgram {
    let (columns, present) = (target.domain.columns, source.rows.domain.columns)
    let inner = columns.filter {
      2 * $0 - 1 >= present.lowerBound && 2 * $0 + 2 < present.upperBound
    }
    let (low, high) = (inner.first ?? columns.upperBound, inner.last.map { $0 + 1 })
    let left = DualEnd(columns.lowerBound..<low, present, source.source.x, tools)
    let right = DualEnd((high ?? low)..<columns.upperBound, present, source.source.x, tools)
    let nothing: UnsafeMutablePointer<UInt8> = tools.memory.take(4 * present.upperBound, of: 0)
    let four: UnsafeMutablePointer<UnsafePointer<UInt8>> = tools.memory.take(4)
    let kernels = tools.kernels
    return { rows in
      for y in rows {
        for place in 0..<4 {
          let row = source.rowStandingFor(2 * y - 1 + place)
          four[place] =
            row.map { input.row($0).assumingMemoryBound(to: UInt8.self) } ?? UnsafePointer(nothing)
        }
        let made = target.row(y) - 4 * columns.lowerBound
        left.gather(four)
        right.gather(four)
        // Kernels write somewhat more than they are asked for, so from left to right.
        left.halve(into: made, kernels)
        if let high {
          for place in 0..<4 { four[place] += 4 * (2 * low - 1) }
          kernels.halve_dual8(four, made + 4 * low, high - low)
        }
        right.halve(into: made, kernels)
      }
    }
  }
}

/// Columns of a halved image that are made of what lies beyond the edge, too.
private struct DualEnd {
  private let columns: Range<Int>
  /// The columns that are read; -1 where nothing is.
  private let read: [Int]
  private let rows: [UnsafeMutablePointer<UInt32>]
  private let four: UnsafeMutablePointer<UnsafePointer<UInt8>>

  init(_ columns: Range<Int>, _ present: Range<Int>, _ edge: AxisEdge?, _ tools: RowTools) {
    self.columns = columns
    let wanted = columns.isEmpty ? 0..<0 : 2 * columns.lowerBound - 1..<2 * columns.upperBound + 1
    read = wanted.map { column in
      if present.contains(column) { return column }
      let standsFor = edge.flatMap { $0.mode.resolve(column, in: $0.range) }
      precondition(
        standsFor.map { present.contains($0) } ?? true, "a column is read that is not there")
      return standsFor ?? -1
    }
    let count = read.count
    rows = (0..<4).map { _ in tools.memory.take(count) }
    four = tools.memory.take(
      copying: rows.map {
        UnsafePointer(UnsafeMutableRawPointer($0).assumingMemoryBound(to: UInt8.self))
      })
  }

  /// Takes what is read of four rows.
  func gather(_ sources: UnsafePointer<UnsafePointer<UInt8>>) {
    for place in 0..<4 {
      let (pixels, row) = (UnsafeRawPointer(sources[place]), rows[place])
      for (index, column) in read.enumerated() {
        row[index] =
          column < 0 ? 0 : pixels.loadUnaligned(fromByteOffset: 4 * column, as: UInt32.self)
      }
    }
  }

  /// - Parameter row: the place of column 0, which need not exist.
  func halve(into row: UnsafeMutablePointer<Int16>, _ kernels: fgk_row_kernels) {
    if !columns.isEmpty { kernels.halve_dual8(four, row + 4 * columns.lowerBound, columns.count) }
  }
}

/// Dual Kawase's growing, two rows from what is read once.
struct DualGrowth {
  private let rows: SeveralRows
  private let five: UnsafeMutablePointer<UnsafePointer<Int16>>
  /// The offset of the first period's first column in rows that are read, in samples.
  private let offset: Int
  private let periods: Int
  /// Columns of the first period before the first one that is wanted.
  private let lead: Int
  private let columns: Range<Int>
  private let tools: RowTools

  init(_ source: ImageSource<Int16>, _ columns: Range<Int>, _ tools: RowTools) {
    let growing = KawaseDesign.growing
    let wanted = growing.sourceRect(for: Rect(columns: columns, rows: 0..<1)).columns
    let first = floorDivide(columns.lowerBound, 2)
    rows = SeveralRows(source, wanted, count: 5, tools)
    five = tools.memory.take(5)
    offset = 4 * (first - 2 - wanted.lowerBound)
    periods = floorDivide(columns.upperBound - 1, 2) - first + 1
    lead = columns.lowerBound - 2 * first
    self.columns = columns
    self.tools = tools
  }

  /// Makes rows of fixed point; up to a pixel before them, and vectors after them, are written.
  func program(into target: ImageRows<Int16>) -> RowProgram {
    let unread: UnsafeMutablePointer<Int16> = tools.scratch(8 * periods)
    let two: UnsafeMutablePointer<UnsafeMutablePointer<Int16>> = tools.memory.take(2)
    return { wanted in
      forEachPair(of: wanted) { upper, lower in
        two[0] = upper.map { target.row($0) - 4 * lead } ?? unread
        two[1] = lower.map { target.row($0) - 4 * lead } ?? unread
        tools.kernels.grow_dual(five, two, periods)
      }
    }
  }

  /// Makes rows of 8 bits.
  func storing(into output: OutputRows) -> RowProgram {
    let unread: UnsafeMutablePointer<UInt8> = tools.memory.take(4 * columns.count)
    let two: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>> = tools.memory.take(2)
    return { wanted in
      forEachPair(of: wanted) { upper, lower in
        two[0] = upper.map { output.row($0).assumingMemoryBound(to: UInt8.self) } ?? unread
        two[1] = lower.map { output.row($0).assumingMemoryBound(to: UInt8.self) } ?? unread
        tools.kernels.grow_dual_store8(five, lead, two, columns.count)
      }
    }
  }

  /// Goes through rows by periods, with what is read for both rows of one; `nil` for one that is not wanted.
  private func forEachPair(of wanted: Range<Int>, _ body: (Int?, Int?) -> Void) {
    rows.begin()
    var y = wanted.lowerBound
    while y < wanted.upperBound {
      let period = floorDivide(y, 2)
      let upper = y == 2 * period ? y : nil
      let lower = 2 * period + 1 < wanted.upperBound ? 2 * period + 1 : nil
      // What only the other row is made of may not be there.
      let (first, last) = (upper == nil ? 1 : 0, lower == nil ? 3 : 4)
      for place in 0..<5 {
        five[place] = rows.row(period - 2 + min(max(place, first), last)) + offset
      }
      body(upper, lower)
      y = 2 * period + 2
    }
  }
}

/// Rows of a source with all columns that a step reads, several of them at once.
private final class SeveralRows {
  private let rows: [ExtendedRows<Int16>]
  private var copies: [UnsafePointer<Int16>?]
  private var held: HeldRows

  init(_ source: ImageSource<Int16>, _ columns: Range<Int>, count: Int, _ tools: RowTools) {
    rows = (0..<count).map { _ in source.extended(columns, tools) }
    copies = [UnsafePointer<Int16>?](repeating: nil, count: count)
    held = HeldRows(count, tools.current)
  }

  /// Goes on to more rows, perhaps of another run.
  func begin() { held.begin() }

  /// The first wanted column of a row.
  func row(_ y: Int) -> UnsafePointer<Int16> {
    let (place, isNew) = held.take(y)
    // Where rows are not copied, other steps may have written into the room around them.
    if !isNew, rows[place].isCopy, let copy = copies[place] { return copy }
    let row = rows[place].row(y)
    copies[place] = row
    return row
  }
}
