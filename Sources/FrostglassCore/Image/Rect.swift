/// A rectangle of whole pixels; `x`, `y` is its top left corner and may be negative.
public struct Rect: Sendable, Hashable, CustomStringConvertible {
  /// The left column.
  public var x: Int
  /// The top row.
  public var y: Int
  /// Columns; none where it is 0 or less.
  public var width: Int
  /// Rows; none where it is 0 or less.
  public var height: Int

  /// A rectangle of whole pixels.
  public init(x: Int, y: Int, width: Int, height: Int) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// The rectangle spanned by columns and rows.
  public init(columns: Range<Int>, rows: Range<Int>) {
    self.init(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
  }

  /// The whole of a picture.
  public init(_ size: Size) {
    self.init(x: 0, y: 0, width: size.width, height: size.height)
  }

  /// Its columns; the width must not be negative.
  public var columns: Range<Int> { x..<x + width }
  /// Its rows; the height must not be negative.
  public var rows: Range<Int> { y..<y + height }
  /// Its width and height.
  public var size: Size { Size(width: width, height: height) }
  /// Number of pixels.
  public var area: Int { width * height }
  /// Whether no pixel is in it.
  public var isEmpty: Bool { width <= 0 || height <= 0 }

  /// Whether `other` lies wholly inside.
  public func contains(_ other: Rect) -> Bool {
    // Without sums, which could overflow for what a caller asks.
    x <= other.x && y <= other.y && other.width <= width && other.height <= height
      && other.x - x <= width - other.width && other.y - y <= height - other.height
  }

  /// The smallest rectangle that holds both.
  public func union(_ other: Rect) -> Rect {
    Rect(columns: columns.union(other.columns), rows: rows.union(other.rows))
  }

  /// The part inside `other`; where that is nothing, the pixel of `other` that is nearest.
  package func limited(to other: Rect) -> Rect {
    Rect(columns: columns.limited(to: other.columns), rows: rows.limited(to: other.rows))
  }

  /// The part inside `other`; may be empty.
  package func intersection(_ other: Rect) -> Rect {
    Rect(columns: columns.clamped(to: other.columns), rows: rows.clamped(to: other.rows))
  }

  /// Size and place in words.
  public var description: String {
    "\(width)×\(height)\(x < 0 ? "" : "+")\(x)\(y < 0 ? "" : "+")\(y)"
  }
}

extension Range<Int> {
  /// The smallest range that holds both.
  package func union(_ other: Range<Int>) -> Range<Int> {
    Swift.min(lowerBound, other.lowerBound)..<Swift.max(upperBound, other.upperBound)
  }

  /// The part inside `other`, at least one number of it.
  package func limited(to other: Range<Int>) -> Range<Int> {
    let low = Swift.min(Swift.max(lowerBound, other.lowerBound), other.upperBound - 1)
    let high = Swift.max(Swift.min(upperBound, other.upperBound), low + 1)
    return low..<high
  }

  /// The range widened by `amount` at both ends.
  package func expanded(by amount: Int) -> Range<Int> {
    lowerBound - amount..<upperBound + amount
  }
}

/// Integer division that rounds toward minus infinity, for coordinates that may be negative.
package func floorDivide(_ dividend: Int, _ divisor: Int) -> Int {
  let quotient = dividend / divisor
  return dividend % divisor != 0 && (dividend < 0) != (divisor < 0) ? quotient - 1 : quotient
}

/// The remainder that goes with `floorDivide`: 0 ..< divisor for every dividend.
package func floorModulo(_ dividend: Int, _ divisor: Int) -> Int {
  dividend - floorDivide(dividend, divisor) * divisor
}

/// The size of a picture in pixels. Both sides are at least 1.
public struct Size: Sendable, Hashable, CustomStringConvertible {
  /// Pixels per row.
  public var width: Int
  /// Rows.
  public var height: Int

  /// A size in pixels; pictures have 1 or more of each.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// Number of pixels.
  public var area: Int { width * height }

  /// The shorter of the two sides, which percentages refer to.
  public var shorterSide: Int { min(width, height) }

  /// `640×480`.
  public var description: String { "\(width)×\(height)" }
}
