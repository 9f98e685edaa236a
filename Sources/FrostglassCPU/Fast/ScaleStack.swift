internal import CKernels
internal import FrostglassCore

/// The scales of a blur whose strength varies, and which two of them a pixel shows.
struct ScaleStack {
  /// What a pixel shows of the scales, or what is behind them all, which has the number -1.
  enum Shown {
    case one(Int)
    /// A scale and so much of it, as `mix_evenly` takes it; the rest is the one before.
    case mix(Int, weight: Int16)
  }

  /// How strong the blur is, of its most.
  let coverage: Coverage
  /// Whether all of a row is blurred alike.
  let isEven: Bool
  private let windows: [BlurWindow]

  /// - Returns: `nil` where masks are no shares of scales.
  init?(_ layers: [MaskedEnding.Layer]) {
    windows = layers.compactMap(\.coverage.window)
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
    if Double(value) <= windows[0].low { return -1 }
    return windows.firstIndex { Double(value) <= $0.high } ?? windows.count - 1
  }

  /// What a row shows that is blurred alike.
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
    withUnsafeMutablePointer(to: &share) { share in
      windows[scale].makeShares(UnsafeMutableBufferPointer(start: share, count: 1))
    }
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
    var x = 0
    while x < columns.count {
      let (first, value) = (x, values[x])
      let scale = scale(of: value)
      let isMixed = scale >= 0 && Double(value) < windows[scale].high
      x += 1
      if isMixed {
        let (low, high) = (windows[scale].low, windows[scale].high)
        while x < columns.count, Double(values[x]) > low, Double(values[x]) < high { x += 1 }
        windows[scale].makeShares(
          UnsafeMutableBufferPointer(start: values + first, count: x - first))
      } else {
        while x < columns.count, values[x] == value { x += 1 }
      }
      run(columns.lowerBound + first..<columns.lowerBound + x, scale, isMixed)
    }
  }
}
