internal import FrostglassCore

extension Stencil {
  /// The taps of whole rows at once.
  func fast<Sample: RowSample>(
    _ source: PictureSource<Sample>, into target: PictureRows<Sample>, _ tools: RowTools
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
  private let source: PictureSource<Sample>
  private let target: PictureRows<Sample>
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
    _ stencil: Stencil, _ source: PictureSource<Sample>, _ target: PictureRows<Sample>,
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

/// Where the columns of a stencil's rows are when those of each place in a period lie together.
struct StencilPlanes {
  /// Periods that a row of the target touches.
  let periods: Int
  let stride: Int
  let channels: Int
  /// How many columns an extended source row has.
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

  /// Where a source row is read for the first period.
  func source(_ dx: Int) -> Int {
    let plane = floorModulo(dx, stride)
    let index = firstPeriod + floorDivide(dx, stride) - floorDivide(firstColumn, stride)
    return plane * sourcePlane + index * channels
  }

  /// Where a column of an extended source row belongs.
  func place(ofColumn column: Int) -> Int {
    let absolute = firstColumn + column
    let index = floorDivide(absolute, stride) - floorDivide(firstColumn, stride)
    return floorModulo(absolute, stride) * sourcePlane + index * channels
  }

  /// Columns of the first period that lie before the target's.
  var lead: Int { columns.lowerBound - firstPeriod * phases }

  /// Where the sums of a phase begin.
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
