import FrostglassCPU
import FrostglassCore
import Testing

/// A circle's coverage by vectors is bit-identical to its coverage pixel by pixel.
struct CoverageVectorTests {
  private static let circles: [(shape: CoverageShape, isInverted: Bool)] = [
    (circle(x: 50, y: 20, 30, feather: 0), false), (circle(x: 50, y: 20, 30, feather: 25), false),
    (circle(x: 50.25, y: 20.5, 12.7, feather: 400), true),
    (circle(x: -9, y: 3, 40, feather: 0.7, grow: 2), false),
    (circle(x: 120, y: -30, 90, feather: 9, grow: -3), true),
    (circle(x: 40, y: 20, 1e-3, feather: 1), false),
  ]

  private static func circle(
    x: Double, y: Double, _ radius: Double, feather: Double, grow: Double = 0
  ) -> CoverageShape {
    CoverageShape(
      .ellipse(Ellipse(x: x, y: y, radiusX: radius, radiusY: radius)), feather: feather, grow: grow)
  }

  @Test(arguments: circles.indices, InstructionSet.allCases)
  func circlesAreThoseOfEachPixel(index: Int, instructions: InstructionSet) {
    let (shape, isInverted) = Self.circles[index]
    let coverage = Coverage([shape], isInverted: isInverted)
    for columns in [0..<131, -7..<16, 40..<41] {
      let rows = -3..<47
      let one = CoverageRuns(coverage, columns, rows: rows)
      let other = CoverageRuns(coverage, columns, rows: rows, CoverageVectors(instructions))
      for y in rows {
        let (expected, made) = (one.row(y), other.row(y))
        #expect(expected.runs.map(\.end) == made.runs.map(\.end))
        #expect(expected.runs.map(\.kind) == made.runs.map(\.kind))
        var first = columns.lowerBound
        for run in expected.runs {
          let places = first - columns.lowerBound..<run.end - columns.lowerBound
          if run.kind == .some {
            #expect(
              places.map { expected.coverage[$0].bitPattern }
                == places.map { made.coverage[$0].bitPattern })
          }
          first = run.end
        }
      }
    }
  }
}
