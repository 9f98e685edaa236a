extension AxisEdge {
  /// The edge of the picture after a filter that reads samples at `offsets`, shrinking by `stride`;
  /// `nil` when nothing simple is left, and all that is wanted must be computed.
  ///
  /// - Parameter isSymmetric: whether the filter is its own mirror image along this axis.
  func filtered(offsets: ClosedRange<Int>, stride: Int, isSymmetric: Bool) -> AxisEdge? {
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
}
