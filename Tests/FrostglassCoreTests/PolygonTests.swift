import FrostglassCore
import Glibc
import TestSupport
import Testing

/// Polygons with many corners, of which a row evaluates few, against evaluating every side for every pixel.
@Suite struct PolygonTests {
  typealias Corner = Polygon.Corner

  /// Kinds of polygons, in and around an image of 300 × 200.
  enum Kind: CaseIterable {
    case circle, star, rough, ring, turns, anywhere, whole, comb, outside, far, fan, hair

    /// True if very many sides are equally near, so that one stands for others.
    var isCrowded: Bool { self == .fan || self == .hair || self == .turns }

    func corners(_ count: Int, seed: UInt64 = 1) -> [Corner] {
      var random = TestImages.Random(seed: seed)
      func number(_ low: Double, _ high: Double) -> Double {
        low + Double(random.next()) * (high - low)
      }
      func around(_ angle: Double, _ radius: Double) -> Corner {
        Corner(x: 150.3 + radius * cos(angle), y: 99.8 + radius * sin(angle))
      }
      var corners: [Corner] = []
      for index in 0..<count {
        let angle = Double(index) / Double(count) * 2 * .pi
        switch self {
        case .circle: corners.append(around(angle, 80))
        case .star: corners.append(around(angle, index % 2 == 0 ? 90 : 20))
        case .rough: corners.append(around(angle, 75 + 10 * sin(7 * angle) + number(0, 4)))
        // Around, and back inside: what lies between the turns.
        case .ring: corners.append(around(2 * angle, index < count / 2 ? 90 : 35))
        // The same way again and again, up to a hair.
        case .turns: corners.append(around(20 * angle + 1e-7 * number(0, 1), 70))
        case .anywhere: corners.append(Corner(x: number(-60, 360), y: number(-40, 240)))
        // On borders of pixels, and several times in one place.
        case .whole:
          let corner = Corner(x: number(-9, 309).rounded(), y: number(-9, 209).rounded())
          corners.append(index % 7 == 3 ? corners[index - 1] : corner)
        case .comb:
          corners.append(
            Corner(x: index % 2 == 0 ? 20 : 280, y: 200 * Double(index) / Double(count)))
        case .outside: corners.append(Corner(x: number(-400, -5), y: number(-90, 290)))
        case .far: corners.append(Corner(x: number(-9e5, 9e5), y: number(-9e5, 9e5)))
        // From one corner to a line and back.
        case .fan:
          corners.append(index % 2 == 0 ? Corner(x: 120, y: 90) : Corner(x: 280, y: number(0, 200)))
        case .hair:
          corners.append(Corner(x: index % 2 == 0 ? 40 : 250, y: 100 + number(0, 1e-3)))
        }
      }
      return corners
    }
  }

  /// By a look at each side.
  static func distance(_ x: Double, _ y: Double, _ corners: [Corner]) -> Double {
    var nearest = Double.infinity
    var isInside = false
    var a = corners[corners.count - 1]
    for b in corners {
      let (ex, ey) = (b.x - a.x, b.y - a.y)
      let (px, py) = (x - a.x, y - a.y)
      let length = ex * ex + ey * ey
      let along = length > 0 ? min(max((px * ex + py * ey) / length, 0), 1) : 0
      let (dx, dy) = (px - ex * along, py - ey * along)
      nearest = min(nearest, dx * dx + dy * dy)
      if (a.y > y) != (b.y > y), px < ex * (y - a.y) / ey { isInside.toggle() }
      a = b
    }
    return isInside ? -nearest.squareRoot() : nearest.squareRoot()
  }

  static func row(_ coverage: Coverage, _ y: Int, _ columns: Range<Int>) -> [Float] {
    var row = [Float](repeating: -1, count: columns.count)
    row.withUnsafeMutableBufferPointer { coverage.row(y, columns, into: $0) }
    return row
  }

  static let looks: [(feather: Double, grow: Double)] = [
    (0, 0), (0.7, 2), (9, 0), (60, -5), (400, 30), (5, -200), (25, 1000),
  ]

  /// To the bit, whichever part of a row is asked for.
  @Test(arguments: Kind.allCases, [63, 64, 100, 333, 1500])
  func aRowIsWhatEachPixelFinds(kind: Kind, count: Int) {
    let corners = kind.corners(count)
    let polygon = Polygon(corners)
    for (place, look) in Self.looks.enumerated() {
      let shape = CoverageShape(.polygon(polygon), feather: look.feather, grow: look.grow)
      let inverted = Coverage([shape], isInverted: true)
      for y in stride(from: -12 + place, to: 212, by: 37) {
        let columns = -20 - 3 * place..<312 + place
        let row = Self.row(Coverage([shape]), y, columns)
        let expected = columns.map { x in
          let distance = Self.distance(Double(x) + 0.5, Double(y) + 0.5, corners)
          return Float(shape.coverage(at: distance - look.grow))
        }
        if kind.isCrowded {
          #expect(zip(row, expected).allSatisfy { abs($0 - $1) < 1e-6 }, "\(look) \(y)")
        } else {
          #expect(row == expected, "\(look) \(y)")
        }
        #expect(Self.row(inverted, y, columns) == row.map { 1 - $0 })
        for part in [columns.lowerBound..<5, 17..<301, 255..<257, 130..<131] {
          let first = part.lowerBound - columns.lowerBound
          #expect(
            Self.row(Coverage([shape]), y, part) == Array(row[first..<first + part.count]),
            "\(look) \(y) \(part)")
        }
      }
    }
  }

  @Test(arguments: Kind.allCases) func distancesAreThoseOfTheNearestSide(kind: Kind) {
    var random = TestImages.Random(seed: 4)
    let corners = kind.corners(700, seed: 2)
    let polygon = Polygon(corners)
    for _ in 0..<300 {
      let (x, y) = (Double(random.next()) * 500 - 100, Double(random.next()) * 400 - 100)
      // Centers of pixels lie on the corners' rows now and then.
      for (x, y) in [(x, y), (x.rounded(), y.rounded())] {
        #expect(polygon.distance(x, y) == Self.distance(x, y, corners), "\(x), \(y)")
      }
    }
  }

  /// A shape with many corners is combined with other shapes.
  @Test func manyCornersCountWithOtherShapes() {
    let shapes = [
      CoverageShape(.ellipse(Ellipse(x: 100, y: 90, radiusX: 60, radiusY: 40)), feather: 30),
      CoverageShape(.polygon(Polygon(Kind.rough.corners(500))), feather: 12, grow: -9),
      CoverageShape(.polygon(Polygon(Kind.star.corners(64))), feather: 40),
    ]
    for y in stride(from: 0, to: 200, by: 23) {
      let each = shapes.map { Self.row(Coverage([$0]), y, 0..<300) }
      let all = Self.row(Coverage(shapes), y, 0..<300)
      #expect(all == (0..<300).map { x in each.map { $0[x] }.max() })
    }
  }

  /// Runs of rows hold what rows do.
  @Test(arguments: Kind.allCases) func runsAreTheRow(kind: Kind) {
    let polygon = Polygon(kind.corners(200))
    for isInverted in [false, true] {
      let coverage = Coverage(
        [CoverageShape(.polygon(polygon), feather: 6)], isInverted: isInverted)
      let columns = -5..<290
      let runs = CoverageRuns(coverage, columns, rows: 0..<200)
      for y in stride(from: 0, to: 200, by: 31) {
        let found = runs.row(y)
        var values: [Float] = []
        for run in found.runs {
          for place in values.count..<run.end - columns.lowerBound {
            values.append(
              run.kind == .none ? 0 : run.kind == .all ? 1 : found.coverage[place])
          }
        }
        #expect(values == Self.row(coverage, y, columns), "\(y)")
      }
    }
  }
}
