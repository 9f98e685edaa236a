internal import Glibc

/// How much of each pixel a rectangle with rounded corners covers.
struct CornerCoverage {
  private let size: Size
  /// Pixels to which a corner reaches.
  private let side: Int
  /// The top left corner's pixels, row by row.
  private let table: [Double]

  /// - Parameter radius: in pixels, at most half the shorter side.
  init(_ size: Size, radius: Double) {
    self.size = size
    side = Int(radius.rounded(.up))
    var table: [Double] = []
    for y in 0..<side {
      for x in 0..<side { table.append(Self.coverage(x: x, y: y, radius: radius)) }
    }
    self.table = table
  }

  /// 0…1, for a pixel of the rectangle.
  func at(x: Int, y: Int) -> Double {
    let fromSide = min(x, size.width - 1 - x)
    let fromEnd = min(y, size.height - 1 - y)
    guard fromSide < side, fromEnd < side else { return 1 }
    return table[fromEnd * side + fromSide]
  }

  /// The columns of a row that are wholly covered.
  func solidColumns(y: Int) -> Range<Int> {
    min(y, size.height - 1 - y) < side ? side..<max(size.width - side, side) : 0..<size.width
  }

  /// The mean over 64 lines through the pixel; along a line it is exact.
  private static func coverage(x: Int, y: Int, radius: Double) -> Double {
    var sum = 0.0
    for line in 0..<64 {
      let distance = radius - Double(y) - (Double(line) + 0.5) / 64
      // Below the circle's middle the edge is straight.
      let edge = distance <= 0 ? 0 : radius - sqrt(max(0, radius * radius - distance * distance))
      sum += max(0, min(1, Double(x + 1) - edge))
    }
    return sum / 64
  }
}
