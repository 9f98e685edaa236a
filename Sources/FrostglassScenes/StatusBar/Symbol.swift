package import FrostglassCore
internal import Glibc

/// A small drawing with a name: lines and areas, whose lines can be thin or bold.
package struct Symbol: Sendable, Hashable {
  package let name: String
  /// Units of its grid from side to side, and from top to bottom.
  package let width: Double
  package let height: Double
  private let marks: [Mark]

  /// The thickness of lines.
  package enum Weight: String, Sendable, Hashable, CaseIterable {
    case thin, light, regular, medium, semibold, bold

    /// In units.
    fileprivate var thickness: Double {
      switch self {
      case .thin: 1.1
      case .light: 1.5
      case .regular: 1.9
      case .medium: 2.2
      case .semibold: 2.5
      case .bold: 2.9
      }
    }
  }

  /// One thing that is drawn, over or out of what is there.
  private struct Mark: Sendable, Hashable {
    enum Kind: Character, Sendable {
      /// Lines as thick as the weight says, with round ends.
      case stroke = "s"
      /// Lines half as thick as the weight says.
      case thin = "t"
      /// Lines of twice that thickness.
      case wide = "w"
      /// An area.
      case area = "a"
      /// An area with soft corners: it is 0.7 units larger.
      case soft = "f"
      /// The part of an area that a level fills, from the left.
      case gauge = "g"
      /// Takes away an area.
      case hole = "o"
      /// Takes away lines or an area, and a gap around them.
      case gap = "x"
    }

    var kind: Kind
    /// The level from which on it counts; below, it is faint.
    var threshold: Double
    var path: SymbolPath
  }

  /// - Parameter row: of the table, `name: marks` or `name 28x14: marks`. Marks have semicolons
  ///   between them; each is the letter of a kind, perhaps `@` and a threshold, and a path.
  init?(row: Substring) {
    let parts = row.split(separator: ":", maxSplits: 1)
    guard parts.count == 2 else { return nil }
    let head = parts[0].split(separator: " ")
    let sides = head.count > 1 ? head[1].split(separator: "x").compactMap { Double($0) } : [24, 24]
    guard let name = head.first, sides.count == 2 else { return nil }
    self.name = String(name)
    (width, height) = (sides[0], sides[1])
    var marks: [Mark] = []
    for text in parts[1].split(separator: ";") {
      let words = text.drop { $0 == " " }.split(separator: " ", maxSplits: 1)
      guard words.count == 2, let letter = words[0].first, let kind = Mark.Kind(rawValue: letter),
        let path = SymbolPath(words[1])
      else { return nil }
      let threshold = words[0].dropFirst(2)
      marks.append(Mark(kind: kind, threshold: Double(threshold) ?? 0, path: path))
    }
    self.marks = marks
  }

  /// Returns the symbol's coverage of each pixel, as a gray image.
  ///
  /// - Parameters:
  ///   - frame: the limits of the image, which is as large as fits and keeps the symbol's shape.
  ///   - level: 0…1, for symbols that show one: a battery, a speaker.
  package func picture(in frame: Size, weight: Weight, level: Double) -> Image {
    let scale = min(Double(frame.width) / width, Double(frame.height) / height)
    let size = Size(
      width: max(1, Int((width * scale).rounded())), height: max(1, Int((height * scale).rounded()))
    )
    var image = Image(zeros: size, format: .gray8)
    for y in 0..<size.height {
      for x in 0..<size.width {
        let point = SIMD2(Double(x) + 0.5, Double(y) + 0.5) / scale
        let value = coverage(at: point, weight.thickness, level, scale)
        image.bytes[y * image.bytesPerRow + x] = UInt8((value * 255).rounded())
      }
    }
    return image
  }

  /// The share of a mark's coverage above the level.
  private static let faint = 0.3
  /// Around what is taken away, in units.
  private static let gap = 1.3

  /// 0…1.
  private func coverage(
    at point: SIMD2<Double>, _ thickness: Double, _ level: Double, _ scale: Double
  ) -> Double {
    var value = 0.0
    for mark in marks {
      let (lines, isInside) = mark.path.distance(point)
      let area = isInside ? -lines : lines
      let distance =
        switch mark.kind {
        case .stroke: lines - thickness / 2
        case .thin: lines - thickness / 4
        case .wide: lines - thickness
        case .area, .hole: area
        case .soft: area - 0.7
        case .gauge: max(area, point.x - mark.path.reach(level))
        case .gap: min(area, lines - thickness / 2) - Symbol.gap
        }
      let covered = min(max(0.5 - distance * scale, 0), 1)
      switch mark.kind {
      case .hole, .gap: value *= 1 - covered
      default: value = max(value, level + 1e-9 < mark.threshold ? covered * Symbol.faint : covered)
      }
    }
    return value
  }
}

extension SymbolPath {
  /// Returns the horizontal position that a level reaches in the path.
  fileprivate func reach(_ level: Double) -> Double {
    let ends = pieces.flatMap { [$0.start.x, $0.end.x] }
    let (low, high) = (ends.min() ?? 0, ends.max() ?? 0)
    return low + (high - low) * level
  }
}

/// Lines of a symbol in its grid of units, curves cut into short straight pieces.
///
/// Written as a text: `M x y` begins a line, `L x y` goes on, `C x1 y1 x2 y2 x y` bends, `Z` goes back
/// to its beginning. `A cx cy r from to` goes on with an arc, in degrees clockwise from the right.
/// `O cx cy r` is a circle and `R x y width height radius` a rectangle with round corners, each by
/// itself. Several make one path; an area is what an odd number of turns encloses.
struct SymbolPath: Sendable, Hashable {
  private(set) var pieces: [Piece] = []
  /// True if the path ends where it begins, so that it has an area.
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

  /// The number of numbers that follow each letter.
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

  /// Returns the distance of a point from the lines, in units, and whether it is in the area.
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

/// All symbols that have a name.
package enum SymbolTable {
  /// In order of their names.
  package static let all: [Symbol] = rows.split(separator: "\n").compactMap { Symbol(row: $0) }
  /// The number of rows; more than `all` if a row cannot be read.
  package static var rowCount: Int { rows.split(separator: "\n").count }

  /// The symbol of a name.
  package static func symbol(named name: String) -> Symbol? { all.first { $0.name == name } }

  // Drawn for Frostglass in a grid of 24 units, y downward; `Symbol.init(row:)` says how a row is
  // written.
  private static let rows = """
    airplane: a M 12 2 C 13.3 2 13.9 4 13.9 6 L 13.9 9.3 L 21.6 14.2 L 21.6 16.2 L 13.9 13.8 L \
      13.6 18.2 L 16.4 20.2 L 16.4 21.8 L 12 20.6 L 7.6 21.8 L 7.6 20.2 L 10.4 18.2 L 10.1 13.8 \
      L 2.4 16.2 L 2.4 14.2 L 10.1 9.3 L 10.1 6 C 10.1 4 10.7 2 12 2 Z
    airplay: s M 6.6 16.4 L 5.2 16.4 A 5.2 13.8 2.6 90 180 L 2.6 6.4 A 5.2 6.4 2.6 180 270 L \
      18.8 3.8 A 18.8 6.4 2.6 270 360 L 21.4 13.8 A 18.8 13.8 2.6 0 90 L 17.4 16.4; f M 12 15 L \
      17 20.4 L 7 20.4 Z
    antenna: a O 12 12 2.1; s M 15.9 8.1 A 12 12 5.5 -45 45; s M 8.1 15.9 A 12 12 5.5 135 225; \
      s M 18.8 5.2 A 12 12 9.6 -45 45; s M 5.2 18.8 A 12 12 9.6 135 225
    arrow-down: s M 12 3.4 L 12 20.4 M 5.4 13.8 L 12 20.4 L 18.6 13.8
    arrow-up: s M 12 20.6 L 12 3.6 M 5.4 10.2 L 12 3.6 L 18.6 10.2
    back: s M 15.6 3.6 L 7.6 12 L 15.6 20.4
    battery 28x14: t R 1 1 23 12 3.8; a M 25.4 4.6 L 25.8 4.6 A 25.4 7 2.2 -80 80 L 25.4 9.4 \
      Z; g R 2.9 2.9 19.2 8.2 2.2
    battery-charging 28x14: t R 1 1 23 12 3.8; a M 25.4 4.6 L 25.8 4.6 A 25.4 7 2.2 -80 80 L \
      25.4 9.4 Z; g R 2.9 2.9 19.2 8.2 2.2; x M 14.2 1.6 L 8.8 7.8 L 12.2 7.8 L 10.8 12.4 L 16.2 \
      6.2 L 12.8 6.2 Z; a M 14.2 1.6 L 8.8 7.8 L 12.2 7.8 L 10.8 12.4 L 16.2 6.2 L 12.8 6.2 Z
    bell: a M 4 17.4 C 4 16.4 6 15 6 12.4 L 6 9.6 C 6 5.8 8.6 3 12 3 C 15.4 3 18 5.8 18 9.6 L \
      18 12.4 C 18 15 20 16.4 20 17.4 C 20 18 19.6 18.2 19 18.2 L 5 18.2 C 4.4 18.2 4 18 4 17.4 \
      Z; a M 9.4 19.6 L 14.6 19.6 A 12 19.6 2.6 0 180 Z
    bluetooth: s M 6.4 7.2 L 17.2 16.6 L 12 21 L 12 3 L 17.2 7.4 L 6.4 16.8
    bolt: f M 14.2 2.8 L 5.6 13.4 L 11 13.4 L 9.8 21.2 L 18.4 10.6 L 13 10.6 Z
    bookmarks: s M 12 6.2 C 9.6 4.4 6.4 4 3 4.6 L 3 19 C 6.4 18.4 9.6 18.8 12 20.6 C 14.4 18.8 \
      17.6 18.4 21 19 L 21 4.6 C 17.6 4 14.4 4.4 12 6.2 L 12 20.6
    calculator: s R 4.8 2.2 14.4 19.6 3; a R 7.8 5.4 8.4 3.8 1; a O 8.9 12.6 1.15 O 12 12.6 \
      1.15 O 15.1 12.6 1.15 O 8.9 17 1.15 O 12 17 1.15 O 15.1 17 1.15
    call: w M 3.9 6.4 A 20.4 3.4 16.6 169.6 100.4; w M 3.9 6.4 L 6.8 5.6; w M 17.4 20 L 18.2 17.2
    camera: a M 2 9 A 5 9 3 180 270 L 7.4 6 L 8.6 4.4 C 9 3.8 9.4 3.6 10 3.6 L 14 3.6 C 14.6 \
      3.6 15 3.8 15.4 4.4 L 16.6 6 L 19 6 A 19 9 3 270 360 L 22 17.4 A 19 17.4 3 0 90 L 5 20.4 A \
      5 17.4 3 90 180 Z; o O 12 13 5; a O 12 13 3.2
    cellular: a@0.25 R 1.6 15.4 3.9 5.2 1.2; a@0.5 R 7.2 11.8 3.9 8.8 1.2; a@0.75 R 12.8 7.8 \
      3.9 12.8 1.2; a@1 R 18.4 3.6 3.9 17 1.2
    check: s M 4.4 12.8 L 9.6 18.4 L 19.8 5.8
    chevron-down: s M 3.8 8.2 L 12 16.2 L 20.2 8.2
    chevron-up: s M 3.8 15.8 L 12 7.8 L 20.2 15.8
    clock: s O 12 12 9.2; s M 12 6.4 L 12 12 L 15.8 14.4
    close: s M 5.2 5.2 L 18.8 18.8 M 18.8 5.2 L 5.2 18.8
    compass: s O 12 12 9.4; a M 16.8 7.2 L 13.8 13.8 L 7.2 16.8 L 10.2 10.2 Z; o O 12 12 1.2
    download: s M 12 3 L 12 14.6 M 7.4 10.2 L 12 14.8 L 16.6 10.2; s M 3.6 16 L 3.6 18 A 6.2 \
      18 2.6 180 90 L 17.8 20.6 A 17.8 18 2.6 90 0 L 20.4 16
    flashlight: a R 7 2 10 3.4 1.2; a M 7 6.8 L 17 6.8 C 17 9.8 15 10 15 12.2 L 15 20 A 13 20 \
      2 0 90 L 11 22 A 11 20 2 90 180 L 9 12.2 C 9 10 7 9.8 7 6.8 Z; o R 11.1 12 1.8 4.2 0.9
    forward: s M 8.4 3.6 L 16.4 12 L 8.4 20.4
    heart: a M 12 21 C 5 15.8 2.4 12.6 2.4 8.8 C 2.4 5.6 4.8 3.4 7.6 3.4 C 9.4 3.4 11 4.4 12 \
      6.2 C 13 4.4 14.6 3.4 16.4 3.4 C 19.2 3.4 21.6 5.6 21.6 8.8 C 21.6 12.6 19 15.8 12 21 Z
    home: f M 12 3.4 L 21 11.2 L 18.8 11.2 L 18.8 20 L 14.4 20 L 14.4 14.2 L 9.6 14.2 L 9.6 20 \
      L 5.2 20 L 5.2 11.2 L 3 11.2 Z
    location: f M 20.6 3.4 L 3.4 11.2 L 11.4 12.6 L 12.8 20.6 Z
    lock: a R 4.6 10.2 14.8 11.4 3; s M 7.9 11 L 7.9 7 A 12 7 4.1 180 360 L 16.1 11
    lock-open: a R 2.6 10.2 14.8 11.4 3; s M 13.8 11 L 13.8 7 A 17.9 7 4.1 180 360 L 22 9.4
    lock-rotation: s M 17.7 5.2 A 12 12.6 9.3 -52 228; s M 5.8 9.6 L 5.78 5.69 L 1.9 6.2; a R \
      8.2 11.2 7.6 6 1.4; t M 9.7 11.6 L 9.7 9.6 A 12 9.6 2.3 180 360 L 14.3 11.6
    mail: s R 2.2 4.8 19.6 14.4 3; s M 3.2 7.2 L 10.6 12.8 C 11.6 13.5 12.4 13.5 13.4 12.8 L \
      20.8 7.2
    menu: s M 3.6 6 L 20.4 6 M 3.6 12 L 20.4 12 M 3.6 18 L 20.4 18
    microphone: a R 8.4 2 7.2 12.6 3.6; s M 5 11.4 A 12 11.4 7 180 0; s M 12 18.4 L 12 21.6
    minus: s M 3.8 12 L 20.2 12
    moon: a O 11.4 12.6 9.2; o O 15.8 8.2 7.6
    more: a O 4.8 12 2 O 12 12 2 O 19.2 12 2
    mute: f M 3 9.8 L 6.4 9.8 L 11 5.8 L 11 18.2 L 6.4 14.2 L 3 14.2 Z; s M 15.6 9 L 21.6 15 M \
      21.6 9 L 15.6 15
    next: f M 2.6 6.8 L 11 12 L 2.6 17.2 Z; f M 12.4 6.8 L 20.8 12 L 12.4 17.2 Z
    pause: a R 5.6 4 4.6 16 1.6 R 13.8 4 4.6 16 1.6
    person: a O 12 7.4 4.6; a M 3.4 20 C 3.4 15.8 7.2 13.8 12 13.8 C 16.8 13.8 20.6 15.8 20.6 \
      20 C 20.6 21 20 21.4 19 21.4 L 5 21.4 C 4 21.4 3.4 21 3.4 20 Z
    play: f M 6.6 4.6 L 19.8 12 L 6.6 19.4 Z
    plus: s M 12 3.6 L 12 20.4 M 3.6 12 L 20.4 12
    previous: f M 21.4 6.8 L 13 12 L 21.4 17.2 Z; f M 11.6 6.8 L 3.2 12 L 11.6 17.2 Z
    reload: s M 19.73 10.83 A 12 12.9 8 -15 290; s M 12.86 1.85 L 14.74 5.38 L 11.03 6.88
    repeat: s M 4 10.6 L 4 9.4 A 7.2 9.4 3.2 180 270 L 19.4 6.2 M 16.4 3 L 19.6 6.2 L 16.4 \
      9.4; s M 20 13.4 L 20 14.6 A 16.8 14.6 3.2 0 90 L 4.6 17.8 M 7.6 14.6 L 4.4 17.8 L 7.6 21
    search: s O 10.2 10.2 6.9; s M 15.3 15.3 L 20.8 20.8
    settings: a O 12 12 7.2; w M 18.47 14.68 L 19.48 15.10 M 14.68 18.47 L 15.10 19.48 M 9.32 \
      18.47 L 8.90 19.48 M 5.53 14.68 L 4.52 15.10 M 5.53 9.32 L 4.52 8.90 M 9.32 5.53 L 8.90 \
      4.52 M 14.68 5.53 L 15.10 4.52 M 18.47 9.32 L 19.48 8.90; o O 12 12 3.1
    share: s M 8.6 9 L 7.6 9 A 7.6 11.4 2.4 270 180 L 5.2 18.8 A 7.6 18.8 2.4 180 90 L 16.4 \
      21.2 A 16.4 18.8 2.4 90 0 L 18.8 11.4 A 16.4 11.4 2.4 0 -90 L 15.4 9; s M 12 14.8 L 12 2.4 \
      M 8.2 6 L 12 2.2 L 15.8 6
    shuffle: s M 2.8 7 L 5.4 7 C 11 7 12 17 17.6 17 L 20.4 17; s M 17.6 13.8 L 20.8 17 L 17.6 \
      20.2; s M 2.8 17 L 5.4 17 C 7.4 17 8.8 15.8 9.8 14.4; s M 13.2 9.6 C 14.2 8.2 15.6 7 17.6 \
      7 L 20.4 7; s M 17.6 3.8 L 20.8 7 L 17.6 10.2
    speaker: f M 2 9.8 L 5.2 9.8 L 9.6 5.8 L 9.6 18.2 L 5.2 14.2 L 2 14.2 Z; s@0.05 M 13.6 9.2 \
      A 10.2 12 4.4 -39 39; s@0.34 M 16.2 6.8 A 10.2 12 7.9 -41 41; s@0.67 M 18.6 4.2 A 10.2 12 \
      11.4 -43 43
    speaker-plain: f M 7 9.8 L 10.2 9.8 L 14.6 5.8 L 14.6 18.2 L 10.2 14.2 L 7 14.2 Z
    star: f M 12.00 3.40 L 14.59 9.14 L 20.84 9.83 L 16.18 14.06 L 17.47 20.22 L 12.00 17.10 L \
      6.53 20.22 L 7.82 14.06 L 3.16 9.83 L 9.41 9.14 Z
    star-outline: s M 12.00 3.40 L 14.59 9.14 L 20.84 9.83 L 16.18 14.06 L 17.47 20.22 L 12.00 \
      17.10 L 6.53 20.22 L 7.82 14.06 L 3.16 9.83 L 9.41 9.14 Z
    sun: a O 12 12 4.6; s M 19.30 12.00 L 21.70 12.00 M 17.16 17.16 L 18.86 18.86 M 12.00 \
      19.30 L 12.00 21.70 M 6.84 17.16 L 5.14 18.86 M 4.70 12.00 L 2.30 12.00 M 6.84 6.84 L 5.14 \
      5.14 M 12.00 4.70 L 12.00 2.30 M 17.16 6.84 L 18.86 5.14
    tabs: s R 2.8 7.4 13.8 13.8 3; s M 7 4.6 L 7 4.4 C 7.4 3.4 8.4 2.8 9.6 2.8 L 18 2.8 A 18 6 \
      3.2 270 360 L 21.2 14.4 C 21.2 15.6 20.6 16.6 19.6 17 L 19.4 17
    timer: s O 12 13.4 8; s M 12 13.4 L 12 8.8; s M 9.4 2.4 L 14.6 2.4; s M 18.6 5.8 L 19.8 7
    trash: s M 3.8 6.2 L 20.2 6.2 M 9 6 L 9.6 3.4 L 14.4 3.4 L 15 6; s M 5.8 6.6 L 6.8 19.2 A \
      8.8 19 2 175 90 L 15.2 21 A 15.2 19 2 90 5 L 18.2 6.6; t M 9.8 10.2 L 10.2 17.2 M 14.2 \
      10.2 L 13.8 17.2
    video: a R 1.6 5.6 14 12.8 3.2; f M 17.4 10.6 L 21.4 7.8 L 21.4 16.2 L 17.4 13.4 Z
    wifi: a O 12 19 2.1; s@0.3 M 7.9 14.9 A 12 19 5.8 225 315; s@0.6 M 4.8 11.8 A 12 19 10.2 \
      225 315; s@0.9 M 1.7 8.7 A 12 19 14.6 225 315
    """
}
