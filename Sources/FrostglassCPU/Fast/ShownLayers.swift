internal import CKernels
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

/// The scales of a blur whose strength varies, and which two of them a pixel shows.
struct ScaleStack {
  /// The scales that a pixel shows; -1 stands for the image behind them all.
  enum Shown {
    case one(Int)
    /// A scale and so much of it, as `mix_evenly` takes it; the rest is the one before.
    case mix(Int, weight: Int16)
  }

  /// The strength of the blur, as a share of its maximum.
  let coverage: Coverage
  /// True if all pixels of a row have the same blur.
  let isEven: Bool
  private let windows: [BlurWindow]
  /// For each, the last number that is not above its least coverage, and the first not below its most.
  private let limits: [(low: Float, high: Float)]
  /// Kernels by themselves: all of them together would be copied for each run.
  private let countBetween: (@convention(c) (UnsafePointer<Float>, Int, Float, Float) -> Int)?
  private let maskShares:
    (@convention(c) (UnsafeMutablePointer<Float>, Int, Double, Double, Double) -> Void)?

  /// - Parameter kernels: for `forEachRun`.
  /// - Returns: `nil` where masks are no shares of scales.
  init?(_ layers: [MaskedEnding.Layer], _ kernels: fgk_row_kernels?) {
    countBetween = kernels?.count_between
    maskShares = kernels?.mask_shares
    windows = layers.compactMap(\.coverage.window)
    limits = windows.map { window in
      let (low, high) = (Float(window.low), Float(window.high))
      return (
        low: Double(low) > window.low ? low.nextDown : low,
        high: Double(high) < window.high ? high.nextUp : high
      )
    }
    guard windows.count == layers.count, let first = layers.first else { return nil }
    coverage = first.coverage.withoutWindow
    isEven =
      coverage.plane == nil
      && coverage.shapes.allSatisfy { shape in
        if case .ramp(let ramp) = shape.outline { ramp.start.x == ramp.end.x } else { false }
      }
  }

  /// The scales that pixels of some coverage show; -1 is what is behind them all.
  func scales(showing low: Float, through high: Float) -> ClosedRange<Int> {
    let last = scale(of: high)
    // The largest share of a scale shows nothing of the one before.
    let first = scale(of: low)
    return (first >= 0 && Double(low) < windows[first].high ? first - 1 : first)...last
  }

  /// The first scale that is as strong as a coverage asks for; -1 for none at all.
  private func scale(of value: Float) -> Int {
    windows.withUnsafeBufferPointer { Self.scale(of: value, $0) }
  }

  private static func scale(
    of value: Float, _ windows: UnsafeBufferPointer<BlurWindow>
  ) -> Int {
    if Double(value) <= windows[0].low { return -1 }
    return windows.firstIndex { Double(value) <= $0.high } ?? windows.count - 1
  }

  /// Returns the scales that a row shows whose pixels have the same blur.
  func shown(in y: Int, at column: Int) -> Shown {
    var value: Float = 0
    withUnsafeMutablePointer(to: &value) { value in
      let one = UnsafeMutableBufferPointer(start: value, count: 1)
      coverage.row(y, column..<column + 1, into: one)
    }
    return shown(value)
  }

  private func shown(_ value: Float) -> Shown {
    let scale = scale(of: value)
    guard scale >= 0, Double(value) < windows[scale].high else { return .one(scale) }
    var share = value
    makeShares(&share, 1, windows[scale])
    return .mix(scale, weight: Int16(-(share * 32768 + 0.5)))
  }

  /// Goes through a part of a row in runs of pixels that show the same two scales.
  ///
  /// - Parameters:
  ///   - values: the coverage of the part's pixels; where two scales are mixed, it becomes the share
  ///     of the larger one.
  ///   - run: gets columns, the larger scale or the only one, and whether two are mixed.
  func forEachRun(
    _ columns: Range<Int>, _ values: UnsafeMutablePointer<Float>,
    _ run: (Range<Int>, Int, Bool) -> Void
  ) {
    windows.withUnsafeBufferPointer { windows in
      limits.withUnsafeBufferPointer { limits in
        var x = 0
        while x < columns.count {
          let (first, value) = (x, values[x])
          let scale = Self.scale(of: value, windows)
          let isMixed = scale >= 0 && Double(value) < windows[scale].high
          x += 1
          if isMixed {
            x += between(values + x, columns.count - x, limits[scale].low, limits[scale].high)
            makeShares(values + first, x - first, windows[scale])
          } else {
            while x < columns.count, values[x] == value { x += 1 }
          }
          run(columns.lowerBound + first..<columns.lowerBound + x, scale, isMixed)
        }
      }
    }
  }

  /// Returns the number of leading values above one limit and below another.
  private func between(
    _ values: UnsafePointer<Float>, _ count: Int, _ low: Float, _ high: Float
  ) -> Int {
    if let countBetween { return countBetween(values, count, low, high) }
    var x = 0
    while x < count, values[x] > low, values[x] < high { x += 1 }
    return x
  }

  private func makeShares(
    _ values: UnsafeMutablePointer<Float>, _ count: Int, _ window: BlurWindow
  ) {
    if let maskShares {
      maskShares(values, count, window.most, window.lowVariance, window.slope)
    } else {
      window.makeShares(UnsafeMutableBufferPointer(start: values, count: count))
    }
  }
}
