extension MaskShape {
  /// The pixels of a picture that the shape touches lie in this rectangle; `nil` when there are
  /// none.
  ///
  /// - Throws: `PlanError.badValue` when the shape is none for a picture of this size.
  public func bounds(in size: Size, scale: Double = 1) throws(PlanError) -> Rect? {
    CoverageShape(try outline(in: size, scale: scale)).part(above: 0, of: Rect(size))
  }
}
