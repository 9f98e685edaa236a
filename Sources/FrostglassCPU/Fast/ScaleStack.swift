internal import CKernels
internal import FrostglassCore

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
  init?(_ layers: [MaskedEnding.Layer], _ kernels: fg_row_kernels?) {
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
