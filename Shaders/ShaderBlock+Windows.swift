package import FrostglassCore

/// Passes that look at a whole window around each target, whose groups share what they fetch.
extension ShaderBlock {
  /// The block of a pass that reads each sample of a window: alone it fetches, resolves an edge and divides four
  /// numbers for each of them; here it reads 16 bytes of shared memory, for several targets where windows are high.
  ///
  /// Whatever is fetched is kept as the floats that it becomes, so pictures of all kinds and edges take it, and
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
