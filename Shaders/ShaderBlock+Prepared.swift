package import FrostglassCore

/// Passes whose groups first make what they read: the pass before them, in memory that a group shares.
extension ShaderBlock {
  /// What every device has to share.
  package static let leastSharedBytes = 16384

  /// The block of a pass after another, whose picture is held in integers and read by nothing else.
  ///
  /// - Returns: `nil` for passes that have no such files, or numbers that do not suit them.
  package static func of(_ pass: Pass, after lead: Pass) -> ShaderBlock? {
    switch (pass, lead) {
    case (.convolve(let convolve), .resample(let resample)): halved(resample, convolve)
    case (.resample(let resample), .convolve(let convolve)): convolved(convolve, resample)
    default: nil
    }
  }

  /// A convolution along x of what is halved: a column of the tile for each invocation.
  private static func halved(_ resample: Resample, _ convolve: Convolve) -> ShaderBlock? {
    guard resample.x == PyramidKernel.halving, resample.y == resample.x, convolve.axis == .x,
      1...ShaderPart.longestUnrolledRadius ~= convolve.radius
    else { return nil }
    let outputs = 3
    let size = Size(width: 32 * outputs, height: 4)
    let tile = Rect(
      x: -convolve.radius, y: 0, width: size.width + 2 * convolve.radius, height: size.height)
    return ShaderBlock(
      size, sharedBytes: tile.area * sampleBytes,
      fetchesPerTarget: Double(tile.width * 4 * (2 * tile.height + 2)) / Double(size.area),
      preparing: PackageResources.prepared_glsl + PackageResources.prepared_halving_glsl,
      PackageResources.blocked_convolve_glsl,
      constants(of: convolve, outputs, local: Size(width: 32, height: 4)) + constants(of: tile)
        + [.init("PERIOD_X", 1), .init("PERIOD_Y", 1)])
  }

  /// Growing of what is convolved along y.
  private static func convolved(_ convolve: Convolve, _ resample: Resample) -> ShaderBlock? {
    let (x, y) = (resample.x, resample.y)
    guard convolve.axis == .y, 1...ShaderPart.longestUnrolledRadius ~= convolve.radius,
      x.stride == 1, y.stride == 1, 1...16 ~= x.phases.count, 2...16 ~= y.phases.count
    else { return nil }
    // Long columns share most; where they do not fit, shorter ones.
    for outputs in [16, 8] where outputs % y.phases.count == 0 {
      guard let rows = RowWindow(y, targets: outputs) else { continue }
      let size = Size(width: 64, height: 2 * outputs)
      // Blocks begin with a period of rows, and anywhere in one of columns.
      let last = x.phases.count - 1 + size.width - 1
      let left = x.phases.map(\.first).min() ?? 0
      let right = (0...last).map { x.start(of: $0).source + x.longestPhase }.max() ?? 0
      let tile = Rect(
        x: left, y: rows.first, width: right - left,
        height: outputs / y.phases.count + rows.span)
      let fetchedRows = (tile.height + 3) / 4 * 4 + 2 * convolve.radius
      let sharedBytes = tile.width * (tile.height + fetchedRows) * sampleBytes
      guard sharedBytes <= leastSharedBytes else { continue }
      return ShaderBlock(
        size, rowPeriod: y.phases.count, sharedBytes: sharedBytes,
        fetchesPerTarget: Double(tile.width * fetchedRows) / Double(size.area),
        preparing: PackageResources.prepared_glsl + PackageResources.prepared_convolve_glsl,
        PackageResources.blocked_resample_glsl,
        constants(of: resample, rows) + constants(of: tile)
          + [
            .init("PERIOD_X", x.phases.count), .init("PERIOD_Y", y.phases.count),
            .init("PREPARED_RADIUS", convolve.radius),
          ])
    }
    return nil
  }

  private static func constants(of tile: Rect) -> [ShaderPart.Constant] {
    [
      .init("PREPARES", true), .init("LEFT", tile.x), .init("TOP", tile.y),
      .init("COLUMNS", tile.width), .init("ROWS", tile.height),
    ]
  }

  /// Four samples of 16 bits.
  private static let sampleBytes = 8
}
