internal import Glibc

/// Lines of a symbol in its grid of units, curves cut into short straight pieces.
///
/// Written as a text: `M x y` begins a line, `L x y` goes on, `C x1 y1 x2 y2 x y` bends, `Z` goes back
/// to its beginning. `A cx cy r from to` goes on with an arc, in degrees clockwise from the right.
/// `O cx cy r` is a circle and `R x y width height radius` a rectangle with round corners, each by
/// itself. Several make one path; an area is what an odd number of turns encloses.
struct SymbolPath: Sendable, Hashable {
  private(set) var pieces: [Piece] = []
  /// Whether it ends where it begins, so that it has an area.
  private(set) var isClosed = false

  struct Piece: Sendable, Hashable {
    var start: SIMD2<Double>
    var end: SIMD2<Double>
  }

  private var first: SIMD2<Double>?
  private var last: SIMD2<Double>?

  /// - Returns: `nil` for a text that is no path.
  init?(_ text: Substring) {
    var words = text.split(separator: " ")[...]
    while let command = words.popFirst() {
      guard let count = SymbolPath.numbers[command], words.count >= count else { return nil }
      let numbers = words.prefix(count).compactMap { Double($0) }
      words = words.dropFirst(count)
      guard numbers.count == count else { return nil }
      add(command, numbers)
    }
    guard !pieces.isEmpty else { return nil }
  }

  /// How many numbers follow a letter.
  private static let numbers: [Substring: Int] = [
    "M": 2, "L": 2, "C": 6, "Z": 0, "A": 5, "O": 3, "R": 5,
  ]

  private mutating func add(_ command: Substring, _ n: [Double]) {
    switch command {
    case "M": begin(SIMD2(n[0], n[1]))
    case "L": line(to: SIMD2(n[0], n[1]))
    case "C": curve(SIMD2(n[0], n[1]), SIMD2(n[2], n[3]), to: SIMD2(n[4], n[5]))
    case "A": arc(SIMD2(n[0], n[1]), radius: n[2], from: n[3], to: n[4])
    case "O":
      begin(SIMD2(n[0] + n[2], n[1]))
      arc(SIMD2(n[0], n[1]), radius: n[2], from: 0, to: 360)
      close()
    case "R": rectangle(SIMD2(n[0], n[1]), SIMD2(n[0] + n[2], n[1] + n[3]), radius: n[4])
    default: close()
    }
  }

  private mutating func begin(_ point: SIMD2<Double>) { (first, last) = (point, point) }

  private mutating func line(to point: SIMD2<Double>) {
    if let last { pieces.append(Piece(start: last, end: point)) } else { first = point }
    last = point
  }

  private mutating func close() {
    if let first, let last, first != last { line(to: first) }
    isClosed = true
  }

  private mutating func curve(
    _ one: SIMD2<Double>, _ two: SIMD2<Double>, to end: SIMD2<Double>
  ) {
    guard let start = last else { return }
    for step in 1...12 {
      let t = Double(step) / 12
      let s = 1 - t
      let outer = start * (s * s * s) + end * (t * t * t)
      line(to: outer + one * (3 * s * s * t) + two * (3 * s * t * t))
    }
  }

  private mutating func arc(
    _ center: SIMD2<Double>, radius: Double, from: Double, to: Double
  ) {
    // Pieces of 5 degrees are off the circle by a thousandth of its radius.
    let steps = max(1, Int((abs(to - from) / 5).rounded(.up)))
    for step in 0...steps {
      let angle = (from + (to - from) * Double(step) / Double(steps)) * Double.pi / 180
      let point = center + radius * SIMD2(cos(angle), sin(angle))
      if point != last { line(to: point) }
    }
  }

  private mutating func rectangle(
    _ low: SIMD2<Double>, _ high: SIMD2<Double>, radius: Double
  ) {
    let radius = min(radius, (high.x - low.x) / 2, (high.y - low.y) / 2)
    begin(SIMD2(high.x, high.y - radius))
    arc(SIMD2(high.x - radius, high.y - radius), radius: radius, from: 0, to: 90)
    arc(SIMD2(low.x + radius, high.y - radius), radius: radius, from: 90, to: 180)
    arc(SIMD2(low.x + radius, low.y + radius), radius: radius, from: 180, to: 270)
    arc(SIMD2(high.x - radius, low.y + radius), radius: radius, from: 270, to: 360)
    close()
  }

  /// How far a point is from the lines, in units, and whether it is in the area.
  func distance(_ point: SIMD2<Double>) -> (lines: Double, isInside: Bool) {
    var nearest = Double.infinity
    var isInside = false
    for piece in pieces {
      let (way, off) = (piece.end - piece.start, point - piece.start)
      let length = (way * way).sum()
      let along = length > 0 ? min(max((off * way).sum() / length, 0), 1) : 0
      let rest = off - way * along
      nearest = min(nearest, (rest * rest).sum())
      let (a, b) = (piece.start, piece.end)
      if (a.y > point.y) != (b.y > point.y), off.x < way.x * off.y / way.y { isInside.toggle() }
    }
    return (nearest.squareRoot(), isInside && isClosed)
  }
}
