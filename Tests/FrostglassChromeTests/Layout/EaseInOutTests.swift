import FrostglassChrome
import Testing

struct EaseInOutTests {
  /// Points of the curve for s = ¼, ½, ¾: x = 1.26 s − 0.78 s² + 0.52 s³, y = 3 s² − 2 s³.
  @Test(arguments: [
    (0, 0), (0.274375, 0.15625), (0.5, 0.5), (0.725625, 0.84375), (1, 1),
  ])
  func goesThroughPointsOfTheCurve(_ point: (x: Double, y: Double)) {
    #expect(abs(Easing.easeInOut.value(at: point.x) - point.y) < 1e-12)
  }

  @Test func risesAndIsSymmetric() {
    var before = -1e-9
    for step in 0...10_000 {
      let fraction = Double(step) / 10_000
      let progress = Easing.easeInOut.value(at: fraction)
      #expect(progress > before)
      #expect(abs(progress + Easing.easeInOut.value(at: 1 - fraction) - 1) < 1e-9)
      before = progress
    }
  }

  @Test func staysWithinItsEnds() {
    #expect(Easing.easeInOut.value(at: -3) == 0)
    #expect(Easing.easeInOut.value(at: 7) == 1)
    #expect(Easing.easeInOut.value(at: .nan) == 0)
  }
}
