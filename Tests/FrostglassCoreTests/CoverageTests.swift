import FrostglassCore
import Glibc
import TestSupport
import Testing

/// Coverage of pixels by shapes.
@Suite struct CoverageTests {
  static func rows(_ coverage: Coverage, _ width: Int, _ height: Int) -> [[Float]] {
    (0..<height).map { y in
      var row = [Float](repeating: -1, count: width)
      row.withUnsafeMutableBufferPointer { coverage.row(y, 0..<width, into: $0) }
      return row
    }
  }

  static func box(
    _ left: Double, _ top: Double, _ right: Double, _ bottom: Double, radius: Double = 0,
    isContinuous: Bool = false
  ) -> CoverageShape.Outline {
    .rectangle(
      RoundedRectangle(
        left: left, top: top, right: right, bottom: bottom, radius: radius,
        isContinuous: isContinuous))
  }

  static func polygon(_ corners: (Double, Double)...) -> CoverageShape.Outline {
    .polygon(Polygon(corners.map { Polygon.Corner(x: $0.0, y: $0.1) }))
  }

  private func sum(_ coverage: Coverage, _ width: Int, _ height: Int) -> Double {
    Self.rows(coverage, width, height).joined().reduce(0) { $0 + Double($1) }
  }

  @Test func rectanglesOnWholePixelsCoverThemAndNoOthers() {
    let rows = Self.rows(Coverage([CoverageShape(Self.box(3, 2, 11, 7))]), 40, 12)
    for y in 0..<12 {
      for x in 0..<40 {
        #expect(rows[y][x] == ((3..<11).contains(x) && (2..<7).contains(y) ? 1 : 0))
      }
    }
  }

  @Test(arguments: [(40.0, 50.0, 50.0), (23.7, 61.3, 44.9), (3.2, 10.5, 10.1)])
  func circlesHaveTheirArea(radius: Double, x: Double, y: Double) {
    let circle = Ellipse(x: x, y: y, radiusX: radius, radiusY: radius)
    let area = sum(Coverage([CoverageShape(.ellipse(circle))]), 110, 110)
    // A thousandth; a border of a few dozen pixels cannot be that exact.
    let allowed = radius > 20 ? 0.001 : 0.02
    #expect(abs(area / (Double.pi * radius * radius) - 1) < allowed)
  }

  /// Against the nearest of many points of the border.
  @Test(arguments: [(100.0, 50.0), (100, 10), (10, 100), (60, 2), (33, 32.9)])
  func ellipsesHaveExactDistances(radiusX: Double, radiusY: Double) throws {
    var random = TestImages.Random(seed: 3)
    let ellipse = Ellipse(x: 0, y: 0, radiusX: radiusX, radiusY: radiusY)
    for _ in 0..<60 {
      let x = Double(random.next() - 0.5) * 300
      let y = Double(random.next() - 0.5) * 300
      var nearest = Double.infinity
      for step in 0..<20_000 {
        let angle = Double(step) * .pi / 10_000
        nearest = min(nearest, hypot(radiusX * cos(angle) - x, radiusY * sin(angle) - y))
      }
      let inside = x * x / (radiusX * radiusX) + y * y / (radiusY * radiusY) < 1
      #expect(abs(ellipse.distance(x, y) - (inside ? -nearest : nearest)) < 1e-3)
    }
  }

  /// Continuous corners meet the diagonal where quarters of circles do, and begin to bend earlier.
  @Test func continuousCornersTouchTheDiagonal() {
    let round = CoverageShape(Self.box(0, 0, 200, 200, radius: 40))
    let soft = CoverageShape(Self.box(0, 0, 200, 200, radius: 40, isContinuous: true))
    let (a, b) = (
      Self.rows(Coverage([round]), 200, 200), Self.rows(Coverage([soft]), 200, 200)
    )
    // 40 (1 − 1/√2) = 11.7: the border goes through pixel 11 of the diagonal.
    for place in 0..<60 { #expect(abs(a[place][place] - b[place][place]) < 0.05, "\(place)") }
    #expect(a[11][11] > 0.1 && a[11][11] < 0.9)
    // Beside the end of the circle's quarter the soft corner has left the side already.
    #expect(a[0][41] == 1 && b[0][41] < 0.9)
    // 1.528665 radii along the sides it is over.
    #expect(b[0][62] == 1)
  }

  @Test func polygonsMayBeConcaveAndCrossThemselves() {
    let hook = Self.polygon((2, 2), (12, 2), (12, 5), (5, 5), (5, 12), (2, 12))
    let rows = Self.rows(Coverage([CoverageShape(hook)]), 16, 16)
    for y in 0..<16 {
      for x in 0..<16 {
        let inside =
          (2..<12).contains(x) && (2..<5).contains(y)
          || (2..<5).contains(x) && (2..<12).contains(y)
        #expect(rows[y][x] == (inside ? 1 : 0), "\(x), \(y)")
      }
    }
    // A pentagram: its points are inside, its middle is enclosed twice and so outside.
    let star = (0..<5).map { index in
      let angle = Double(index) * 0.8 * .pi
      return Polygon.Corner(x: 50 + 45 * sin(angle), y: 50 - 45 * cos(angle))
    }
    let points = Self.rows(Coverage([CoverageShape(.polygon(Polygon(star)))]), 100, 100)
    #expect(points[50][50] == 0)
    #expect(points[15][50] == 1)
    #expect(points[5][5] == 0)
  }

  @Test(arguments: [1.0, 6, 25.5])
  func featherIsOutsideAndFalls(feather: Double) {
    for outline in [Self.box(60, 10, 100, 90), Self.box(60, 10, 100, 90, radius: 9)] {
      let rows = Self.rows(Coverage([CoverageShape(outline, feather: feather)]), 160, 100)
      let row = rows[50]
      #expect(row[60..<100].allSatisfy { $0 == 1 })
      for x in 100..<159 { #expect(row[x] >= row[x + 1]) }
      for x in 1..<60 { #expect(row[x] >= row[x - 1]) }
      #expect(row[100] < 1)
      #expect(row[100 + Int(feather.rounded(.up))] == 0)
    }
  }

  @Test func growingMovesTheBorder() {
    let shrunk = Coverage([CoverageShape(Self.box(3, 4, 30, 20), grow: -3)])
    #expect(
      Self.rows(shrunk, 40, 30)
        == Self.rows(Coverage([CoverageShape(Self.box(6, 7, 27, 17))]), 40, 30))
    let grown = CoverageShape(.ellipse(Ellipse(x: 30, y: 30, radiusX: 9, radiusY: 9)), grow: 4)
    let large = CoverageShape(.ellipse(Ellipse(x: 30, y: 30, radiusX: 13, radiusY: 13)))
    for (a, b) in zip(Self.rows(Coverage([grown]), 60, 60), Self.rows(Coverage([large]), 60, 60)) {
      #expect(zip(a, b).allSatisfy { abs($0 - $1) < 1e-6 })
    }
  }

  @Test func invertedAndUntouchedAreTheRest() {
    let shapes = [
      CoverageShape(Self.box(3.3, 4, 10, 9.6)),
      CoverageShape(.ellipse(Ellipse(x: 20, y: 9, radiusX: 6, radiusY: 4)), feather: 3),
    ]
    let plain = Self.rows(Coverage(shapes), 40, 20)
    let inverted = Self.rows(Coverage(shapes, isInverted: true), 40, 20)
    var free = Coverage(shapes)
    free.isUntouched = true
    for (a, (b, c)) in zip(plain.joined(), zip(inverted.joined(), Self.rows(free, 40, 20).joined()))
    {
      #expect(b == 1 - a)
      #expect(c == (a > 0 ? 0 : 1))
    }
  }

  @Test func severalShapesCoverWhatAnyCovers() {
    let shapes = CoverageTests.randomShapes(seed: 5, count: 3)
    let all = Self.rows(Coverage(shapes), 64, 48)
    let each = shapes.map { Self.rows(Coverage([$0]), 64, 48) }
    for y in 0..<48 {
      for x in 0..<64 { #expect(all[y][x] == each.map { $0[y][x] }.max()) }
    }
  }

  /// One shape at many places, as of something that moves, covers what each pixel alone finds, to the bit.
  @Test(arguments: [(0.0, 4.0), (0, -2.5), (7, 0), (30, 12)])
  func shapesThatOverlapCoverWhatEachPixelFinds(feather: Double, grow: Double) {
    let corners = [(0.0, 0.0), (40, 5), (35, 30), (18, 22), (-4, 38)]
    let moved = (0..<12).map { (x: 9 + 1.7 * Double($0), y: 4 + 0.6 * Double($0)) }
    // Radii below zero are those of a slope that shows in its center, too.
    for (kind, radii) in [(18.0, 21.0), (30, 3), (16, 16), (-8, -8)].enumerated() {
      let shapes = moved.flatMap { place -> [CoverageShape] in
        let ellipse = Ellipse(
          x: place.x + 18, y: place.y + 16, radiusX: radii.0, radiusY: radii.1)
        var outlines: [CoverageShape.Outline] = [.ellipse(ellipse)]
        if kind >= 2 {
          let polygon = Polygon(corners.map { .init(x: $0.0 + place.x, y: $0.1 + place.y) })
          outlines.insert(.polygon(polygon), at: 0)
        }
        return outlines.map { CoverageShape($0, feather: feather, grow: grow) }
      }
      let rows = Self.rows(Coverage(shapes), 90, 60)
      for y in 0..<60 {
        let alone = (0..<90).map { x in
          let values = shapes.map { shape in
            let distance =
              switch shape.outline {
              case .ellipse(let ellipse): ellipse.distance(Double(x) + 0.5, Double(y) + 0.5)
              case .polygon(let polygon): polygon.distance(Double(x) + 0.5, Double(y) + 0.5)
              default: Double.nan
              }
            return Float(shape.coverage(at: distance - shape.grow))
          }
          return values.max() ?? 0
        }
        #expect(rows[y] == alone, "\(kind) \(y)")
      }
    }
  }

  /// The distances that an image's border is moved by, against trying all pixels.
  @Test func movedImagesFollowTheNearestPixel() {
    let size = Size(width: 31, height: 23)
    var random = TestImages.Random(seed: 9)
    let samples = (0..<size.area).map { _ in random.next() > 0.93 ? UInt16(65535) : 0 }
    let moved = MaskImage(size: size, samples: samples).moved(outward: 2.6, feather: 4)
    for y in 0..<size.height {
      for x in 0..<size.width {
        var (toInside, toOutside) = (Double.infinity, Double.infinity)
        for v in 0..<size.height {
          for u in 0..<size.width {
            let distance = hypot(Double(u - x), Double(v - y))
            if samples[v * size.width + u] > 0 {
              toInside = min(toInside, distance)
            } else {
              toOutside = min(toOutside, distance)
            }
          }
        }
        let distance = toInside > 0 ? toInside - 0.5 : 0.5 - toOutside
        let t = min(max((distance - 2.6) / 4, 0), 1)
        let expected = 1 - t * t * (3 - 2 * t)
        let actual = Double(moved.samples[y * size.width + x]) / 65535
        #expect(abs(actual - expected) < 1e-5, "\(x), \(y)")
      }
    }
  }
}

extension CoverageTests {
  /// Shapes of every kind, in and around 64 × 48 pixels, feathered and grown or not.
  static func randomShapes(seed: UInt64, count: Int) -> [CoverageShape] {
    var random = TestImages.Random(seed: seed)
    func number(_ low: Double, _ high: Double) -> Double {
      low + Double(random.next()) * (high - low)
    }
    return (0..<count).map { _ in
      let (x, y) = (number(-20, 60), number(-20, 40))
      let (width, height) = (number(0.2, 50), number(0.2, 50))
      let outline: CoverageShape.Outline
      switch Int(number(0, 6)) {
      case 0: outline = box(x, y, x + width, y + height)
      case 1: outline = box(x, y, x + width, y + height, radius: number(0, 20))
      case 2:
        outline = box(x, y, x + width, y + height, radius: number(1, 20), isContinuous: true)
      case 3: outline = .ellipse(Ellipse(x: x, y: y, radiusX: width / 2, radiusY: height / 2))
      case 4:
        outline = polygon(
          (x, y), (number(-20, 80), number(-20, 60)), (number(-20, 80), number(-20, 60)),
          (number(-20, 80), number(-20, 60)))
      default:
        outline = .ramp(
          Ramp(
            from: Polygon.Corner(x: x, y: y),
            to: Polygon.Corner(x: number(0, 1) < 0.3 ? x : number(0, 60), y: number(0, 50)),
            easing: .smooth))
      }
      return CoverageShape(
        outline, feather: number(0, 1) < 0.5 ? 0 : number(0, 15),
        grow: number(0, 1) < 0.5 ? 0 : number(-8, 20))
    }
  }

  /// Coverages of one to three shapes, inverted or not.
  static func randomCoverages(_ count: Int) -> [Coverage] {
    (0..<count).map { index in
      Coverage(
        randomShapes(seed: UInt64(1000 + index), count: 1 + index % 3), isInverted: index % 5 == 0)
    }
  }

  /// A plan computes what these rectangles hold and nothing else: a pixel that is missing in one
  /// would be wrong without any other sign.
  @Test func partsHoldEveryPixelTheyMust() {
    let picture = Rect(x: 0, y: 0, width: 64, height: 48)
    for (index, coverage) in Self.randomCoverages(400).enumerated() {
      var untouched = coverage
      untouched.isUntouched = true
      for coverage in [coverage, untouched] {
        let rows = Self.rows(coverage, 64, 48)
        for value in [0.0, 0.2, 0.7, 1] {
          let above = coverage.part(above: value, of: picture)
          let below = coverage.part(below: value, of: picture)
          var missing = 0
          for y in 0..<48 {
            for x in 0..<64 {
              if Double(rows[y][x]) > value, !Self.holds(above, x, y) { missing += 1 }
              if Double(rows[y][x]) < value, !Self.holds(below, x, y) { missing += 1 }
            }
          }
          #expect(missing == 0, "\(index): \(coverage) at \(value)")
        }
      }
    }
  }

  /// Upright and level gradients know their rows and columns exactly, as a look at each finds them.
  @Test(arguments: MaskShape.Easing.allCases)
  func partsOfGradientsAreExact(easing: MaskShape.Easing) {
    let ends = [(3.0, 61.5), (61.5, 3), (-20, 90), (30, 30.001), (70, 90), (-9, -3), (0, 0)]
    for (start, end) in ends {
      for isUpright in [true, false] {
        let corners = [start, end].map {
          isUpright ? Polygon.Corner(x: 5, y: $0) : Polygon.Corner(x: $0, y: 5)
        }
        let ramp = Ramp(from: corners[0], to: corners[1], easing: easing)
        let (width, height) = isUpright ? (2, 64) : (64, 2)
        let picture = Rect(x: 0, y: 0, width: width, height: height)
        let coverage = Coverage([CoverageShape(.ramp(ramp))])
        let rows = Self.rows(coverage, width, height)
        let values = (0..<64).map { Double(isUpright ? rows[$0][0] : rows[0][$0]) }
        for value in [0, 1e-9, 0.2, 0.7, 1] + values {
          for (part, taken) in [
            (
              coverage.part(above: value, of: picture), values.indices.filter { values[$0] > value }
            ),
            (
              coverage.part(below: value, of: picture), values.indices.filter { values[$0] < value }
            ),
          ] {
            let found = part.map { isUpright ? $0.rows : $0.columns }
            #expect(found == taken.first.map { $0..<$0 + taken.count }, "\(ramp) at \(value)")
          }
        }
      }
    }
  }

  private static func holds(_ rect: Rect?, _ x: Int, _ y: Int) -> Bool {
    guard let rect else { return false }
    return rect.columns.contains(x) && rect.rows.contains(y)
  }

  /// Strips and tiles ask for parts of rows: they must be those of the whole.
  @Test func partsOfRowsAreThoseOfTheWhole() {
    for coverage in Self.randomCoverages(200) {
      for y in [0, 17, 47] {
        let whole = Self.rows(coverage, 64, 48)[y]
        for columns in [1..<64, 13..<50, 40..<41] {
          var part = [Float](repeating: -1, count: columns.count)
          part.withUnsafeMutableBufferPointer { coverage.row(y, columns, into: $0) }
          #expect(part == Array(whole[columns]), "\(coverage)")
        }
      }
    }
  }
}

/// Rows in runs that are covered alike.
@Suite struct CoverageRunsTests {
  static let shapes: [CoverageShape.Outline] = [
    .rectangle(RoundedRectangle(left: 10.25, top: 5, right: 61, bottom: 40.5)),
    .rectangle(RoundedRectangle(left: 10, top: 5, right: 61, bottom: 40, radius: 14)),
    .rectangle(
      RoundedRectangle(left: -4, top: -6, right: 71, bottom: 50, radius: 18, isContinuous: true)),
    .ellipse(Ellipse(x: 40, y: 30, radiusX: 33, radiusY: 11)),
    .ellipse(Ellipse(x: 40, y: 30, radiusX: 9, radiusY: 29.5)),
    .ellipse(Ellipse(x: 20, y: 20, radiusX: 15, radiusY: 15)),
    .polygon(
      Polygon([
        .init(x: 5, y: 3), .init(x: 90, y: 30), .init(x: 10, y: 55), .init(x: 60, y: 2),
        .init(x: 70, y: 58),
      ])),
  ]

  /// A row that starts elsewhere, and one pixel alone, have the same coverage; so have runs.
  @Test(arguments: [(0.0, 0.0), (0.6, 2), (9, 0), (14, -3), (0, 15), (0, -8.5), (5, 30)])
  func runsAreTheRow(feather: Double, grow: Double) {
    for (place, outline) in Self.shapes.enumerated() {
      var shapes = [CoverageShape(outline, feather: feather, grow: grow)]
      if place % 3 == 2 { shapes.append(CoverageShape(Self.shapes[0], feather: feather)) }
      for isInverted in [false, true] {
        let coverage = Coverage(shapes, isInverted: isInverted)
        let columns = -7..<103
        let runs = CoverageRuns(coverage, columns, rows: -5..<65)
        for y in -5..<65 {
          var alone: [Float] = []
          for x in columns {
            var value: Float = -1
            withUnsafeMutablePointer(to: &value) {
              coverage.row(y, x..<x + 1, into: UnsafeMutableBufferPointer(start: $0, count: 1))
            }
            alone.append(value)
          }
          var whole = [Float](repeating: -1, count: columns.count)
          whole.withUnsafeMutableBufferPointer { coverage.row(y, columns, into: $0) }
          #expect(whole == alone, "\(coverage) \(y)")
          let row = runs.row(y)
          var found: [Float] = []
          var x = columns.lowerBound
          for run in row.runs {
            for column in x..<run.end {
              switch run.kind {
              case .none: found.append(0)
              case .all: found.append(1)
              case .some: found.append(row.coverage[column - columns.lowerBound])
              }
            }
            x = run.end
          }
          #expect(found == alone, "\(coverage) \(y)")
        }
      }
    }
  }

  /// The minimum and maximum coverage of a part hold for each of its pixels. For a single pixel they are less than
  /// 0.01 apart.
  @Test(arguments: [(0.0, 0.0), (9, 0), (40, -3)])
  func rangesHoldEveryPixel(feather: Double, grow: Double) {
    let ramps: [CoverageShape.Outline] = [
      .ramp(Ramp(from: .init(x: 3, y: 7), to: .init(x: 80, y: 31), easing: .smooth)),
      .ramp(Ramp(from: .init(x: 0, y: 40), to: .init(x: 0, y: 12))),
    ]
    var random = TestImages.Random(seed: 11)
    for outline in Self.shapes + ramps {
      let shapes = [CoverageShape(outline, feather: feather, grow: grow)]
      for coverage in [Coverage(shapes), Coverage(shapes, isInverted: true)] {
        for size in [1, 8, 40] {
          for _ in 0..<20 {
            let part = Rect(
              x: Int(random.next() * 90) - 5, y: Int(random.next() * 60) - 5, width: size,
              height: max(size / 2, 1))
            let range = coverage.range(in: part)
            for y in part.rows {
              var row = [Float](repeating: -1, count: size)
              row.withUnsafeMutableBufferPointer { coverage.row(y, part.columns, into: $0) }
              #expect(row.allSatisfy(range.contains), "\(coverage) \(part)")
            }
            if size == 1 { #expect(range.upperBound - range.lowerBound < 0.01) }
          }
        }
      }
    }
  }
}
