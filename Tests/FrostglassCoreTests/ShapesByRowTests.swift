import FrostglassCore
import TestSupport
import Testing

/// Only shapes that are near to a row are evaluated. The coverage is bit-identical to that of all shapes.
@Suite struct ShapesByRowTests {
  private static let picture = Rect(x: 0, y: 0, width: 240, height: 170)

  /// Small shapes all over an image and beyond it.
  private static func shapes(_ count: Int, feather: Double, grow: Double) -> [CoverageShape] {
    var random = TestImages.Random(seed: 5)
    func number(_ low: Double, _ high: Double) -> Double {
      low + (high - low) * Double(random.next())
    }
    return (0..<count).map { index in
      let (x, y) = (number(-30, 270), number(-30, 200))
      let (width, height) = (number(0.2, 12), number(0.2, 12))
      let outline: CoverageShape.Outline =
        switch index % 4 {
        case 0:
          .rectangle(RoundedRectangle(left: x, top: y, right: x + width, bottom: y + height))
        case 1:
          .rectangle(
            RoundedRectangle(
              left: x, top: y, right: x + width, bottom: y + height, radius: 2, isContinuous: true))
        case 2: .ellipse(Ellipse(x: x, y: y, radiusX: width, radiusY: height))
        default:
          .polygon(
            Polygon([
              .init(x: x, y: y), .init(x: x + width, y: y + 1), .init(x: x + 2, y: y + height),
            ]))
        }
      return CoverageShape(outline, feather: feather, grow: grow)
    }
  }

  private func plain(_ coverage: Coverage, _ y: Int, _ columns: Range<Int>) -> [Float] {
    var row = [Float](repeating: -1, count: columns.count)
    row.withUnsafeMutableBufferPointer { coverage.row(y, columns, into: $0) }
    return row
  }

  @Test(arguments: [(0.0, 0.0), (0, 3), (40, 0), (25, -4), (7, 12)], [9, 150])
  func theRowsAreThoseOfAllShapes(_ border: (Double, Double), _ count: Int) throws {
    let shapes = Self.shapes(count, feather: border.0, grow: border.1)
    for isInverted in [false, true] {
      let coverage = Coverage(shapes, isInverted: isInverted)
      for part in [Self.picture, Rect(x: 31, y: 47, width: 90, height: 33)] {
        let near = try #require(coverage.shapesByRow(in: part))
        let make = Generate(.coverage(coverage)).rows(of: part)
        let runs = CoverageRuns(coverage, part.columns, rows: part.rows)
        for y in part.rows {
          let expected = plain(coverage, y, part.columns)
          var made = [Float](repeating: -1, count: part.width)
          made.withUnsafeMutableBufferPointer { coverage.row(y, part.columns, near, into: $0) }
          #expect(made == expected, "\(part) \(y)")
          made.withUnsafeMutableBufferPointer { make(y, part.columns, $0) }
          #expect(made == expected, "\(part) \(y)")
          let row = runs.row(y)
          var x = 0
          for run in row.runs {
            let end = run.end - part.columns.lowerBound
            for column in x..<end {
              let value: Float =
                run.kind == .none ? 0 : run.kind == .all ? 1 : row.coverage[column]
              #expect(value == expected[column], "\(part) \(y) \(column)")
            }
            x = end
          }
          #expect(x == part.width)
        }
        // Rows and columns that are not known ask all.
        let (y, columns) = (part.rows.upperBound + 3, part.columns.lowerBound - 2..<40)
        var made = [Float](repeating: -1, count: columns.count)
        made.withUnsafeMutableBufferPointer { coverage.row(y, columns, near, into: $0) }
        #expect(made == plain(coverage, y, columns))
      }
    }
  }

  @Test func aRowAsksFewOfMany() throws {
    let shapes = Self.shapes(400, feather: 5, grow: 0).filter {
      if case .rectangle(let shape) = $0.outline { !shape.isContinuous } else { true }
    }
    let near = try #require(Coverage(shapes).shapesByRow(in: Self.picture))
    var most = 0
    for y in Self.picture.rows {
      var asked = 0
      near.forEach(y) { _ in asked += 1 }
      most = max(most, asked)
    }
    #expect(most > 0 && most < shapes.count / 5, "\(most) of \(shapes.count)")
  }

  @Test func fewAreAllAsked() {
    let coverage = Coverage(Self.shapes(4, feather: 5, grow: 0))
    #expect(coverage.shapesByRow(in: Self.picture) == nil)
  }
}
