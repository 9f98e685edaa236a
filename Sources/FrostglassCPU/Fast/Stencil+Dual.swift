internal import CKernels
internal import FrostglassCore

// Dual Kawase's patterns on pixels: halving that reads 8-bit rows itself, and growing of two rows at a time,
// straight to 8-bit rows where these are what is wanted.
extension Stencil {
  /// Whether this is dual Kawase's halving.
  var isDualHalving: Bool { self == KawaseDesign.halving }

  /// Whether `store` can take rows of this before they are rounded to fixed point.
  func isFastStoring(_ store: Store) -> Bool {
    self == KawaseDesign.growing && store.format == .rgba8 && store.alpha != .straight
      && store.background == nil && store.bits == nil
  }

  /// Halving or growing of pixels; `nil` for any other stencil.
  func fastDual(
    _ source: PictureSource<Int16>, into target: PictureRows<Int16>, _ tools: RowTools
  ) -> RowProgram? {
    guard target.channels == 4 else { return nil }
    if self == KawaseDesign.growing {
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
  /// - Parameter source: what loading them would make.
  func fastHalving(
    _ input: InputRows, _ source: PictureSource<Int16>, into target: PictureRows<Int16>,
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

/// Columns of a halved picture that are made of what lies beyond the edge, too.
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

  /// - Parameter row: where column 0 would be.
  func halve(into row: UnsafeMutablePointer<Int16>, _ kernels: fg_row_kernels) {
    if !columns.isEmpty { kernels.halve_dual8(four, row + 4 * columns.lowerBound, columns.count) }
  }
}

/// Dual Kawase's growing, two rows from what is read once.
struct DualGrowth {
  private let rows: SeveralRows
  private let five: UnsafeMutablePointer<UnsafePointer<Int16>>
  /// Where the first period's first column is in rows that are read, in samples.
  private let offset: Int
  private let periods: Int
  /// Columns of the first period before the first one that is wanted.
  private let lead: Int
  private let columns: Range<Int>
  private let tools: RowTools

  init(_ source: PictureSource<Int16>, _ columns: Range<Int>, _ tools: RowTools) {
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
  func program(into target: PictureRows<Int16>) -> RowProgram {
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

  init(_ source: PictureSource<Int16>, _ columns: Range<Int>, count: Int, _ tools: RowTools) {
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
