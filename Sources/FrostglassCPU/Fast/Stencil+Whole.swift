internal import CKernels
internal import FrostglassCore

extension Stencil {
  /// Taps of whole weights, each sum exact and rounded once.
  ///
  /// - Returns: `nil` where weights are not whole, sums do not fit 32 bits, or rows that are read lie far
  ///   apart.
  func fastWhole(
    _ source: ImageSource<Int16>, into target: ImageRows<Int16>, _ tools: RowTools
  ) -> RowProgram? {
    guard let unit, unit < 1 << 17, rows.count + stride <= 512,
      taps.joined().allSatisfy({ 0 < $0.count && $0.count < 1 << 15 })
    else { return nil }
    return WholeStencilRows(self, unit, source, target, tools).program
  }
}

/// Rows of a stencil's source with all columns that are read, and what is made of them.
///
/// Columns are kept apart by their place in a period, as `StencilPlanes` has them.
private final class WholeStencilRows {
  private let stencil: Stencil
  private let unit: Int
  private let source: ImageSource<Int16>
  private let target: ImageRows<Int16>
  private let kernels: fgk_row_kernels
  private let reach: ColumnReach
  private let planes: StencilPlanes
  /// For each phase, what is added up.
  private let sums: [TapSums]
  /// The start of each row of a ring: row y is at y modulo their number.
  private let ring: [UnsafeMutablePointer<Int16>]
  private var held: HeldRows
  /// A source row before its columns are parted.
  private let extended: UnsafeMutablePointer<Int16>
  /// The target's columns of each phase.
  private let parts: [UnsafeMutablePointer<Int16>]
  private let nothing: UnsafeMutablePointer<Int16>
  /// The offset of the first row that is read, and where the columns of each from there on are.
  private let top: Int
  private let bases: UnsafeMutablePointer<UnsafePointer<Int16>>
  private let pairs: UnsafeMutablePointer<UnsafePointer<Int16>?>

  init(
    _ stencil: Stencil, _ unit: Int, _ source: ImageSource<Int16>,
    _ target: ImageRows<Int16>, _ tools: RowTools
  ) {
    self.stencil = stencil
    self.unit = unit
    self.source = source
    self.target = target
    kernels = tools.kernels
    let channels = target.channels
    let reach = source.columns(stencil.sourceRect(for: target.domain).columns)
    let planes = StencilPlanes(stencil, reach, target.domain.columns, channels: channels)
    let runsPay = stencil.phases == 1 && stencil.stride == 1
    let (top, span) = (stencil.rows.lowerBound, stencil.rows.count)
    sums = stencil.taps.map { TapSums($0, planes, from: top, channels: channels, asRuns: runsPay) }
    self.reach = reach
    self.planes = planes
    self.top = top
    bases = tools.memory.take(span)
    ring = (0..<span).map { _ in tools.scratch(planes.sourceLength) }
    held = HeldRows(span, tools.current)
    extended = tools.scratch(reach.width * channels)
    parts =
      stencil.phases == 1
      ? [] : (0..<stencil.phases).map { _ in tools.scratch(planes.periods * channels) }
    let longest = max(planes.sourceLength, planes.periods * channels)
    nothing = tools.scratch(longest, of: 0)
    pairs = tools.memory.take(2 * (sums.map(\.weights.count).max() ?? 0))
  }

  var program: RowProgram {
    { rows in
      self.held.begin()
      for y in rows { self.make(y) }
    }
  }

  private func make(_ y: Int) {
    let period = floorDivide(y, stencil.phases)
    let first = period * stencil.stride
    let phase = (y - period * stencil.phases) * stencil.phases
    guard !parts.isEmpty else { return sum(phase, first, into: target.row(y)) }
    for (px, part) in parts.enumerated() { sum(phase + px, first, into: part) }
    planes.interleave(parts, into: target.row(y), kernels)
  }

  /// The sums of one phase of a row, whose offsets count from row `first`.
  private func sum(_ phase: Int, _ first: Int, into row: UnsafeMutablePointer<Int16>) {
    let sums = sums[phase]
    for row in sums.rows { bases[row] = UnsafePointer(extendedRow(first + top + row)) }
    for (index, place) in sums.places.enumerated() {
      pairs[index] = place.map { bases[$0.row] + $0.offset } ?? UnsafePointer(nothing)
    }
    let count = planes.periods * target.channels
    let scale = 1 / Float(unit)
    guard !sums.direct.isEmpty else {
      return kernels.stencil(pairs, sums.weights, sums.weights.count, scale, row, count)
    }
    var begin = SIMD4<Int32>.zero
    for tap in sums.direct {
      // Of gray the first of four is looked at.
      let pixel = UnsafeRawPointer(bases[tap.place.row] + tap.place.offset)
      let samples = pixel.loadUnaligned(as: SIMD4<Int16>.self)
      begin &+= tap.weight &* SIMD4<Int32>(truncatingIfNeeded: samples)
    }
    let differences = sums.weights.count - sums.added
    if target.channels == 1 {
      kernels.stencil_runs_gray(
        pairs, sums.weights, sums.added, differences, begin[0], scale, row, count)
    } else {
      withUnsafeBytes(of: &begin) { begin in
        guard let begin = begin.baseAddress else { return }
        kernels.stencil_runs(
          pairs, sums.weights, sums.added, differences,
          begin.assumingMemoryBound(to: Int32.self), scale, row, planes.periods)
      }
    }
  }

  /// A source row with what lies beyond its columns.
  private func extendedRow(_ y: Int) -> UnsafeMutablePointer<Int16> {
    let (place, isNew) = held.take(y)
    let row = ring[place]
    guard isNew else { return row }
    let channels = target.channels
    if stencil.stride == 1 {
      reach.gather(source.row(y), channels: channels, into: row)
    } else {
      reach.gather(source.row(y), channels: channels, into: extended)
      planes.split(extended, into: row, kernels)
    }
    return row
  }
}

/// The samples to add up for each result: pairs of samples with the same weight.
///
/// For a shape of runs, a sum is that of the pixel before plus the samples that enter on the right, minus those that
/// leave on the left: few samples around the rim instead of all.
private struct TapSums {
  /// A row, counted from the first that is read, and a place in it.
  struct Place: Hashable {
    var row: Int
    var offset: Int
  }

  /// The rows that are read.
  let rows: [Int]
  /// The weight of each pair; an even number, first the pairs that are added.
  private(set) var weights: [Int16] = []
  /// Two for each weight; `nil` adds nothing.
  private(set) var places: [Place?] = []
  /// The number of pairs that are added; of the others the second sample is subtracted.
  private(set) var added = 0
  /// All taps, where the sums are by how much each pixel has more than the one before; or none.
  private(set) var direct: [(place: Place, weight: Int32)] = []

  init(
    _ taps: [Stencil.Tap], _ planes: StencilPlanes, from top: Int, channels: Int, asRuns: Bool
  ) {
    rows = Set(taps.map { $0.dy - top }).sorted()
    let all = taps.map {
      (place: Place(row: $0.dy - top, offset: planes.source($0.dx)), weight: Int32($0.count))
    }
    var gains: [Place: Int32] = [:]
    for tap in all {
      gains[tap.place, default: 0] += tap.weight
      var before = tap.place
      before.offset -= channels
      gains[before, default: 0] -= tap.weight
    }
    let rim = gains.filter { $0.value != 0 }
    let isRuns = asRuns && rim.count + 16 < all.count * 3 / 4
    if isRuns { direct = all }
    pair(isRuns ? rim.map { (place: $0.key, weight: $0.value) } : all)
  }

  /// Puts together samples of one weight, then those of opposite ones.
  private mutating func pair(_ taps: [(place: Place, weight: Int32)]) {
    let ordered = taps.sorted {
      ($0.weight.magnitude, $0.weight, $0.place.row, $0.place.offset)
        < ($1.weight.magnitude, $1.weight, $1.place.row, $1.place.offset)
    }
    var left: [(place: Place, weight: Int32)] = []
    for tap in ordered {
      if let last = left.last, last.weight == tap.weight {
        add(last.place, tap.place, tap.weight)
        left.removeLast()
      } else {
        left.append(tap)
      }
    }
    // Those of each weight that have no other are one at most.
    var differences: [(Place, Place, Int32)] = []
    var index = 0
    while index < left.count {
      if index + 1 < left.count, left[index].weight == -left[index + 1].weight {
        differences.append((left[index].place, left[index + 1].place, left[index].weight))
        index += 2
      } else {
        add(left[index].place, nil, left[index].weight)
        index += 1
      }
    }
    if weights.count % 2 == 1 { add(nil, nil, 0) }
    added = weights.count
    for (first, second, weight) in differences { add(first, second, weight) }
    if weights.count % 2 == 1 { add(nil, nil, 0) }
  }

  private mutating func add(_ first: Place?, _ second: Place?, _ weight: Int32) {
    weights.append(Int16(weight))
    places += [first, second]
  }
}

extension StencilPlanes {
  /// Puts the columns of an extended row where they belong.
  fileprivate func split(
    _ row: UnsafePointer<Int16>, into target: UnsafeMutablePointer<Int16>,
    _ kernels: fgk_row_kernels
  ) {
    guard channels == 4 else { return splitPixels(row, into: target) }
    if stride == 2, width > 1 {
      return kernels.part_pixels(
        row, target + place(ofColumn: 0), target + place(ofColumn: 1), width)
    }
    row.withMemoryRebound(to: UInt64.self, capacity: width) { row in
      target.withMemoryRebound(to: UInt64.self, capacity: sourceLength / 4) {
        splitPixels(row, into: $0)
      }
    }
  }

  private func splitPixels<Pixel: BitwiseCopyable>(
    _ row: UnsafePointer<Pixel>, into target: UnsafeMutablePointer<Pixel>
  ) {
    for first in 0..<min(stride, width) {
      let place = place(ofColumn: first) / channels
      for index in 0..<(width - first + stride - 1) / stride {
        target[place + index] = row[first + index * stride]
      }
    }
  }

  /// The columns of two phases in turn; up to a pixel before the row, and vectors after it, are written.
  fileprivate func interleave(
    _ parts: [UnsafeMutablePointer<Int16>], into row: UnsafeMutablePointer<Int16>,
    _ kernels: fgk_row_kernels
  ) {
    let start = row - lead * channels
    if channels == 4 { return kernels.join_pixels(parts[0], parts[1], start, periods) }
    for period in 0..<periods {
      start[2 * period] = parts[0][period]
      start[2 * period + 1] = parts[1][period]
    }
  }
}
