internal import CKernels
internal import FrostglassCore

extension Stencil {
  /// The taps of whole rows at once; `nil` for stencils that shrink or grow.
  func fast<Sample: RowSample>(
    _ source: PictureSource<Sample>, into target: PictureRows<Sample>, _ tools: RowTools
  ) -> RowProgram? {
    guard stride == 1, phases == 1 else { return nil }
    let rows = StencilRows(taps[0], source, target, tools)
    return { wanted in for y in wanted { rows.make(y) } }
  }
}

/// Rows of a stencil's source as floats with all columns that are read, and the sums of its taps.
private final class StencilRows<Sample: RowSample> {
  private let source: PictureSource<Sample>
  private let target: PictureRows<Sample>
  /// Taps by row, with where in an extended row the first target sample reads.
  private let rows: [(dy: Int, taps: [(start: Int, weight: Float)])]
  private let reach: ColumnReach
  private let channels: Int
  /// Rows that were converted: row y is at y modulo their number.
  private let ring: UnsafeMutablePointer<Float>
  private let rowLength: Int
  private var held: [Int]
  private let sums: UnsafeMutablePointer<Float>

  /// Converted rows that are kept, at most: stencils that reach farther convert them anew.
  private static var most: Int { 96 }
  /// Sums that are formed at once: few enough to stay in the nearest cache.
  private static var block: Int { 2048 }

  init(
    _ taps: [Stencil.Tap], _ source: PictureSource<Sample>, _ target: PictureRows<Sample>,
    _ tools: RowTools
  ) {
    self.source = source
    self.target = target
    let offsets = taps.map(\.dx)
    let columns = target.domain.columns
    let wanted =
      columns.lowerBound + (offsets.min() ?? 0)..<columns.upperBound + (offsets.max() ?? 0)
    let reach = source.columns(wanted)
    let channels = source.rows.layout.channels
    self.reach = reach
    self.channels = channels
    rows = Dictionary(grouping: taps, by: \.dy).sorted { $0.key < $1.key }.map { dy, taps in
      let starts = taps.map { tap in
        let column = columns.lowerBound + tap.dx - wanted.lowerBound
        return (start: (reach.wantedOffset + column) * channels, weight: tap.weight)
      }
      return (dy, starts)
    }
    let span = (rows.last?.dy ?? 0) - (rows.first?.dy ?? 0) + 1
    rowLength = reach.width * channels
    held = [Int](repeating: .min, count: span <= Self.most ? span : 1)
    ring = tools.memory.take(rowLength * held.count)
    sums = tools.memory.take(columns.count * channels)
  }

  /// Makes one row of the target.
  ///
  /// Every sum is formed in the order of the taps, as the reference does.
  func make(_ y: Int) {
    let count = target.domain.width * channels
    sums.update(repeating: 0, count: count)
    if held.count == 1 {
      for (dy, taps) in rows { add(taps, of: converted(y + dy), 0..<count) }
    } else {
      let sources = rows.map { converted(y + $0.dy) }
      for first in stride(from: 0, to: count, by: Self.block) {
        let block = first..<min(first + Self.block, count)
        for (source, row) in zip(sources, rows) { add(row.taps, of: source, block) }
      }
    }
    Sample.take(
      UnsafeBufferPointer(start: sums, count: count), target.layout, into: target.row(y))
  }

  private func add(
    _ taps: [(start: Int, weight: Float)], of row: UnsafePointer<Float>, _ block: Range<Int>
  ) {
    let target = sums + block.lowerBound
    for (start, weight) in taps {
      let source = row + start + block.lowerBound
      for index in 0..<block.count { target[index] += weight * source[index] }
    }
  }

  /// A source row as floats, with what lies beyond its columns.
  private func converted(_ y: Int) -> UnsafePointer<Float> {
    let place = floorModulo(y, held.count)
    let row = ring + place * rowLength
    if held[place] != y {
      let present = UnsafeMutableBufferPointer(
        start: row + reach.presentOffset * channels, count: reach.present.count * channels)
      Sample.give(source.row(y), source.rows.layout, into: present)
      reach.fillOutside(row, channels: channels, transparent: 0)
      held[place] = y
    }
    return UnsafePointer(row)
  }
}
