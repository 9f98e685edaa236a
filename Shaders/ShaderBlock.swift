package import FrostglassCore

/// A block of neighboring targets that compute invocations make together, for passes that support it. Samples that
/// neighbors share are fetched once.
package struct ShaderBlock: Sendable, Hashable {
  /// Targets of one group of invocations.
  package let size: Size
  /// Blocks begin at a multiple of so many rows.
  package let rowPeriod: Int
  /// True if another pass than the first part's reads the images.
  let joinsPasses: Bool
  /// Memory that a group shares; 0 where each invocation works alone.
  package let sharedBytes: Int
  /// The most invocations of a group: what every device takes.
  package static let invocations = 128

  /// Fetches for each target, as a mean over the block.
  package let fetchesPerTarget: Double

  /// The pass's file in `blocks/`: for one pass and stage it is always the same.
  private let file: [UInt8]
  var text: String { Shader.text(file) }
  let constants: [ShaderPart.Constant]

  init(
    _ size: Size, rowPeriod: Int = 1, joinsPasses: Bool = false, sharedBytes: Int = 0,
    fetchesPerTarget: Double,
    _ file: [UInt8], _ constants: [ShaderPart.Constant]
  ) {
    self.fetchesPerTarget = fetchesPerTarget
    self.size = size
    self.rowPeriod = rowPeriod
    self.joinsPasses = joinsPasses
    self.sharedBytes = sharedBytes
    self.file = file
    self.constants =
      constants + [
        .init("BLOCK_X", size.width), .init("BLOCK_Y", size.height), .init("PHASES_Y", rowPeriod),
      ]
  }

  // The text is long, and follows from the pass and the stage of the program.
  package static func == (left: ShaderBlock, right: ShaderBlock) -> Bool {
    left.size == right.size && left.constants == right.constants
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(size)
    hasher.combine(constants)
  }

  /// The block of a draw's first pass.
  ///
  /// - Parameters:
  ///   - isWhole: whether the pass adds up whole numbers.
  ///   - readsBytes: whether the pass is all that the draw does, reads 8-bit samples as they came and is stored
  ///     as 65280ths.
  ///   - sharesWindows: whether groups share the samples of windows.
  /// - Returns: `nil` for passes and stages that have no such file, or numbers that do not suit it.
  package static func of(
    _ pass: Pass, stage: ShaderStage, isWhole: Bool = false, readsBytes: Bool = false,
    sharesWindows: Bool = false
  ) -> ShaderBlock? {
    if readsBytes {
      let block = sharesWindows ? shrinking(pass) : reducingBytes(pass)
      if let block { return block }
    }
    return switch (pass, stage) {
    case (.convolve(let convolve), .blocked): blocked(convolve)
    case (.resample(let resample), .blocked): blocked(resample)
    case (.resample(let resample), .compute) where isWhole: blocked(resample)
    default: sharesWindows ? sharingWindow(pass) : nil
    }
  }

  private static func blocked(_ convolve: Convolve) -> ShaderBlock? {
    guard 1...ShaderPart.longestUnrolledRadius ~= convolve.radius else { return nil }
    let isX = convolve.axis == .x
    let outputs = 4
    return ShaderBlock(
      isX ? Size(width: 8 * outputs, height: 8) : Size(width: 32, height: 4 * outputs),
      fetchesPerTarget: Double(2 * (outputs + convolve.radius)) / Double(outputs),
      PackageResources.blocked_convolve_glsl,
      constants(of: convolve, outputs, local: Size(width: isX ? 8 : 32, height: isX ? 8 : 4)))
  }

  /// - Parameter local: invocations of a group.
  private static func constants(
    of convolve: Convolve, _ outputs: Int, local: Size
  ) -> [ShaderPart.Constant] {
    [
      .init("RADIUS", convolve.radius), .init("AXIS_X", convolve.axis == .x),
      .init("OUTPUTS", outputs), .init("LOCAL_X", local.width), .init("LOCAL_Y", local.height),
    ]
  }

  private static func blocked(_ resample: Resample) -> ShaderBlock? {
    // A move has nothing in common with its neighbors, and would be another program for each distance.
    guard resample.x.move == nil || resample.y.move == nil else { return nil }
    let rows = resample.y
    let outputs = max(8, rows.phases.count)
    guard outputs <= 32, let window = RowWindow(rows, targets: outputs) else { return nil }
    return ShaderBlock(
      Size(width: 64, height: 2 * outputs), rowPeriod: rows.phases.count,
      fetchesPerTarget: Double(resample.x.longestPhase * window.span) / Double(outputs),
      PackageResources.blocked_resample_glsl,
      constants(of: resample, window, local: Size(width: 64, height: 2)))
  }

  /// - Parameter local: invocations of a group.
  private static func constants(
    of resample: Resample, _ rows: RowWindow, local: Size
  ) -> [ShaderPart.Constant] {
    let offsets = rows.offsets.map { "\($0)" }.joined(separator: ", ")
    return [
      .init("TAPS_X", resample.x.longestPhase), .init("TAPS_Y", resample.y.longestPhase),
      .init("SPAN", rows.span), .init("FIRST", rows.first), .init("OUTPUTS", rows.offsets.count),
      .init("OFFSETS", text: "int[\(rows.offsets.count)](\(offsets))"),
      .init("LOCAL_X", local.width), .init("LOCAL_Y", local.height),
    ]
  }

  /// The block of a pass that halves an image of bytes along both axes, once or twice, into 65280ths; `nil`
  /// for other passes.
  package static func reducingBytes(_ pass: Pass) -> ShaderBlock? {
    guard case .resample(let resample) = pass, resample.x == resample.y else { return nil }
    switch resample.x {
    case PyramidKernel.halving: return halving
    case PyramidKernel.quartering: return quartering
    default: return nil
    }
  }

  /// The block of a pass that picks among samples of 8 bits, kept as they came, wherever memory is shared; `nil`
  /// for other passes, and windows that do not fit.
  ///
  /// - Parameter isPaired: whether texels are kept as the pairs of samples that are compared, in twice the memory.
  package static func pickingBytes(_ pass: Pass, isPaired: Bool) -> ShaderBlock? {
    guard case .median(let median) = pass else { return nil }
    let size = Size(width: 16, height: 8)
    let texels = (size.width + 2 * median.radius) * (size.height + 2 * median.radius)
    let bytes = texels * (isPaired ? 8 : 4)
    guard bytes <= leastSharedBytes else { return nil }
    return ShaderBlock(
      size, sharedBytes: bytes, fetchesPerTarget: Double(texels) / Double(size.area),
      PackageResources.shared_median_glsl,
      [.init("RADIUS", median.radius), .init("PAIRED", isPaired)])
  }

  private static let halving = ShaderBlock(
    Size(width: 128, height: 16), fetchesPerTarget: 6 * 18 / 16.0,
    PackageResources.blocked_halving_glsl,
    [.init("WHOLE_TEXELS", true), .init("HALVINGS", 1)])

  private static let quartering: ShaderBlock = {
    let rows = 8
    return ShaderBlock(
      Size(width: 128, height: 2 * rows),
      // Two columns of targets at a time.
      fetchesPerTarget: Double(14 * (4 * rows + 6)) / Double(2 * rows),
      PackageResources.quartering_glsl + PackageResources.blocked_quartering_glsl,
      [.init("WHOLE_TEXELS", true), .init("HALVINGS", 2), .init("QUARTERED_ROWS", rows)])
  }()

  /// Four floats.
  static let sampleBytes = 16
  /// The shared memory that every device has.
  package static let leastSharedBytes = 16384
}

/// The source rows that targets below each other are made from, the first of which begins a period.
struct RowWindow {
  /// The first, from where the period's rows begin.
  let first: Int
  let span: Int
  /// The start of each target's rows, relative to `first`.
  let offsets: [Int]

  /// - Returns: `nil` where targets are no whole periods, or the rows would not stay in registers.
  init?(_ rows: Polyphase, targets: Int) {
    guard targets % rows.phases.count == 0 else { return nil }
    let starts = (0..<targets).map { rows.start(of: $0).source }
    let ends = (0..<targets).map { starts[$0] + rows.phases[$0 % rows.phases.count].taps.count }
    guard let first = starts.min(), let end = ends.max(), end - first <= 24 else { return nil }
    self.first = first
    span = end - first
    offsets = starts.map { $0 - first }
  }
}

/// Sums of whole numbers whose groups share what they fetch: an image of bytes is shrunk by up to 8, and
/// convolved along both axes, in one dispatch each.
extension ShaderBlock {
  /// The block of two passes in one, of which the second reads around what the first one makes.
  ///
  /// - Returns: `nil` for all but a convolution along rows and one along columns, and halving what has been
  ///   shrunk by 4; for these too, where the window does not fit.
  package static func joining(_ first: Pass, _ second: Pass) -> ShaderBlock? {
    switch (first, second) {
    case (.convolve(let x), .convolve(let y)) where x.axis == .x && y.axis == .y: convolving(x, y)
    case (.resample(let first), .resample(let second))
    where first.isBoth(PyramidKernel.quartering) && second.isBoth(PyramidKernel.halving):
      shrinking(by: 4, columns: 62, rows: 18, halves: true)
    default: nil
    }
  }

  /// The block of a pass that shrinks bytes by 2 or 4; `nil` for other passes.
  static func shrinking(_ pass: Pass) -> ShaderBlock? {
    guard case .resample(let resample) = pass else { return nil }
    if resample.isBoth(PyramidKernel.halving) { return shrinking(by: 2, columns: 64, rows: 16) }
    if resample.isBoth(PyramidKernel.quartering) { return shrinking(by: 4, columns: 64, rows: 16) }
    return nil
  }

  /// - Parameters:
  ///   - columns: samples that a group makes beside each other, two invocations each.
  ///   - halves: whether these are halved once more.
  private static func shrinking(
    by factor: Int, columns: Int, rows: Int, halves: Bool = false
  ) -> ShaderBlock {
    let taps = factor == 2 ? 4 : 10
    let size =
      halves
      ? Size(width: columns / 2 - 1, height: rows / 2 - 1) : Size(width: columns, height: rows)
    let segment = columns + (taps + factor - 1) / factor
    let late = (taps - 1) / factor
    return ShaderBlock(
      size, sharedBytes: 4 * (factor * factor * segment + 2 * columns * rows),
      fetchesPerTarget: Double((factor * columns + taps - factor) * factor * (rows + late))
        / Double(size.area),
      PackageResources.shrink_glsl,
      [
        .init("WHOLE_TEXELS", true), .init("FACTOR", factor), .init("COLUMNS", columns),
        .init("ROWS", rows), .init("HALVES", halves), .init("LATE", late),
      ])
  }

  private static func convolving(_ x: Convolve, _ y: Convolve) -> ShaderBlock? {
    let blocks = [Size(width: 16, height: 16), Size(width: 16, height: 8)].map { size in
      let lines = size.height + 2 * y.radius
      let window = (size.width + 2 * x.radius) * lines
      return ShaderBlock(
        size, joinsPasses: true, sharedBytes: 8 * (window + size.width * lines),
        fetchesPerTarget: Double(window) / Double(size.area),
        PackageResources.convolve_both_glsl,
        [.init("RADIUS_X", x.radius), .init("RADIUS_Y", y.radius)])
    }
    return blocks.first { $0.sharedBytes <= leastSharedBytes }
  }
}

extension Resample {
  /// True if it does the same along both axes.
  fileprivate func isBoth(_ axis: Polyphase) -> Bool { x == axis && y == axis }
}

/// Passes that look at a whole window around each target, whose groups share what they fetch.
extension ShaderBlock {
  /// The block of a pass that reads each sample of a window: alone it fetches, resolves an edge and divides four
  /// numbers for each of them; here it reads 16 bytes of shared memory, for several targets where windows are high.
  ///
  /// Whatever is fetched is kept as the floats that it becomes, so images of all kinds and edges take it, and
  /// sums are the same. A window seldom fits as a whole: its rows come one part after the other.
  ///
  /// - Returns: `nil` for other passes, and windows that do not fit, have gaps or would not pay.
  package static func sharingWindow(_ pass: Pass) -> ShaderBlock? {
    switch pass {
    case .bilateral(let bilateral): sharing(bilateral)
    case .stencil(let stencil): sharing(stencil)
    default: nil
    }
  }

  private static func sharing(_ bilateral: Bilateral) -> ShaderBlock? {
    guard bilateral.spacing == 1 else { return nil }
    let (x, y) = bilateral.radius
    let isLinear = if case .linear = bilateral.range { true } else { false }
    return sharing(
      Rect(x: -x, y: -y, width: 2 * x + 1, height: 2 * y + 1),
      // Two targets go through one row more than each has: where there are few, that is more than is saved.
      outputs: y < 4 ? 1 : 2, otherBytes: 4 * (2 * x + 1),
      // Each target's center is fetched as well.
      fetches: 1, samples: bilateral.samples,
      PackageResources.range_weight_glsl, PackageResources.shared_bilateral_glsl,
      [.init("FALLS_LINEARLY", text: "\(isLinear)")])
  }

  /// Returns a block for a stencil whose taps, in row order and at distinct places, fill at least half of their
  /// rectangle; `nil` for others.
  private static func sharing(_ stencil: Stencil) -> ShaderBlock? {
    // As many as the program's table holds.
    guard stencil.stride == 1, stencil.phases == 1, 32...1024 ~= stencil.taps[0].count else {
      return nil
    }
    let (taps, columns, rows) = (stencil.taps[0], stencil.columns, stencil.rows)
    let window = Rect(
      x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    guard 2 * taps.count >= window.area,
      zip(taps, taps.dropFirst()).allSatisfy({ ($0.dy, $0.dx) < ($1.dy, $1.dx) })
    else { return nil }
    let outputs = window.height < 8 ? 1 : 4
    return sharing(
      window, outputs: outputs,
      otherBytes: 4 * window.width * (window.height + 2 * (outputs - 1)), fetches: 0,
      samples: taps.count, [], PackageResources.shared_stencil_glsl, [])
  }

  /// - Parameters:
  ///   - window: what a target looks at, from its own place.
  ///   - outputs: targets of an invocation, below each other.
  ///   - otherBytes: that the file shares beside the window's rows.
  ///   - fetches: of each target, beside those of the rows.
  ///   - samples: of a window that are fetched otherwise.
  ///   - head: what the pass's file calls.
  private static func sharing(
    _ window: Rect, outputs: Int, otherBytes: Int, fetches: Int, samples: Int, _ head: [UInt8],
    _ file: [UInt8], _ constants: [ShaderPart.Constant]
  ) -> ShaderBlock? {
    let groups = [(128, 1), (64, 2), (32, 4), (16, 8)].map { Size(width: $0, height: $1) }
    let blocks = groups.compactMap { local -> ShaderBlock? in
      let size = Size(width: local.width, height: local.height * outputs)
      let columns = local.width + window.width - 1
      // Rows that are there for the sake of lower invocations, whichever part of the window it is.
      let lower = outputs * (local.height - 1)
      let most = (leastSharedBytes - otherBytes) / (sampleBytes * columns) - lower
      guard most > 0 else { return nil }
      let span = window.height + outputs - 1
      let parts = (span + most - 1) / most
      // As even as they can be.
      let steps = (span + parts - 1) / parts
      return ShaderBlock(
        size, sharedBytes: sampleBytes * columns * (lower + steps) + otherBytes,
        fetchesPerTarget: Double(columns * (parts * lower + span)) / Double(size.area)
          + Double(fetches),
        head + PackageResources.shared_rows_glsl + file,
        constants + [
          .init("LEFT", window.x), .init("TOP", window.y), .init("WINDOW_X", window.width),
          .init("WINDOW_Y", window.height), .init("STEPS", steps), .init("OUTPUTS", outputs),
          .init("LOCAL_X", local.width), .init("LOCAL_Y", local.height),
        ])
    }
    let best = blocks.min { $0.fetchesPerTarget < $1.fetchesPerTarget }
    guard let best, 2 * best.fetchesPerTarget < Double(samples) else { return nil }
    return best
  }
}
