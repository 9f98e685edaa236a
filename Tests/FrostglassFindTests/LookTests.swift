import FrostglassCore
import FrostglassFind
import Testing

/// Looks at smaller and turned images, and places brought back from them.
@Suite struct LookTests {
  @Test func effortsTakeMoreLooksEach() {
    let size = Size(width: 4000, height: 3000)
    let counts = [FindEffort.quick, .normal, .thorough].map { $0.looks(at: size).count }
    #expect(counts == [2, 3, 7])
    for effort in FindEffort.allCases {
      let looks = effort.looks(at: size)
      #expect(Set(looks.map(\.detector)) == Set(Detector.allCases))
      #expect(looks.allSatisfy { $0.size.width <= 1920 && $0.size.width * 3 == $0.size.height * 4 })
    }
  }

  /// The same look is not taken twice.
  @Test func smallImagesAreLookedAtOnceAsTheyAre() {
    let size = Size(width: 300, height: 20)
    #expect(FindEffort.normal.looks(at: size).map(\.detector) == [.yunet, .centerface])
    #expect(FindEffort.normal.looks(at: size).allSatisfy { $0.size == size })
    let own = FindEffort.normal.looks(at: Size(width: 2000, height: 10), by: [.centerface])
    #expect(own.map(\.detector) == [.centerface, .centerface])
    #expect(own.map(\.size.height) == [3, 6])
  }

  @Test func aFineLookLeavesLargeFacesToCoarseOnes() {
    let face = Found(x: 10, y: 10, width: 100, height: 50, score: 1)
    let size = Size(width: 1280, height: 640)
    let fine = Look(.yunet, at: size, side: 1280, most: 96)
    #expect(fine.inWhole([face]).isEmpty)
    let small = Look(.yunet, at: Size(width: 640, height: 320), side: 1280, most: 96)
    #expect(small.inWhole([face]) == [face])
    let coarse = Look(.yunet, at: size, side: 640)
    let whole = coarse.inWhole([face])
    #expect(whole == [Found(x: 20, y: 20, width: 200, height: 100, score: 1)])
  }

  /// A pixel that is marked in the turned image is, as a box, the pixel of the image as it was.
  @Test(arguments: 0...3) func placesOfTurnedImagesAreBroughtBack(_ quarters: Int) throws {
    let size = Size(width: 5, height: 3)
    let look = Look(.yunet, at: size, side: 640, quarters: quarters)
    for (x, y) in [(0, 0), (4, 0), (2, 1), (0, 2), (4, 2)] {
      var rgb = [UInt8](repeating: 0, count: size.area * 3)
      rgb[(y * size.width + x) * 3 + 1] = 255
      let turned = look.turned(rgb)
      let place = try #require(turned.firstIndex(of: 255))
      #expect(place % 3 == 1)
      let (column, row) = (place / 3 % look.seen.width, place / 3 / look.seen.width)
      let seen = Found(
        x: Double(column), y: Double(row), width: 1, height: 1, score: 1,
        points: [Found.Point(x: Double(column) + 0.5, y: Double(row) + 0.5)])
      let found = try #require(look.inWhole([seen]).first)
      #expect(found.x == Double(x) && found.y == Double(y), "\(found)")
      #expect(found.points == [Found.Point(x: Double(x) + 0.5, y: Double(y) + 0.5)])
    }
  }

  @Test func coveredBoxesHaveAMarginWithinTheImage() throws {
    let size = Size(width: 100, height: 60)
    let face = Found(x: 20, y: 10, width: 20, height: 40, score: 0.5)
    let covered = try #require(face.covered(in: size))
    #expect([covered.x, covered.y, covered.width, covered.height] == [17, 4, 26, 52])
    let edge = Found(x: -10, y: 40, width: 20, height: 40, score: 0.5)
    let clipped = try #require(edge.covered(in: size))
    #expect([clipped.x, clipped.y, clipped.width, clipped.height] == [0, 34, 13, 26])
    #expect(Found(x: 110, y: 0, width: 20, height: 40, score: 1).covered(in: size) == nil)
  }

  @Test func ofOverlappingBoxesTheMostCertainStays() {
    let (low, high) = (
      Found(x: 0, y: 0, width: 10, height: 10, score: 0.4),
      Found(x: 1, y: 0, width: 10, height: 10, score: 0.6)
    )
    let other = Found(x: 8, y: 0, width: 10, height: 10, score: 0.3)
    #expect(abs(low.overlap(with: high) - 90.0 / 110) < 1e-12)
    #expect(low.overlap(with: Found(x: 10, y: 0, width: 1, height: 1, score: 1)) == 0)
    #expect([low, other, high].withoutOverlaps(over: 0.45) == [high, other])
    #expect([other, high, low].withoutOverlaps(over: 0.45) == [high, other])
    #expect([low, high].withoutOverlaps(over: 0.9) == [high, low])
  }

  @Test func whatSeveralLooksSawIsCoveredTogether() {
    let (low, high) = (
      Found(x: 0, y: 0, width: 10, height: 10, score: 0.4),
      Found(x: 1, y: 2, width: 10, height: 10, score: 0.6)
    )
    let other = Found(x: 30, y: 0, width: 10, height: 10, score: 0.9)
    let merged = Look.merged([low, other, high])
    #expect(merged == [other, Found(x: 0, y: 0, width: 11, height: 12, score: 0.6)])
  }
}
