/// What a picture looks like beyond its own pixels.
public enum EdgeMode: String, Sendable, Hashable, CaseIterable {
  /// The nearest border pixel goes on for ever: `1 1 | 1 2 3 | 3 3`.
  case clamp
  /// The picture is mirrored, the border pixel repeated: `2 1 | 1 2 3 | 3 2`.
  case mirror
  /// The picture repeats: `2 3 | 1 2 3 | 1 2`.
  case wrap
  /// Nothing is there: transparent black.
  case transparent

  /// The coordinate inside `range` that stands for `coordinate`; `nil` where nothing is there.
  public func resolve(_ coordinate: Int, in range: Range<Int>) -> Int? {
    if range.contains(coordinate) { return coordinate }
    let low = range.lowerBound
    let count = range.count
    switch self {
    case .clamp:
      return coordinate < low ? low : range.upperBound - 1
    case .wrap:
      return low + floorModulo(coordinate - low, count)
    case .mirror:
      let phase = floorModulo(coordinate - low, 2 * count)
      return low + (phase < count ? phase : 2 * count - 1 - phase)
    case .transparent:
      return nil
    }
  }

  /// The part of `range` that is read when `wanted` is asked for; never empty.
  package func footprint(of wanted: Range<Int>, in range: Range<Int>) -> Range<Int> {
    if wanted.lowerBound >= range.lowerBound && wanted.upperBound <= range.upperBound {
      return wanted
    }
    switch self {
    case .clamp, .transparent:
      let low = min(max(wanted.lowerBound, range.lowerBound), range.upperBound - 1)
      let high = min(max(wanted.upperBound - 1, range.lowerBound), range.upperBound - 1)
      return low..<high + 1
    case .wrap:
      return range
    case .mirror:
      let below = range.lowerBound - wanted.lowerBound
      let above = wanted.upperBound - range.upperBound
      if below >= range.count || above >= range.count { return range }
      var low = max(wanted.lowerBound, range.lowerBound)
      var high = min(wanted.upperBound, range.upperBound)
      if below > 0 {
        low = range.lowerBound
        high = max(high, range.lowerBound + below)
      }
      if above > 0 {
        high = range.upperBound
        low = min(low, range.upperBound - above)
      }
      return low..<high
    }
  }
}

/// How a step reads its source along one axis beyond the source's own extent.
package struct AxisEdge: Sendable, Hashable {
  package var mode: EdgeMode
  /// Where the picture's own samples are, in the source's grid.
  package var range: Range<Int>

  package init(_ mode: EdgeMode, _ range: Range<Int>) {
    self.mode = mode
    self.range = range
  }
}

extension AxisEdge {
  /// The edge of the picture after a filter that reads samples at `offsets`, shrinking by `stride`;
  /// `nil` when nothing simple is left, and all that is wanted must be computed.
  ///
  /// - Parameter isSymmetric: whether the filter is its own mirror image along this axis.
  package func filtered(offsets: ClosedRange<Int>, stride: Int, isSymmetric: Bool) -> AxisEdge? {
    switch mode {
    case .clamp, .transparent:
      // From the first and last sample of the new range on, only the continuation is read.
      let first = floorDivide(range.lowerBound - offsets.upperBound, stride)
      let last = -floorDivide(-(range.upperBound - 1 - offsets.lowerBound), stride)
      return AxisEdge(mode, first..<last + 1)
    case .mirror, .wrap:
      // Borders must lie between two periods; a mirror also needs a filter that looks the same in it.
      guard floorModulo(range.lowerBound, stride) == 0, range.count % stride == 0,
        isSymmetric || mode == .wrap
      else { return nil }
      return AxisEdge(mode, range.lowerBound / stride..<range.upperBound / stride)
    }
  }

  /// The edge of the picture after symmetric taps that read `radius` to each side.
  package func convolved(radius: Int) -> AxisEdge? {
    filtered(offsets: -radius...radius, stride: 1, isSymmetric: true)
  }

  /// The edge of the picture after halving with samples 2i−1 … 2i+2.
  func halved() -> AxisEdge? { filtered(offsets: -1...2, stride: 2, isSymmetric: true) }
}
