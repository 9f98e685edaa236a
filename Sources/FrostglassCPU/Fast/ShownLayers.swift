internal import FrostglassCore

/// The places where each of the images that a plan's ending mixes can show: blocks of a few rows by some columns. Only
/// these are computed.
struct ShownLayers {
  /// Rows of a block, which begin at multiples of it: 8, and more of images with more than half a million.
  let rowsPerBand: Int
  /// Columns of a block, a multiple of what images are shrunk by.
  let width: Int
  /// The column where the first block begins.
  let left: Int
  /// Blocks side by side, 64 at most.
  let count: Int
  private let rect: Rect
  private let firstBand: Int
  /// For what is behind all layers and then for each, the blocks of each band where it shows, the
  /// first in the lowest bit.
  private var blocks: [[UInt64]]

  init(_ ending: MaskedEnding, _ rect: Rect) {
    let stack = ScaleStack(ending.layers, nil)
    self.init(
      layers: ending.layers.count, stack, stack?.coverage ?? ending.layers[0].coverage, rect)
  }

  /// Creates the blocks of one layer that a mask shows over the image behind it.
  init(_ coverage: Coverage, _ rect: Rect) { self.init(layers: 1, nil, coverage, rect) }

  private init(layers: Int, _ stack: ScaleStack?, _ coverage: Coverage, _ rect: Rect) {
    self.rect = rect
    rowsPerBand = 8 * max(rect.height >> 19, 1)
    left = floorDivide(rect.x, 64) * 64
    width = (rect.columns.upperBound - left + 64 * 64 - 1) / (64 * 64) * 64
    firstBand = floorDivide(rect.y, rowsPerBand)
    let bands = firstBand..<floorDivide(rect.rows.upperBound - 1, rowsPerBand) + 1
    blocks = Array(
      repeating: Array(repeating: 0, count: bands.count), count: layers + 1)
    count = (rect.columns.upperBound - left + width - 1) / width
    mark(bands, 0..<count, stack, coverage)
  }

  /// Notes what shows in some blocks; where that may be more than two images, in parts of them.
  private mutating func mark(
    _ bands: Range<Int>, _ columns: Range<Int>, _ stack: ScaleStack?, _ coverage: Coverage
  ) {
    let part = Rect(
      columns: left + columns.lowerBound * width..<left + columns.upperBound * width,
      rows: bands.lowerBound * rowsPerBand..<bands.upperBound * rowsPerBand
    ).intersection(rect)
    let range = coverage.range(in: part)
    let layers: ClosedRange<Int> =
      if let stack {
        stack.scales(showing: range.lowerBound, through: range.upperBound)
      } else {
        (range.lowerBound < 1 ? -1 : 0)...(range.upperBound > 0 ? 0 : -1)
      }
    let isOne = bands.count == 1 && (columns.count == 1 || stack?.isEven == true)
    // Where two are mixed, parts of it show no less.
    let isMixed =
      layers.count == 2 && stack != nil && range.lowerBound > 0 && range.upperBound < 1
    if isOne || isMixed || layers.count == 1 {
      let bits = (UInt64.max >> UInt64(64 - columns.count)) << UInt64(columns.lowerBound)
      for layer in layers {
        for band in bands { blocks[layer + 1][band - firstBand] |= bits }
      }
      return
    }
    let splitsRows =
      columns.count == 1 || stack?.isEven == true
      || bands.count > 1 && bands.count * rowsPerBand >= columns.count * width
    for half in (splitsRows ? bands : columns).strips(2) {
      mark(splitsRows ? half : bands, splitsRows ? columns : half, stack, coverage)
    }
  }

  /// The rows where a layer shows, or what is behind them all, -1.
  func rows(_ layer: Int) -> RowSet {
    var set = RowSet()
    for (band, blocks) in blocks[layer + 1].enumerated() where blocks != 0 {
      let first = (firstBand + band) * rowsPerBand
      set.insert((first..<first + rowsPerBand).clamped(to: rect.rows))
    }
    return set
  }

  /// The blocks of some rows where a layer shows.
  func blocks(_ layer: Int, in rows: Range<Int>) -> UInt64 {
    let bands = blocks[layer + 1]
    let first = max(floorDivide(rows.lowerBound, rowsPerBand) - firstBand, 0)
    let end = min(floorDivide(rows.upperBound - 1, rowsPerBand) - firstBand + 1, bands.count)
    guard first < end else { return 0 }
    return bands[first..<end].reduce(0, |)
  }

  /// The blocks of each band where a layer shows, and the first band.
  func bands(_ layer: Int) -> (first: Int, blocks: [UInt64]) { (firstBand, blocks[layer + 1]) }

  /// For each band, what part of a layer's pixels shows.
  func shares(_ layer: Int) -> [Double] {
    blocks[layer + 1].map { Double($0.nonzeroBitCount) / Double(count) }
  }

  /// Ends of parts of the result's rows that take about as long, from how long bands take.
  func cuts(_ costs: [Double], into parts: Int) -> [Range<Int>] {
    let total = costs.reduce(0, +)
    var cuts = [rect.y]
    var sum = 0.0
    for (band, cost) in costs.enumerated() {
      sum += cost
      let row = (firstBand + band + 1) * rowsPerBand
      if sum >= total * Double(cuts.count) / Double(parts), cuts.count < parts,
        row < rect.rows.upperBound
      {
        cuts.append(row)
      }
    }
    return zip(cuts, cuts.dropFirst() + [rect.rows.upperBound]).map { $0..<$1 }
  }
}

/// The fused last steps of a plan, and their consequences for the images that they mix: derived once for all strips.
struct PlanEnding {
  let masked: MaskedEnding
  private let shown: ShownLayers
  /// For each slot, which parts of its rows are computed; `nil` is all.
  let blocks: [ColumnBlocks?]

  /// - Parameter rows: of the result, where no others will be asked for.
  init(_ masked: MaskedEnding, of plan: Plan, rows: Range<Int>?) {
    let all = plan.result.rect
    let part = rows.map { Rect(columns: all.columns, rows: $0.clamped(to: all.rows)) } ?? all
    let shown = ShownLayers(masked, part)
    var blocks = [ColumnBlocks?](repeating: nil, count: plan.slots.count)
    for (index, layer) in masked.layers.enumerated() {
      for (slot, part) in plan.parts(of: index, layer, shown) { blocks[slot] = part }
    }
    (self.masked, self.shown, self.blocks) = (masked, shown, blocks)
  }

  /// The rows for which a step reads one of its sources; `nil` where that follows from its pass.
  func rows(for step: Step, readingSource place: Int) -> RowSet? {
    guard let target = step.target, place < 2,
      let layer = masked.layers.firstIndex(where: { $0.target == target })
    else { return nil }
    if place == 1 { return shown.rows(layer) }
    return layer == 0 ? shown.rows(-1) : nil
  }

  /// Parts of a result's rows that take about as long; `nil` where all rows take as long.
  func cuts(of plan: Plan, into parts: Int) -> [Range<Int>]? {
    guard masked.layers.count > 1 else { return nil }
    var costs = shown.shares(-1).map { 1 + $0 }
    for (index, layer) in masked.layers.enumerated() {
      let cost = plan.cost(of: layer)
      for (band, share) in shown.shares(index).enumerated() { costs[band] += cost * share }
    }
    return shown.cuts(costs, into: parts)
  }
}
