/// A point of the picture that others move around.
struct Center {
  /// In samples; 0 is the center of the first one.
  let x: Double
  let y: Double
  /// To the center of the farthest sample, in samples.
  let farthest: Double
}

extension Planner {
  /// The point at fractions of width and height.
  ///
  /// - Throws: `PlanError.tooLarge` where maps around it would not fit their 32-bit numbers.
  func center(x: Double, y: Double) throws(PlanError) -> Center {
    let longest = 32768
    guard size.width <= longest, size.height <= longest else {
      throw .tooLarge(size, limit: "\(longest) px per side for turning and zooming")
    }
    let place = (x: x * Double(size.width) - 0.5, y: y * Double(size.height) - 0.5)
    let across = max(place.x, Double(size.width - 1) - place.x)
    let down = max(place.y, Double(size.height - 1) - place.y)
    return Center(
      x: place.x, y: place.y, farthest: (across * across + down * down).squareRoot())
  }
}
