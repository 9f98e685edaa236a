package import FrostglassCore

/// A thing that a detector found in an image, such as a face.
///
/// Coordinates are pixels of the upright image from its left-top corner; a box may reach beyond the image.
public struct Found: Sendable, Hashable, Codable {
  /// A place in an image, in its pixels.
  public struct Point: Sendable, Hashable, Codable {
    /// The distance from the left edge.
    public var x: Double
    /// The distance from the top edge.
    public var y: Double

    /// Creates a point.
    public init(x: Double, y: Double) {
      self.x = x
      self.y = y
    }
  }

  /// The box's left edge.
  public var x: Double
  /// The box's top edge.
  public var y: Double
  /// The box's width.
  public var width: Double
  /// The box's height.
  public var height: Double
  /// The certainty, from 0 to 1.
  public var score: Double
  /// The eyes, the tip of the nose and the corners of the mouth, left ones of the image first; empty where
  /// the detector says none.
  public var points: [Point]
  /// The kind of thing, such as `face`.
  public var label: String

  /// Creates a thing found.
  public init(
    x: Double, y: Double, width: Double, height: Double, score: Double, points: [Point] = [],
    label: String = "face"
  ) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
    self.score = score
    self.points = points
    self.label = label
  }
}

extension Found {
  /// Returns the share of two boxes' common area in that of both.
  package func overlap(with other: Found) -> Double {
    let columns = min(x + width, other.x + other.width) - max(x, other.x)
    let rows = min(y + height, other.y + other.height) - max(y, other.y)
    guard columns > 0, rows > 0 else { return 0 }
    let common = columns * rows
    return common / (width * height + other.width * other.height - common)
  }

  /// Returns the same with a box around another one, too.
  func united(with other: Found) -> Found {
    let (left, top) = (min(x, other.x), min(y, other.y))
    let right = max(x + width, other.x + other.width)
    let bottom = max(y + height, other.y + other.height)
    return Found(
      x: left, y: top, width: right - left, height: bottom - top, score: score, points: points,
      label: label)
  }

  /// Returns the same in an image of another size, which shows the same scene.
  func scaled(from size: Size, to other: Size) -> Found {
    let (x, y) = (
      Double(other.width) / Double(size.width), Double(other.height) / Double(size.height)
    )
    return Found(
      x: self.x * x, y: self.y * y, width: width * x, height: height * y, score: score,
      points: points.map { Point(x: $0.x * x, y: $0.y * y) }, label: label)
  }

  /// Returns the same in the image as it was before it was turned clockwise.
  ///
  /// - Parameter size: the turned image's.
  func turnedBack(_ quarters: Int, in size: Size) -> Found {
    var (found, size) = (self, size)
    for _ in 0..<quarters {
      let height = Double(size.width)
      found = Found(
        x: found.y, y: height - found.x - found.width, width: found.height, height: found.width,
        score: score, points: found.points.map { Point(x: $0.y, y: height - $0.x) }, label: label)
      size = Size(width: size.height, height: size.width)
    }
    return found
  }

  /// Returns the box that is to be covered: with a margin for hair, ears and a detector's doubt, within the image.
  ///
  /// - Returns: `nil` where nothing of it lies within the image.
  package func covered(in size: Size) -> Found? {
    let (across, along) = (width * Self.margin, height * Self.margin)
    let (left, top) = (max(x - across, 0), max(y - along, 0))
    let right = min(x + width + across, Double(size.width))
    let bottom = min(y + height + along, Double(size.height))
    guard right > left, bottom > top else { return nil }
    return Found(
      x: left, y: top, width: right - left, height: bottom - top, score: score, points: points,
      label: label)
  }

  /// The margin at each side of a box, as a part of its width or height.
  package static let margin = 0.15
}

extension [Found] {
  /// Returns the most certain first, without those of which more than a share overlaps a more certain one.
  package func withoutOverlaps(over share: Double) -> [Found] {
    var kept: [Found] = []
    for candidate in sorted(by: { $0.isBefore($1) })
    where !kept.contains(where: { $0.overlap(with: candidate) > share }) {
      kept.append(candidate)
    }
    return kept
  }
}

extension Found {
  /// True if it is more certain; equals have an order, too, so that results do not depend on that of networks.
  fileprivate func isBefore(_ other: Found) -> Bool {
    (score, other.y, other.x) > (other.score, y, x)
  }
}

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
