package import FrostglassCore

/// Passes whose groups first make what they read: the pass before them, in memory that a group shares.
extension ShaderBlock {
  /// What every device has to share.
  package static let leastSharedBytes = 16384

  /// The block of a pass after another, whose picture is held in integers and read by nothing else.
  ///
  /// - Returns: `nil` for passes that have no such files, or numbers that do not suit them.
  package static func of(_ pass: Pass, after lead: Pass) -> ShaderBlock? {
    let block: ShaderBlock? =
      switch (pass, lead) {
      case (.convolve(let convolve), .resample(let resample)): halved(resample, convolve)
      case (.resample(let resample), .convolve(let convolve)): convolved(convolve, resample)
      case (.convolve(let second), .convolve(let first)): convolved(first, second)
      case (.resample(let second), .resample(let first)): quartered(first, second)
      default: nil
      }
    return block.flatMap { $0.sharedBytes <= leastSharedBytes ? $0 : nil }
  }

  /// A convolution along x of what is halved, a column of the tile for each invocation, or halved twice.
  private static func halved(_ resample: Resample, _ convolve: Convolve) -> ShaderBlock? {
    guard resample.x == resample.y, convolve.axis == .x,
      1...ShaderPart.longestUnrolledRadius ~= convolve.radius
    else { return nil }
    let outputs = 3
    let size = Size(width: 32 * outputs, height: 4)
    let tile = Rect(
      x: -convolve.radius, y: 0, width: size.width + 2 * convolve.radius, height: size.height)
    let constants =
      constants(of: convolve, outputs, local: Size(width: 32, height: 4)) + constants(of: tile)
    switch resample.x {
    case PyramidKernel.halving:
      return ShaderBlock(
        size, sharedBytes: tile.area * integerBytes,
        fetchesPerTarget: Double(tile.width * 4 * (2 * tile.height + 2)) / Double(size.area),
        preparing: PackageResources.prepared_glsl + PackageResources.halving_glsl
          + PackageResources.prepared_halving_glsl,
        PackageResources.blocked_convolve_glsl, constants)
    case PyramidKernel.quartering:
      // Few rows at a time, as there are few targets then to keep a device busy.
      return quartered(
        tile, rows: 2, PackageResources.blocked_convolve_glsl, size, constants)
    default: return nil
    }
  }

  /// Halving of what is halved twice.
  private static func quartered(_ first: Resample, _ second: Resample) -> ShaderBlock? {
    guard first.x == PyramidKernel.quartering, first.y == first.x,
      second.x == PyramidKernel.halving, second.y == second.x,
      let rows = RowWindow(second.y, targets: 2)
    else { return nil }
    let size = Size(width: 32, height: 8)
    let tile = Rect(x: -1, y: -1, width: 2 * size.width + 2, height: 2 * size.height + 2)
    return quartered(
      tile, rows: 6, PackageResources.blocked_resample_glsl, size,
      constants(of: second, rows, local: Size(width: 32, height: 4))
        + constants(of: tile, stride: 2))
  }

  /// - Parameters:
  ///   - tile: what is made of halved samples, whole strips of `rows`.
  ///   - file: of the pass.
  ///   - constants: of the pass and the tile.
  private static func quartered(
    _ tile: Rect, rows: Int, _ file: [UInt8], _ size: Size, _ constants: [ShaderPart.Constant]
  ) -> ShaderBlock {
    ShaderBlock(
      size, sharedBytes: tile.area * integerBytes,
      fetchesPerTarget: fetchesToQuarter(rows: rows) * Double(tile.area) / Double(size.area),
      preparing: PackageResources.prepared_glsl + quarteringText
        + PackageResources.prepared_quartering_glsl,
      file, constants + quarteringConstants(rows: rows, isRounded: true))
  }

  /// A convolution along y of what is convolved along x, of an input's texels.
  private static func convolved(_ first: Convolve, _ second: Convolve) -> ShaderBlock? {
    guard first.axis == .x, second.axis == .y,
      1...ShaderPart.longestUnrolledRadius ~= first.radius,
      1...ShaderPart.longestUnrolledRadius ~= second.radius
    else { return nil }
    let outputs = 4
    let local = Size(width: 32, height: 4)
    let size = Size(width: local.width, height: local.height * outputs)
    let tile = Rect(
      x: 0, y: -second.radius, width: size.width, height: size.height + 2 * second.radius)
    let fetched = (tile.width + 2 * first.radius) * tile.height
    return ShaderBlock(
      size, sharedBytes: tile.area * integerBytes + fetched * texelBytes,
      fetchesPerTarget: Double(fetched) / Double(size.area),
      preparing: PackageResources.prepared_glsl + PackageResources.prepared_convolve_glsl,
      PackageResources.blocked_convolve_glsl,
      constants(of: second, outputs, local: local) + constants(of: tile)
        + constants(ofLead: first, table: 1))
  }

  /// Growing of what is convolved along y.
  private static func convolved(_ convolve: Convolve, _ resample: Resample) -> ShaderBlock? {
    let (x, y) = (resample.x, resample.y)
    guard convolve.axis == .y, 1...ShaderPart.longestUnrolledRadius ~= convolve.radius,
      x.stride == 1, y.stride == 1, 1...32 ~= x.phases.count, 2...32 ~= y.phases.count
    else { return nil }
    // Long columns share most; where they do not fit, shorter ones, but whole periods.
    for outputs in [16, 8, 32] where outputs % y.phases.count == 0 {
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
      let sharedBytes = tile.width * (tile.height + fetchedRows) * integerBytes
      guard sharedBytes <= leastSharedBytes else { continue }
      return ShaderBlock(
        size, rowPeriod: y.phases.count, sharedBytes: sharedBytes,
        fetchesPerTarget: Double(tile.width * fetchedRows) / Double(size.area),
        preparing: PackageResources.prepared_glsl + PackageResources.prepared_convolve_glsl,
        PackageResources.blocked_resample_glsl,
        constants(of: resample, rows, local: Size(width: 64, height: 2))
          + constants(of: tile, period: (x.phases.count, y.phases.count))
          + constants(ofLead: convolve, table: 2))
    }
    return nil
  }

  /// - Parameters:
  ///   - period: targets after which the tile is as far from them as before.
  ///   - stride: its samples for each period.
  private static func constants(
    of tile: Rect, period: (x: Int, y: Int) = (1, 1), stride: Int = 1
  ) -> [ShaderPart.Constant] {
    [
      .init("PREPARES", true), .init("LEFT", tile.x), .init("TOP", tile.y),
      .init("COLUMNS", tile.width), .init("ROWS", tile.height), .init("PERIOD_X", period.x),
      .init("PERIOD_Y", period.y), .init("STRIDE", stride),
    ]
  }

  /// - Parameter table: which uniform block its taps are in.
  private static func constants(
    ofLead convolve: Convolve, table: Int
  ) -> [ShaderPart.Constant] {
    [
      .init("PREPARED_RADIUS", convolve.radius), .init("PREPARED_X", convolve.axis == .x),
      .init("PREPARED_TABLE", table),
    ]
  }

  /// Four samples of 16 bits.
  private static let integerBytes = 8
  /// Four of 8.
  private static let texelBytes = 4
}
