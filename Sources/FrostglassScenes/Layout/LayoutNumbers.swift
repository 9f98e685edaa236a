internal import FrostglassCore

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
