import FrostglassScenes
import FrostglassCore
import Testing

struct LayoutAttributesTests {
  @Test func defaults() {
    let attributes = LayoutAttributes()
    #expect(attributes.frame == .zero)
    #expect(attributes.center == .zero && attributes.size == .zero)
    #expect(attributes.transform.isIdentity)
    #expect(attributes.alpha == 1 && attributes.zIndex == 0 && !attributes.isHidden)
    #expect(attributes.cornerRadius == 0)
    #expect(attributes.blurStrength == 1 && attributes.tintAlpha == 1)
  }

  @Test func frameSetsCenterAndSize() {
    var attributes = LayoutAttributes()
    attributes.setFrame(LayoutRect(x: 10, y: 20, width: 30, height: 8))
    #expect(attributes.center == LayoutPoint(x: 25, y: 24))
    #expect(attributes.size == LayoutSize(width: 30, height: 8))
    #expect(attributes.frame == LayoutRect(x: 10, y: 20, width: 30, height: 8))
  }

  @Test func centerMovesTheFrameAndSizeResizesIt() {
    var attributes = LayoutAttributes(frame: LayoutRect(x: 10, y: 20, width: 30, height: 8))
    attributes.center = LayoutPoint(x: 100, y: 100)
    #expect(attributes.frame == LayoutRect(x: 85, y: 96, width: 30, height: 8))
    attributes.size = LayoutSize(width: 10, height: 4)
    #expect(attributes.frame == LayoutRect(x: 95, y: 98, width: 10, height: 4))
  }

  @Test func aTransformTakesTheFrameAway() {
    var attributes = LayoutAttributes(frame: LayoutRect(x: 10, y: 20, width: 30, height: 8))
    attributes.transform = .translation(x: 0, y: -4)
    #expect(attributes.frame == nil)
    // Set while transformed, a frame is center and size.
    attributes.setFrame(LayoutRect(x: 0, y: 0, width: 4, height: 4))
    #expect(attributes.frame == nil)
    #expect(attributes.center == LayoutPoint(x: 2, y: 2))
    attributes.transform = .identity
    #expect(attributes.frame == LayoutRect(x: 0, y: 0, width: 4, height: 4))
  }

  @Test func sharesAndSizesStayInTheirRanges() {
    var attributes = LayoutAttributes(
      size: LayoutSize(width: -1, height: 2), alpha: 3, cornerRadius: -2, blurStrength: -1,
      tintAlpha: .nan)
    #expect(attributes.size == LayoutSize(width: 0, height: 2))
    #expect(attributes.alpha == 1 && attributes.cornerRadius == 0)
    #expect(attributes.blurStrength == 0 && attributes.tintAlpha == 0)
    attributes.alpha = -0.5
    attributes.blurStrength = 9
    attributes.cornerRadius = -3
    attributes.size.height = -7
    #expect(attributes.alpha == 0 && attributes.blurStrength == 1)
    #expect(attributes.cornerRadius == 0 && attributes.size.height == 0)
  }

  @Test func everyNumberIsInterpolatedByItself() {
    let lower = LayoutAttributes(
      center: LayoutPoint(x: 0, y: 10), size: LayoutSize(width: 100, height: 40), alpha: 1,
      zIndex: 3, isHidden: false, cornerRadius: 8, blurStrength: 1, tintAlpha: 0.5)
    let upper = LayoutAttributes(
      center: LayoutPoint(x: 40, y: 30), size: LayoutSize(width: 20, height: 80),
      transform: .translation(x: 0, y: -8), alpha: 0, zIndex: 9, isHidden: true, cornerRadius: 0,
      blurStrength: 0, tintAlpha: 1)
    let between = lower.interpolated(toward: upper, by: 0.25)
    #expect(between.center == LayoutPoint(x: 10, y: 15))
    #expect(between.size == LayoutSize(width: 80, height: 50))
    #expect(between.alpha == 0.75 && between.cornerRadius == 6)
    #expect(between.blurStrength == 0.75 && between.tintAlpha == 0.625)
    // Stepped, from the lower one.
    #expect(between.zIndex == 3 && !between.isHidden)
    #expect(between.transform == .translation(x: 0, y: -2))
  }

  @Test func allSixteenNumbersOfATransformAreInterpolated() {
    let rows = (0..<4).map { row in SIMD4<Double>((0..<4).map { Double(row * 4 + $0) * 8 }) }
    let upper = LayoutAttributes(transform: Transform3D(rows: rows))
    let between = LayoutAttributes().interpolated(toward: upper, by: 0.5)
    for row in 0..<4 {
      for column in 0..<4 {
        let expected = Double(row * 4 + column) * 4 + (row == column ? 0.5 : 0)
        #expect(between.transform.rows[row][column] == expected)
      }
    }
  }

  /// Both without a frame: none. One with: its own while nothing has moved, otherwise none.
  @Test func framesThatAreNotThere() {
    let plain = LayoutAttributes(frame: LayoutRect(x: 0, y: 0, width: 10, height: 10))
    var moved = LayoutAttributes(frame: LayoutRect(x: 20, y: 0, width: 10, height: 10))
    moved.transform = .translation(x: 1, y: 0)
    #expect(plain.interpolated(toward: moved, by: 0).frame == plain.frame)
    #expect(plain.interpolated(toward: moved, by: 0.5).frame == nil)
    #expect(plain.interpolated(toward: moved, by: 0.5).center == LayoutPoint(x: 15, y: 5))
    #expect(moved.interpolated(toward: plain, by: 0.5).frame == nil)
    #expect(moved.interpolated(toward: moved, by: 0.5).frame == nil)
  }
}

struct Transform3DTests {
  @Test func scalesThenMoves() {
    let both = Transform3D.scale(x: 2, y: 3).followed(by: .translation(x: 10, y: -1))
    #expect(both.apply(to: LayoutPoint(x: 4, y: 5)) == LayoutPoint(x: 18, y: 14))
    #expect(!both.isIdentity)
    #expect(Transform3D.identity.followed(by: both) == both)
  }

  @Test func perspectiveDividesAndHidesWhatIsBehind() {
    var transform = Transform3D.identity
    transform.rows[0].w = 0.5
    #expect(transform.apply(to: LayoutPoint(x: 2, y: 4)) == LayoutPoint(x: 1, y: 2))
    #expect(transform.apply(to: LayoutPoint(x: -2, y: 4)) == nil)
  }
}
