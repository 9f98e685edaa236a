import FrostglassScenes
import Testing

struct EasingTests {
  static let named: [Easing] = [.linear, .easeIn, .easeOut, .easeInOut]

  @Test(arguments: named)
  func beginsAtNothingAndEndsAtAll(easing: Easing) {
    #expect(easing.value(at: 0) == 0)
    #expect(easing.value(at: 1) == 1)
    #expect(easing.value(at: -1) == 0)
    #expect(easing.value(at: 2) == 1)
    #expect(easing.value(at: .nan) == 0)
  }

  @Test func linearIsExact() {
    for share in [0.1, 1.0 / 3, 0.75] { #expect(Easing.linear.value(at: share) == share) }
  }

  /// The curve is point symmetric, so the middle is the middle.
  @Test func easeInOutIsSymmetric() {
    #expect(abs(Easing.easeInOut.value(at: 0.5) - 0.5) < 1e-15)
    for step in 1..<100 {
      let share = Double(step) / 100
      let sum = Easing.easeInOut.value(at: share) + Easing.easeInOut.value(at: 1 - share)
      #expect(abs(sum - 1) < 1e-14)
    }
    #expect(
      abs(Easing.easeIn.value(at: 0.3) + Easing.easeOut.value(at: 0.7) - 1) < 1e-14)
  }

  /// At the parameter ½ a curve is at `(3 x1 + 3 x2 + 1) / 8`, `(3 y1 + 3 y2 + 1) / 8`.
  @Test func meetsItsMiddle() throws {
    for (x1, y1, x2, y2) in [(0.25, 0.1, 0.25, 1.0), (0.9, -0.5, 0.1, 1.5), (0.0, 1.0, 0.0, 1.0)] {
      let easing = try Easing.cubicBezier(x1: x1, y1: y1, x2: x2, y2: y2)
      let (x, y) = ((3 * x1 + 3 * x2 + 1) / 8, (3 * y1 + 3 * y2 + 1) / 8)
      #expect(abs(easing.value(at: x) - y) < 1e-13, "\(easing)")
    }
  }

  /// With `x1 = 0`, `x2 = 1` and `y1 = y2 = 0`: x = 3t² - 2t³ and y = t³.
  @Test func meetsPointsNearAnUprightEnd() throws {
    let easing = try Easing.cubicBezier(x1: 0, y1: 0, x2: 1, y2: 0)
    for step in 1..<1000 {
      let t = Double(step) / 1000
      #expect(abs(easing.value(at: t * t * (3 - 2 * t)) - t * t * t) < 1e-11)
    }
  }

  @Test(arguments: named)
  func neverGoesBack(easing: Easing) {
    let values = (0...10_000).map { easing.value(at: Double($0) / 10_000) }
    #expect(zip(values, values.dropFirst()).allSatisfy { $0 <= $1 })
  }

  @Test(arguments: named)
  func slopeIsThatOfTheCurve(easing: Easing) {
    for step in 1..<20 {
      let share = Double(step) / 20
      let mean = (easing.value(at: share + 1e-5) - easing.value(at: share - 1e-5)) / 2e-5
      #expect(abs(easing.slope(at: share) - mean) < 1e-6)
    }
  }

  @Test func slopesAtTheEnds() {
    #expect(Easing.linear.slope(at: 1) == 1)
    #expect(Easing.easeOut.slope(at: 1) == 0)
    #expect(Easing.easeInOut.slope(at: 0) == 0)
    // At the end of ease in the curve stands as steep as from (0.42, 0) to (1, 1).
    #expect(abs(Easing.easeIn.slope(at: 1) - 1 / 0.58) < 1e-12)
    #expect(abs(Easing.easeOut.slope(at: 0) - 1 / 0.58) < 1e-12)
  }

  /// With all of the change at the very end a slope has no limit; a mean has.
  @Test func slopesAreFinite() throws {
    let cliff = try Easing.cubicBezier(x1: 0, y1: 0, x2: 1, y2: 0)
    #expect(cliff.slope(at: 1) > 10 && cliff.slope(at: 1) < 200)
    let upright = try Easing.cubicBezier(x1: 1, y1: 0, x2: 0, y2: 1)
    #expect(upright.slope(at: 0.5) > 10 && upright.slope(at: 0.5) < 200)
  }

  @Test func refusesCurvesThatAreNoFunction() {
    #expect(
      throws: LayoutError.badNumber(of: "easing", name: "x2", value: 1.25, accepted: "0…1")
    ) { try Easing.cubicBezier(x1: 0.5, y1: 0, x2: 1.25, y2: 1) }
    #expect(throws: LayoutError.self) { try Easing.cubicBezier(x1: .nan, y1: 0, x2: 1, y2: 1) }
    #expect(throws: LayoutError.self) {
      try Easing.cubicBezier(x1: 0, y1: .infinity, x2: 1, y2: 1)
    }
  }
}

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
