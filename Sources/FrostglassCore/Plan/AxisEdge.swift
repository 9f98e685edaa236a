/// How a step reads its source along one axis beyond the source's own extent.
public struct AxisEdge: Sendable, Hashable {
  public var mode: EdgeMode
  /// Where the picture's own samples are, in the source's grid.
  public var range: Range<Int>

  public init(_ mode: EdgeMode, _ range: Range<Int>) {
    self.mode = mode
    self.range = range
  }
}

extension AxisEdge {
  /// The edge of the picture after a symmetric filter that reads `radius` to each side.
  ///
  /// A constant continuation is constant again from `radius` farther out; a mirrored or repeated
  /// picture stays so.
  func convolved(radius: Int) -> AxisEdge {
    switch mode {
    case .clamp, .transparent: AxisEdge(mode, range.expanded(by: radius))
    case .mirror, .wrap: self
    }
  }

  /// The edge of the picture after halving with samples 2i−1 … 2i+2; `nil` when nothing simple is
  /// left, and all that is wanted must be computed.
  func halved() -> AxisEdge? {
    switch mode {
    case .clamp, .transparent:
      // From the first and last sample of the new range on, only the continuation is read.
      let first = floorDivide(range.lowerBound - 2, 2)
      let last = floorDivide(range.upperBound + 1, 2)
      return AxisEdge(mode, first..<last + 1)
    case .mirror, .wrap:
      // Samples lie symmetrically around a border between two pairs.
      guard floorModulo(range.lowerBound, 2) == 0, range.count % 2 == 0 else { return nil }
      return AxisEdge(mode, range.lowerBound / 2..<range.upperBound / 2)
    }
  }
}
