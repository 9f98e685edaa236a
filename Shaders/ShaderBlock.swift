package import FrostglassCore

/// A block of neighboring targets that compute invocations make together, for passes that support it. Samples that
/// neighbors share are fetched once.
package struct ShaderBlock: Sendable, Hashable {
  /// Targets of one group of invocations.
  package let size: Size
  /// Blocks begin at a multiple of so many rows.
  package let rowPeriod: Int
  /// True if another pass than the first part's reads the pictures.
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

  /// The block of a pass that halves a picture of bytes along both axes, once or twice, into 65280ths; `nil`
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
