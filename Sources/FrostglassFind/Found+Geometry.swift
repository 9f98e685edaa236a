package import FrostglassCore

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
