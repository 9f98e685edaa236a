public import FrostglassCore
internal import Glibc

/// An item's place and look, in points.
///
/// `center`, `size` and `transform` determine the place. `frame` follows from them while the transform is the identity;
/// otherwise there is none.
public struct LayoutAttributes: Sendable, Hashable {
  /// The middle, before the transform.
  public var center: LayoutPoint
  /// The size before the transform. A side below 0 counts as 0.
  public var size: LayoutSize { didSet { size = LayoutAttributes.atLeastNothing(size) } }
  /// Applied around the anchor point.
  public var transform: Transform3D
  /// The fixed point of the transform, in shares of the size: (0, 0) is the top left corner, (0.5, 0.5) the center.
  public var anchorPoint: LayoutPoint
  /// Opacity: 0 cannot be seen, 1 is opaque. What is outside counts as the nearer end.
  public var alpha: Double { didSet { alpha = alpha.kept(in: 0...1) } }
  /// Items with a larger one lie above; equal ones in the order in which the bar lists them.
  public var zIndex: Int
  /// True if the item is left out.
  public var isHidden: Bool
  /// The radius of the corners, in points; below 0 counts as 0.
  public var cornerRadius: Double { didSet { cornerRadius = max(0, cornerRadius) } }
  /// The strength of the item's blur: 0 none, 1 all. Values outside count as the nearer end.
  public var blurStrength: Double { didSet { blurStrength = blurStrength.kept(in: 0...1) } }
  /// The strength of the item's tint: 0 none, 1 all. Values outside count as the nearer end.
  public var tintAlpha: Double { didSet { tintAlpha = tintAlpha.kept(in: 0...1) } }

  /// Attributes; what is left out changes nothing.
  public init(
    center: LayoutPoint = .zero, size: LayoutSize = .zero, transform: Transform3D = .identity,
    anchorPoint: LayoutPoint = LayoutPoint(x: 0.5, y: 0.5),
    alpha: Double = 1, zIndex: Int = 0, isHidden: Bool = false, cornerRadius: Double = 0,
    blurStrength: Double = 1, tintAlpha: Double = 1
  ) {
    self.center = center
    self.size = LayoutAttributes.atLeastNothing(size)
    self.transform = transform
    self.anchorPoint = anchorPoint
    self.alpha = alpha.kept(in: 0...1)
    self.zIndex = zIndex
    self.isHidden = isHidden
    self.cornerRadius = max(0, cornerRadius)
    self.blurStrength = blurStrength.kept(in: 0...1)
    self.tintAlpha = tintAlpha.kept(in: 0...1)
  }

  /// Attributes of an item that fills a rectangle.
  public init(frame: LayoutRect) {
    self.init(center: frame.center, size: frame.size)
  }

  /// The rectangle that the item fills; `nil` while it is transformed.
  public var frame: LayoutRect? { transform.isIdentity ? untransformedFrame : nil }

  /// The rectangle that the item would fill without its transform.
  public var untransformedFrame: LayoutRect {
    LayoutRect(
      x: center.x - size.width / 2, y: center.y - size.height / 2, width: size.width,
      height: size.height)
  }

  /// Sets center and size so that the item fills a rectangle; a transform stays and acts on that.
  public mutating func setFrame(_ frame: LayoutRect) {
    center = frame.center
    size = frame.size
  }

  private static func atLeastNothing(_ size: LayoutSize) -> LayoutSize {
    LayoutSize(width: max(0, size.width), height: max(0, size.height))
  }
}

extension LayoutAttributes {
  /// Returns attributes between these and later ones.
  ///
  /// Numbers are interpolated linearly, including each of a transform's 16. `zIndex` and `isHidden` stay as they are
  /// here. The result has the frame that follows from its numbers: none between a transformed and an untransformed
  /// item, where center and size determine the place.
  ///
  /// - Parameter share: 0 is here, 1 is there. Values outside 0…1, which overshooting curves produce, extrapolate;
  ///   values with a range stay in it.
  public func interpolated(toward later: LayoutAttributes, by share: Double) -> LayoutAttributes {
    LayoutAttributes(
      center: center.toward(later.center, by: share), size: size.toward(later.size, by: share),
      transform: transform.toward(later.transform, by: share),
      anchorPoint: anchorPoint.toward(later.anchorPoint, by: share),
      alpha: alpha.toward(later.alpha, by: share), zIndex: zIndex, isHidden: isHidden,
      cornerRadius: cornerRadius.toward(later.cornerRadius, by: share),
      blurStrength: blurStrength.toward(later.blurStrength, by: share),
      tintAlpha: tintAlpha.toward(later.tintAlpha, by: share))
  }
}

extension LayoutPoint {
  fileprivate func toward(_ other: LayoutPoint, by share: Double) -> LayoutPoint {
    LayoutPoint(x: x.toward(other.x, by: share), y: y.toward(other.y, by: share))
  }
}

extension LayoutSize {
  fileprivate func toward(_ other: LayoutSize, by share: Double) -> LayoutSize {
    LayoutSize(
      width: width.toward(other.width, by: share), height: height.toward(other.height, by: share))
  }
}

extension Transform3D {
  fileprivate func toward(_ other: Transform3D, by share: Double) -> Transform3D {
    Transform3D(rows: zip(rows, other.rows).map { $0 - ($0 - $1) * share })
  }
}

/// A transform in space, four by four, as `CATransform3D` writes it: points are rows, `[x y z 1] M`.
public struct Transform3D: Sendable, Hashable {
  /// The rows `m11 … m14` to `m41 … m44`; translation is in the last.
  public var rows: [SIMD4<Double>]

  /// - Parameter rows: four of them.
  public init(rows: [SIMD4<Double>]) {
    precondition(rows.count == 4, "a transform has four rows")
    self.rows = rows
  }

  /// Changes nothing.
  public static let identity = Transform3D(rows: [
    SIMD4(1, 0, 0, 0), SIMD4(0, 1, 0, 0), SIMD4(0, 0, 1, 0), SIMD4(0, 0, 0, 1),
  ])

  /// A move along x and y, in points.
  public static func translation(x: Double, y: Double) -> Transform3D {
    var transform = identity
    transform.rows[3] = SIMD4(x, y, 0, 1)
    return transform
  }

  /// A change of size around the origin.
  public static func scale(x: Double, y: Double) -> Transform3D {
    var transform = identity
    transform.rows[0].x = x
    transform.rows[1].y = y
    return transform
  }

  /// True if the transform changes nothing.
  public var isIdentity: Bool { self == .identity }

  /// Returns the projection of a point of the plane z = 0, seen along z.
  ///
  /// - Returns: `nil` behind the eye of a perspective.
  public func apply(to point: LayoutPoint) -> LayoutPoint? {
    let seen = rows[0] * point.x + rows[1] * point.y + rows[3]
    guard seen.w > 0 else { return nil }
    return LayoutPoint(x: seen.x / seen.w, y: seen.y / seen.w)
  }

  /// First this transform, then another.
  public func followed(by other: Transform3D) -> Transform3D {
    Transform3D(
      rows: rows.map { row in
        other.rows[0] * row.x + other.rows[1] * row.y + other.rows[2] * row.z + other.rows[3]
          * row.w
      })
  }
}

extension Transform3D {
  /// A turn around z; above 0 clockwise, as y grows downward.
  public static func rotation(degrees: Double) -> Transform3D {
    let (sine, cosine) = (sin(degrees * .pi / 180), cos(degrees * .pi / 180))
    return Transform3D(rows: [
      SIMD4(cosine, sine, 0, 0), SIMD4(-sine, cosine, 0, 0), SIMD4(0, 0, 1, 0), SIMD4(0, 0, 0, 1),
    ])
  }

  /// The transform of the plane z = 0, seen along z; `nil` if there is a perspective.
  package var affine: AffineTransform? {
    guard rows[0].w == 0, rows[1].w == 0, rows[3].w == 1 else { return nil }
    return AffineTransform(
      a: rows[0].x, b: rows[0].y, c: rows[1].x, d: rows[1].y, tx: rows[3].x, ty: rows[3].y)
  }
}

extension Double {
  /// The nearest number of a range; the range's lower bound for what is no number.
  func kept(in range: ClosedRange<Double>) -> Double {
    isNaN ? range.lowerBound : Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }

  /// The way from this number to another, by a share of it.
  func toward(_ other: Double, by share: Double) -> Double {
    self - (self - other) * share
  }

  /// A time in seconds, some seconds later, and never after what that is in decimals.
  ///
  /// 0.1 and 0.2 are 0.3 then, as people who write times expect, and not 0.30000000000000004, which
  /// would be after the moment at 0.3.
  func later(by seconds: Double) -> Double {
    let sum = self + seconds
    // The number that a whole count of nanoseconds is read as; exact up to 2⁵³ of them.
    let decimal = (sum * 1e9).rounded() / 1e9
    return sum - decimal < 1e-12 ? min(sum, decimal) : sum
  }

  /// The farthest coordinate from 0: enough for any screen, and near enough to keep its digits in sums.
  static let farthest = 1e9
}

extension LayoutRect {
  /// True if the rectangle can be laid out: within ±10⁹ points, with no negative side.
  var isUsable: Bool {
    [x, y, width, height, maxX, maxY].allSatisfy { abs($0) <= Double.farthest }
      && width >= 0 && height >= 0
  }

  /// True if the rectangle has no points inside.
  var hasNoArea: Bool { width <= 0 || height <= 0 }

  /// The smallest rectangle that holds both; one without area does not count.
  func joined(with other: LayoutRect) -> LayoutRect {
    if hasNoArea { return other }
    if other.hasNoArea { return self }
    let left = min(x, other.x)
    let top = min(y, other.y)
    return LayoutRect(
      x: left, y: top, width: max(maxX, other.maxX) - left, height: max(maxY, other.maxY) - top)
  }

  /// The part inside another; `nil` where that is nothing.
  func part(inside other: LayoutRect) -> LayoutRect? {
    let left = max(x, other.x)
    let top = max(y, other.y)
    let part = LayoutRect(
      x: left, y: top, width: min(maxX, other.maxX) - left, height: min(maxY, other.maxY) - top)
    return part.hasNoArea ? nil : part
  }

  /// Returns true if another rectangle lies wholly inside, within rounding.
  func covers(_ other: LayoutRect) -> Bool {
    let slack = 1e-6
    return other.hasNoArea
      || (x <= other.x + slack && y <= other.y + slack && maxX >= other.maxX - slack
        && maxY >= other.maxY - slack)
  }

  /// The pixels that it touches.
  func pixels(scale: Double) -> Rect {
    guard isUsable, !hasNoArea else { return Rect(x: 0, y: 0, width: 0, height: 0) }
    let slack = 1e-6
    let left = Int((x * scale + slack).rounded(.down))
    let top = Int((y * scale + slack).rounded(.down))
    return Rect(
      columns: left..<max(left, Int((maxX * scale - slack).rounded(.up))),
      rows: top..<max(top, Int((maxY * scale - slack).rounded(.up))))
  }
}

/// An item's place, relative to the bar's size and other items.
///
/// Each axis takes exactly two values: two of left, right, centerX and width, and two of top, bottom, centerY and
/// height. Where their extent would be negative, such as a right edge left of the left one, the extent is 0 and the
/// item lies in the middle of the two.
public struct ItemLayout: Sendable, Hashable {
  /// The left border.
  public var left: LayoutValue?
  /// The right border.
  public var right: LayoutValue?
  /// The middle along x.
  public var centerX: LayoutValue?
  /// From the left border to the right one.
  public var width: LayoutValue?
  /// The upper border.
  public var top: LayoutValue?
  /// The lower border.
  public var bottom: LayoutValue?
  /// The middle along y.
  public var centerY: LayoutValue?
  /// From the upper border to the lower one.
  public var height: LayoutValue?

  /// A layout; two numbers of each axis say where the item is.
  public init(
    left: LayoutValue? = nil, right: LayoutValue? = nil, centerX: LayoutValue? = nil,
    width: LayoutValue? = nil, top: LayoutValue? = nil, bottom: LayoutValue? = nil,
    centerY: LayoutValue? = nil, height: LayoutValue? = nil
  ) {
    self.left = left
    self.right = right
    self.centerX = centerX
    self.width = width
    self.top = top
    self.bottom = bottom
    self.centerY = centerY
    self.height = height
  }

  /// A fixed rectangle.
  public init(frame: LayoutRect) {
    self.init(
      left: .points(frame.x), width: .points(frame.width), top: .points(frame.y),
      height: .points(frame.height))
  }

  /// The whole bar, however high it is.
  public static let wholeBar = ItemLayout(
    left: 0, right: .bar(.right), top: 0, bottom: .bar(.bottom))

  /// The value of a line.
  public subscript(line: LayoutLine) -> LayoutValue? {
    get { self[keyPath: ItemLayout.path(to: line)] }
    set { self[keyPath: ItemLayout.path(to: line)] = newValue }
  }

  private static func path(to line: LayoutLine) -> WritableKeyPath<ItemLayout, LayoutValue?> {
    switch line {
    case .left: \.left
    case .right: \.right
    case .centerX: \.centerX
    case .width: \.width
    case .top: \.top
    case .bottom: \.bottom
    case .centerY: \.centerY
    case .height: \.height
    }
  }

  /// The lines that are given along an axis.
  func given(along axis: LayoutAxis) -> [LayoutLine] {
    LayoutLine.lines(of: axis).filter { self[$0] != nil }
  }
}

/// A number of a layout: an anchor times a factor, plus an offset; or points alone.
///
/// A literal is points from the bar's left or top edge, or points of extent.
public struct LayoutValue: Sendable, Hashable {
  /// The line or extent that the value refers to; `nil` for points alone.
  public var anchor: LayoutAnchor?
  /// The factor of the anchor.
  public var factor: Double
  /// The offset to add, in points.
  public var offset: Double

  /// An anchor times a factor, plus an offset in points; without an anchor, the offset alone.
  public init(anchor: LayoutAnchor?, factor: Double = 1, offset: Double = 0) {
    self.anchor = anchor
    self.factor = factor
    self.offset = offset
  }

  /// Points, whatever the bar's size.
  public static func points(_ points: Double) -> LayoutValue {
    LayoutValue(anchor: nil, offset: points)
  }

  /// A line of the bar, times a factor, plus points.
  public static func bar(
    _ line: LayoutLine, times factor: Double = 1, plus offset: Double = 0
  ) -> LayoutValue {
    LayoutValue(anchor: .bar(line), factor: factor, offset: offset)
  }

  /// A line of an item, times a factor, plus points.
  public static func item(
    _ id: String, _ line: LayoutLine, times factor: Double = 1, plus offset: Double = 0
  ) -> LayoutValue {
    LayoutValue(anchor: .item(id, line), factor: factor, offset: offset)
  }
}

extension LayoutValue: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
  /// Points.
  public init(floatLiteral value: Double) { self = .points(value) }
  /// Points.
  public init(integerLiteral value: Int) { self = .points(Double(value)) }
}

/// The reference of a layout value.
///
/// Referenced items count as they are at the bar's current progress, before their transforms.
public enum LayoutAnchor: Sendable, Hashable, CustomStringConvertible {
  /// A line of the bar, whose top left corner is (0, 0).
  case bar(LayoutLine)
  /// A line of the item with this id; the item itself is allowed, say for a width like its height.
  case item(String, LayoutLine)

  /// The anchor in words.
  public var description: String {
    switch self {
    case .bar(let line): "bar.\(line.rawValue)"
    case .item(let id, let line): "\(id).\(line.rawValue)"
    }
  }
}

/// An edge, a middle or an extent of a rectangle: what layouts give and refer to.
///
/// Edges and middles are in the bar's coordinates, from its top left corner, y downward.
public enum LayoutLine: String, Sendable, Hashable, CaseIterable {
  case left
  case right
  case centerX
  case width
  case top
  case bottom
  case centerY
  case height

  /// The axis the line is a number of.
  public var axis: LayoutAxis {
    switch self {
    case .left, .right, .centerX, .width: .horizontal
    case .top, .bottom, .centerY, .height: .vertical
    }
  }

  /// The same along either axis.
  enum Role: Int { case start, end, middle, extent }

  var role: Role {
    switch self {
    case .left, .top: .start
    case .right, .bottom: .end
    case .centerX, .centerY: .middle
    case .width, .height: .extent
    }
  }

  static func lines(of axis: LayoutAxis) -> [LayoutLine] { allCases.filter { $0.axis == axis } }
}

/// One of the two directions of a layout.
public enum LayoutAxis: String, Sendable, Hashable, CaseIterable {
  case horizontal
  case vertical
}
