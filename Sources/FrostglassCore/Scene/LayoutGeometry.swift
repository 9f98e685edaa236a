/// A rectangle in a layout, in points or pixels as the context says; y grows downward.
public struct LayoutRect: Sendable, Hashable {
  /// The top left corner.
  public var origin: LayoutPoint
  /// Its width and height.
  public var size: LayoutSize

  /// A rectangle with its upper left corner at `origin`.
  public init(origin: LayoutPoint, size: LayoutSize) {
    self.origin = origin
    self.size = size
  }

  /// A rectangle, in points.
  public init(x: Double, y: Double, width: Double, height: Double) {
    self.init(origin: LayoutPoint(x: x, y: y), size: LayoutSize(width: width, height: height))
  }

  /// Nothing, at the origin.
  public static let zero = LayoutRect(origin: .zero, size: .zero)

  /// The left border.
  public var x: Double { origin.x }
  /// The upper border.
  public var y: Double { origin.y }
  /// The distance from the left border to the right one.
  public var width: Double { size.width }
  /// The distance from the upper border to the lower one.
  public var height: Double { size.height }
  /// The right border.
  public var maxX: Double { x + width }
  /// The lower border.
  public var maxY: Double { y + height }
  /// The middle.
  public var center: LayoutPoint { LayoutPoint(x: x + width / 2, y: y + height / 2) }
}

extension LayoutRect {
  /// Top left, top right, bottom right, bottom left.
  public var corners: [LayoutPoint] {
    [
      origin, LayoutPoint(x: maxX, y: y), LayoutPoint(x: maxX, y: maxY), LayoutPoint(x: x, y: maxY),
    ]
  }

  /// The pixels it touches; none where a number is not one.
  package var pixels: Rect {
    func touched(_ low: Double, _ high: Double) -> Range<Int> {
      guard low <= high else { return 0..<0 }
      let limit = { (value: Double) in Int(min(max(value, -1e9), 1e9)) }
      let first = limit(low.rounded(.down))
      return first..<max(first, limit(high.rounded(.up)))
    }
    return Rect(columns: touched(x, maxX), rows: touched(y, maxY))
  }
}

/// A place in a layout, in points or pixels as the context says; y grows downward.
public struct LayoutPoint: Sendable, Hashable {
  /// To the right.
  public var x: Double
  /// Downward.
  public var y: Double

  /// A point, in points.
  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }

  /// The origin.
  public static let zero = LayoutPoint(x: 0, y: 0)
}

/// A width and a height in a layout, in points or pixels as the context says.
public struct LayoutSize: Sendable, Hashable {
  /// To the right.
  public var width: Double
  /// Downward.
  public var height: Double

  /// A size, in points.
  public init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  /// No width and no height.
  public static let zero = LayoutSize(width: 0, height: 0)
}

/// A change of place, size and angle in the plane: `x' = a x + c y + tx`, `y' = b x + d y + ty`.
///
/// The six numbers have the names and places of `CGAffineTransform`.
package struct AffineTransform: Sendable, Hashable {
  package var a: Double
  package var b: Double
  package var c: Double
  package var d: Double
  package var tx: Double
  package var ty: Double

  package init(a: Double, b: Double, c: Double, d: Double, tx: Double, ty: Double) {
    self.a = a
    self.b = b
    self.c = c
    self.d = d
    self.tx = tx
    self.ty = ty
  }

  /// Changes nothing.
  package static let identity = AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0)

  package static func translation(x: Double, y: Double) -> AffineTransform {
    AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: x, ty: y)
  }

  /// A change of size around the origin.
  package static func scale(x: Double, y: Double) -> AffineTransform {
    AffineTransform(a: x, b: 0, c: 0, d: y, tx: 0, ty: 0)
  }

  /// First this transform, then another.
  package func followed(by other: AffineTransform) -> AffineTransform {
    AffineTransform(
      a: a * other.a + b * other.c, b: a * other.b + b * other.d,
      c: c * other.a + d * other.c, d: c * other.b + d * other.d,
      tx: tx * other.a + ty * other.c + other.tx, ty: tx * other.b + ty * other.d + other.ty)
  }

  /// The way back; `nil` where the plane became a line or a point.
  package var inverse: AffineTransform? {
    let determinant = a * d - b * c
    guard abs(determinant) > 1e-12 else { return nil }
    let scale = 1 / determinant
    return AffineTransform(
      a: d * scale, b: -b * scale, c: -c * scale, d: a * scale,
      tx: (c * ty - d * tx) * scale, ty: (b * tx - a * ty) * scale)
  }

  package func apply(to point: LayoutPoint) -> LayoutPoint {
    LayoutPoint(x: a * point.x + c * point.y + tx, y: b * point.x + d * point.y + ty)
  }

  /// The smallest upright rectangle around a rectangle that was transformed.
  package func bounds(of rect: LayoutRect) -> LayoutRect {
    let corners = rect.corners.map { apply(to: $0) }
    let (left, right) = (corners.map(\.x).min() ?? 0, corners.map(\.x).max() ?? 0)
    let (top, bottom) = (corners.map(\.y).min() ?? 0, corners.map(\.y).max() ?? 0)
    return LayoutRect(x: left, y: top, width: right - left, height: bottom - top)
  }

  /// True if upright rectangles stay upright, and their sides keep their directions.
  package var keepsUpright: Bool { b == 0 && c == 0 && a > 0 && d > 0 }

  /// The number of whole pixels it moves by, if it does nothing else; `nil` otherwise.
  var wholeMove: (x: Int, y: Int)? {
    guard a == 1, b == 0, c == 0, d == 1, tx == tx.rounded(), ty == ty.rounded(),
      max(abs(tx), abs(ty)) < 1e9
    else { return nil }
    return (Int(tx), Int(ty))
  }
}
