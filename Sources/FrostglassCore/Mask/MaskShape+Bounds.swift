extension MaskShape {
  /// The smallest rectangle with all pixels of a picture that the shape touches, even in part; `nil`
  /// when there are none.
  ///
  /// - Throws: `PlanError.badValue` when the shape is none for a picture of this size.
  public func bounds(in size: Size, scale: Double = 1) throws(PlanError) -> Rect? {
    let picture = Rect(size)
    let box: Rect?
    switch try outline(in: size, scale: scale) {
    case .rectangle(let shape): box = Rect(shape.left, shape.top, shape.right, shape.bottom)
    case .ellipse(let shape):
      box = Rect(
        shape.x - shape.radiusX, shape.y - shape.radiusY, shape.x + shape.radiusX,
        shape.y + shape.radiusY)
    case .polygon(let shape): box = Rect(shape.left, shape.top, shape.right, shape.bottom)
    case .ramp(let ramp): box = ramp.part(above: 0, of: picture)
    case .picture(let mask): box = mask.part(above: 0)
    }
    guard let inside = box?.intersection(picture), !inside.isEmpty else { return nil }
    return inside
  }
}

extension Rect {
  /// The pixels between these coordinates, which are within some millions.
  fileprivate init(_ left: Double, _ top: Double, _ right: Double, _ bottom: Double) {
    func pixels(_ low: Double, _ high: Double) -> Range<Int> {
      let first = Int(low.rounded(.down))
      return first..<max(Int(high.rounded(.up)), first)
    }
    self.init(columns: pixels(left, right), rows: pixels(top, bottom))
  }
}
