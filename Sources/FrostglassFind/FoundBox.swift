/// An upright box in pixels of a frame, from its left-top corner.
public struct FoundBox: Sendable, Hashable {
  /// The left edge.
  public var left: Double
  /// The top edge.
  public var top: Double
  /// The right edge, not before the left one.
  public var right: Double
  /// The bottom edge, not above the top one.
  public var bottom: Double

  /// Creates a box of its edges.
  public init(left: Double, top: Double, right: Double, bottom: Double) {
    (self.left, self.top, self.right, self.bottom) = (left, top, right, bottom)
  }

  /// The box of a thing that a detector found.
  public init(_ found: Found) {
    self.init(
      left: found.x, top: found.y, right: found.x + found.width, bottom: found.y + found.height)
  }

  /// The distance from left to right.
  public var width: Double { right - left }
  /// The distance from top to bottom.
  public var height: Double { bottom - top }
  /// Its area in square pixels.
  public var area: Double { max(width, 0) * max(height, 0) }
  /// The longer one of both sides.
  var longest: Double { max(width, height) }
  /// The mean of both sides.
  var side: Double { (width + height) / 2 }

  /// Moves it.
  func moved(x: Double, y: Double) -> FoundBox {
    FoundBox(left: left + x, top: top + y, right: right + x, bottom: bottom + y)
  }

  /// Moves its edges outward.
  func grown(x: Double, y: Double) -> FoundBox {
    FoundBox(left: left - x, top: top - y, right: right + x, bottom: bottom + y)
  }

  /// The smallest box around both.
  func joined(with other: FoundBox) -> FoundBox {
    FoundBox(
      left: min(left, other.left), top: min(top, other.top), right: max(right, other.right),
      bottom: max(bottom, other.bottom))
  }

  /// The part that both have in common; its sides are below 0 where there is none.
  package func common(with other: FoundBox) -> FoundBox {
    FoundBox(
      left: max(left, other.left), top: max(top, other.top), right: min(right, other.right),
      bottom: min(bottom, other.bottom))
  }

  /// True if both have a part in common.
  public func overlaps(_ other: FoundBox) -> Bool {
    left < other.right && other.left < right && top < other.bottom && other.top < bottom
  }

  /// True if no part of the other is outside.
  public func contains(_ other: FoundBox) -> Bool {
    left <= other.left && top <= other.top && right >= other.right && bottom >= other.bottom
  }

  /// The box at a share, 0…1, of the way to another one.
  func mixed(with other: FoundBox, _ share: Double) -> FoundBox {
    let rest = 1 - share
    return FoundBox(
      left: rest * left + share * other.left, top: rest * top + share * other.top,
      right: rest * right + share * other.right, bottom: rest * bottom + share * other.bottom)
  }

  /// The distance of both centers in mean sides, and the ratio of the larger to the smaller side.
  func distance(to other: FoundBox) -> (centers: Double, sides: Double) {
    let x = (left + right - other.left - other.right) / 2
    let y = (top + bottom - other.top - other.bottom) / 2
    let mean = max((side + other.side) / 2, 1e-3)
    return (
      (x * x + y * y).squareRoot() / mean,
      max(side, other.side) / max(min(side, other.side), 1e-3)
    )
  }

  /// True if both may be the same thing: they overlap by a fifth of what they cover together, or their centers are
  /// within half a side, and neither is much larger.
  func matches(_ other: FoundBox) -> Bool {
    let distance = distance(to: other)
    guard distance.sides < 1.8 else { return false }
    if distance.centers < 0.5 { return true }
    let both = common(with: other)
    guard both.width > 0, both.height > 0 else { return false }
    return both.area > 0.2 * (area + other.area - both.area)
  }
}
