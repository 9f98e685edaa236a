import FrostglassCore
import Testing

struct EdgeModeTests {
  /// The image 1 2 3 at 0…2, seen from -7 to 9; 0 is transparent.
  static let continued: [(EdgeMode, [Int])] = [
    (.clamp, [1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 3, 3, 3, 3, 3, 3, 3]),
    (.mirror, [1, 1, 2, 3, 3, 2, 1, 1, 2, 3, 3, 2, 1, 1, 2, 3, 3]),
    (.reflect101, [2, 3, 2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2]),
    (.wrap, [3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1]),
    (.transparent, [0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0]),
  ]

  @Test(arguments: continued)
  func continuesAsDocumented(mode: EdgeMode, expected: [Int]) {
    let seen = (-7...9).map { mode.resolve($0, in: 0..<3).map { $0 + 1 } ?? 0 }
    #expect(seen == expected)
  }

  @Test(arguments: EdgeMode.allCases)
  func aSinglePixelWorks(mode: EdgeMode) {
    for coordinate in [-1000, -1, 0, 1, 1000] {
      let expected = mode == .transparent && coordinate != 0 ? nil : 0
      #expect(mode.resolve(coordinate, in: 0..<1) == expected)
    }
  }

  @Test(arguments: EdgeMode.allCases, [3..<10, -5..<2, 0..<1])
  func footprintsHoldEveryReadCoordinate(mode: EdgeMode, range: Range<Int>) {
    for low in -30...30 {
      for count in [1, 2, 5, 40] {
        let footprint = mode.footprint(of: low..<low + count, in: range)
        #expect(!footprint.isEmpty)
        let read = (low..<low + count).compactMap { mode.resolve($0, in: range) }
        #expect(read.allSatisfy { footprint.contains($0) }, "\(mode) \(low) \(count) \(range)")
        let inside =
          range.lowerBound <= footprint.lowerBound && footprint.upperBound <= range.upperBound
        #expect(inside || low >= range.lowerBound && low + count <= range.upperBound)
      }
    }
  }

  @Test func divisionRoundsDown() {
    #expect([-5, -4, -1, 0, 3, 4].map { floorDivide($0, 4) } == [-2, -1, -1, 0, 0, 1])
    #expect([-5, -4, -1, 0, 3, 4].map { floorModulo($0, 4) } == [3, 0, 3, 0, 3, 0])
  }
}
