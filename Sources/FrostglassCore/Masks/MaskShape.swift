/// One shape of a mask.
///
/// Coordinates count from the picture's top left corner; those in percent are hundredths of its
/// width or height. Radii in percent are hundredths of the picture's shorter side.
public enum MaskShape: Sendable, Hashable {
  /// A rectangle; `radius` rounds its corners, `isContinuous` as iOS does.
  case rectangle(
    x: Length, y: Length, width: Length, height: Length, radius: Length = 0,
    isContinuous: Bool = false)
  /// The ellipse in a rectangle.
  case ellipse(x: Length, y: Length, width: Length, height: Length)
  /// A closed polygon of three or more corners.
  case polygon([Corner])
  /// Coverage that rises from 0 at one point to 1 at another.
  case gradient(from: Corner, to: Corner, easing: MaskShape.Easing = .linear)
  /// A channel of another picture, stretched to the size of the one that is masked.
  case picture(MaskPicture)

  /// A point.
  public struct Corner: Sendable, Hashable {
    /// From the picture's left border; percent are of its width.
    public var x: Length
    /// From the picture's top border; percent are of its height.
    public var y: Length

    /// A point from the picture's top left corner.
    public init(x: Length, y: Length) {
      self.x = x
      self.y = y
    }
  }

  /// How the coverage of a gradient rises.
  public enum Easing: String, Sendable, Hashable, CaseIterable {
    /// Evenly.
    case linear
    /// Slowly at both ends: `t² (3 − 2t)`.
    case smooth
    /// Slowly at first: `t²`.
    case easeIn = "ease-in"
    /// Slowly at last: `1 − (1 − t)²`.
    case easeOut = "ease-out"

    /// The coverage at a share `t`, 0…1, of the way.
    func apply(_ t: Double) -> Double {
      switch self {
      case .linear: t
      case .smooth: smoothstep(t)
      case .easeIn: t * t
      case .easeOut: t * (2 - t)
      }
    }
  }

  /// Each pixel near a border looks at every side.
  private static let mostCorners = 5000
  /// Corners rounded less are not, as nobody could see it.
  private static let smallestRadius = 1e-3

  /// The shape in pixels.
  func outline(in size: Size, scale: Double) throws(PlanError) -> CoverageShape.Outline {
    let frame = MaskFrame(size: size, scale: scale)
    switch self {
    case .rectangle(let x, let y, let width, let height, let radius, let isContinuous):
      let box = try frame.box(x, y, width, height)
      let radius = try radius.pixels(
        for: size, scale: scale, in: 0...100_000, filter: "mask", parameter: "radius")
      return .rectangle(
        RoundedRectangle(
          left: box.left, top: box.top, right: box.right, bottom: box.bottom,
          radius: radius < MaskShape.smallestRadius ? 0 : radius,
          isContinuous: isContinuous))
    case .ellipse(let x, let y, let width, let height):
      let box = try frame.box(x, y, width, height)
      return .ellipse(
        Ellipse(
          x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2,
          radiusX: (box.right - box.left) / 2, radiusY: (box.bottom - box.top) / 2))
    case .polygon(let corners):
      guard (3...MaskShape.mostCorners).contains(corners.count) else {
        throw .badValue(
          filter: "mask", parameter: "polygon", value: "\(corners.count) corners",
          accepted: "3 to \(MaskShape.mostCorners) corners")
      }
      var points: [Polygon.Corner] = []
      for corner in corners { points.append(try frame.point(corner)) }
      return .polygon(Polygon(points))
    case .gradient(let from, let to, let easing):
      return .ramp(Ramp(from: try frame.point(from), to: try frame.point(to), easing: easing))
    case .picture(let picture): return .picture(picture.stretched(to: size))
    }
  }
}

extension MaskShape: CustomStringConvertible {
  /// The shape in words.
  public var description: String {
    switch self {
    case .rectangle(let x, let y, let width, let height, _, _):
      "a rectangle of \(width) × \(height) at \(x), \(y)"
    case .ellipse(let x, let y, let width, let height):
      "an ellipse of \(width) × \(height) at \(x), \(y)"
    case .polygon(let corners): "a polygon of \(corners.count) corners"
    case .gradient: "a gradient"
    case .picture(let picture): "a mask of \(picture.size)"
    }
  }
}

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

/// The picture that a mask's coordinates refer to.
private struct MaskFrame {
  let size: Size
  let scale: Double
  private static let most = 1_000_000.0

  func box(
    _ x: Length, _ y: Length, _ width: Length, _ height: Length
  ) throws(PlanError) -> (left: Double, top: Double, right: Double, bottom: Double) {
    let left = try pixels(x, size.width, "x")
    let top = try pixels(y, size.height, "y")
    let width = try pixels(width, size.width, "width")
    let height = try pixels(height, size.height, "height")
    guard width > 0, height > 0 else {
      throw .badValue(
        filter: "mask", parameter: width > 0 ? "height" : "width",
        value: "\(shortest(width > 0 ? height : width))px", accepted: "over 0 px")
    }
    return (left, top, left + width, top + height)
  }

  func point(_ corner: MaskShape.Corner) throws(PlanError) -> Polygon.Corner {
    Polygon.Corner(
      x: try pixels(corner.x, size.width, "x"), y: try pixels(corner.y, size.height, "y"))
  }

  private func pixels(
    _ length: Length, _ extent: Int, _ name: String
  ) throws(PlanError) -> Double {
    let pixels =
      switch length.unit {
      case .pixels: length.value
      case .points: length.value * scale
      case .percent: length.value / 100 * Double(extent)
      }
    guard abs(pixels) <= MaskFrame.most else {
      throw .badValue(
        filter: "mask", parameter: name, value: "\(length)",
        accepted: "from -1000000 to 1000000 px")
    }
    return pixels
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
