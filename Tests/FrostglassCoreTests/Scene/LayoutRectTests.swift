import FrostglassCore
import Testing

struct LayoutRectTests {
  @Test func edgesAndCenterFollowOriginAndSize() {
    let rect = LayoutRect(x: -3, y: 4, width: 10, height: 5)
    #expect(rect.maxX == 7)
    #expect(rect.maxY == 9)
    #expect(rect.center == LayoutPoint(x: 2, y: 6.5))
  }
}
