import FrostglassChrome
import FrostglassCore
import Testing

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
