import FrostglassScenes
import FrostglassCore
import Testing

struct TimedValueTests {
  @Test func staysUntilItMoves() {
    let value = TimedValue(7.0)
    #expect(value.value(at: -100) == 7)
    #expect(value.value(at: 100) == 7)
    #expect(!value.isMoving(at: 0))
  }

  @Test func movesAndArrives() {
    var value = TimedValue(2.0)
    value.move(to: 4, at: 10, duration: 0.5)
    #expect(value.value(at: 9) == 2)
    #expect(value.value(at: 10) == 2)
    // 0.274375 of the time is 0.15625 of the way.
    #expect(abs(value.value(at: 10.1371875) - 2.3125) < 1e-12)
    #expect(abs(value.value(at: 10.25) - 3) < 1e-12)
    #expect(value.isMoving(at: 10.499))
    #expect(value.value(at: 10.5) == 4)
    #expect(!value.isMoving(at: 10.5))
  }

  @Test func goesOnFromWhereItIs() {
    var value = TimedValue(0.0)
    value.move(to: 1, at: 0, duration: 1)
    value.move(to: 0, at: 0.5, duration: 0.2)
    #expect(abs(value.value(at: 0.5) - 0.5) < 1e-12)
    #expect(abs(value.value(at: 0.6) - 0.25) < 1e-12)
    #expect(value.value(at: 0.7) == 0)
  }

  @Test(arguments: [0, -1, .nan])
  func changesAtOnceWithoutTime(duration: Double) {
    var value = TimedValue(LayoutRect(x: 0, y: 0, width: 4, height: 4))
    let target = LayoutRect(x: 1, y: 2, width: 3, height: 4)
    value.move(to: target, at: 5, duration: duration)
    #expect(value.value(at: 5) == target)
    #expect(!value.isMoving(at: 5))
  }

  @Test func takesAMinuteAtMost() {
    var value = TimedValue(0.0)
    value.move(to: 1, at: 0, duration: .infinity)
    #expect(value.end == 60)
    #expect(abs(value.value(at: 30) - 0.5) < 1e-12)
  }

  @Test func movesAllOfARectangle() {
    var value = TimedValue(LayoutRect(x: 0, y: 10, width: 100, height: 20))
    value.move(to: LayoutRect(x: 8, y: 0, width: 200, height: 40), at: 0, duration: 2)
    #expect(value.value(at: 1) == LayoutRect(x: 4, y: 5, width: 150, height: 30))
  }
}
