import FrostglassScenes
import Testing

/// Springs in closed form.
@Suite struct SpringTests {
  private static let springs: [Spring] = [
    (1, 200, 5), (2, 80, 9), (1, 100, 20), (1, 100, 19.9999), (1, 100, 20.0001), (1, 90, 70),
    (1, 158, 17.6), (1, 247, 62.8),
  ].compactMap { try? Spring(mass: $0, stiffness: $1, damping: $2) }

  @Test func allOfThemAreThere() { #expect(Self.springs.count == 8) }

  /// m x″ + c x′ + k x = 0, in small steps of Runge and Kutta's fourth order.
  @Test(arguments: springs) func theFormIsTheEquations(_ spring: Spring) {
    func force(_ x: Double, _ v: Double) -> Double {
      -(spring.stiffness * x + spring.damping * v) / spring.mass
    }
    var (x, v, time) = (1.0, 0.0, 0.0)
    let step = 1e-3
    for _ in 0..<1500 {
      let (x1, v1) = (v, force(x, v))
      let (x2, v2) = (v + step / 2 * v1, force(x + step / 2 * x1, v + step / 2 * v1))
      let (x3, v3) = (v + step / 2 * v2, force(x + step / 2 * x2, v + step / 2 * v2))
      let (x4, v4) = (v + step * v3, force(x + step * x3, v + step * v3))
      x += step / 6 * (x1 + 2 * x2 + 2 * x3 + x4)
      v += step / 6 * (v1 + 2 * v2 + 2 * v3 + v4)
      time += step
      if abs(spring.value(at: time) - (1 - x)) > 1e-6 || abs(spring.velocity(at: time) + v) > 1e-5 {
        Issue.record("at \(time): \(spring.value(at: time)), not \(1 - x)")
        return
      }
    }
  }

  @Test(arguments: springs) func itRestsWhenItSaysSo(_ spring: Spring) {
    let end = spring.settlingTime
    for step in 0...400 {
      #expect(abs(spring.value(at: end * (1 + Double(step) / 100)) - 1) <= 1e-4)
    }
    // Not much earlier: in the last quarter it still moves by that.
    let late = (0...100).map { abs(spring.value(at: end * (0.7 + 0.3 * Double($0) / 100)) - 1) }
    #expect(late.contains { $0 > 1e-4 })
    let farthest = (0...5000).map { spring.value(at: end * Double($0) / 5000) }.max() ?? 0
    #expect(abs(farthest - spring.peak) < 1e-4, "\(farthest) \(spring.peak)")
  }

  @Test func durationAndBounceAreSwiftUIs() throws {
    let smooth = try Spring(duration: 0.5)
    #expect(smooth.mass == 1 && abs(smooth.stiffness - 157.91367) < 1e-4)
    // Critically damped: 2 √k.
    #expect(abs(smooth.damping - 2 * smooth.stiffness.squareRoot()) < 1e-9 && smooth.peak == 1)
    let bouncy = try Spring(duration: 0.5, bounce: 0.3)
    #expect(abs(bouncy.damping - 0.7 * smooth.damping) < 1e-9 && bouncy.peak > 1.04)
    let slow = try Spring(duration: 0.5, bounce: -0.5)
    #expect(abs(slow.damping - 2 * smooth.damping) < 1e-9)
  }

  @Test func whatIsNoSpringIsRefused() {
    #expect(throws: LayoutError.self) { try Spring(stiffness: 0, damping: 1) }
    #expect(throws: LayoutError.self) { try Spring(stiffness: .nan, damping: 1) }
    #expect(throws: LayoutError.self) { try Spring(duration: 1, bounce: 1) }
    // Never at rest within a minute.
    #expect(throws: LayoutError.self) { try Spring(stiffness: 100, damping: 0.01) }
  }

  @Test func asAnEasingItTakesItsTime() throws {
    let spring = try Spring(duration: 0.5, bounce: 0.3)
    let easing = Easing.spring(spring)
    #expect(easing.duration == spring.settlingTime)
    #expect(easing.value(at: 0) == 0 && easing.value(at: 1) == 1)
    #expect(easing.value(at: 0.25) == spring.value(at: spring.settlingTime / 4))
    #expect(
      easing.slope(at: 0.25) == spring.velocity(at: spring.settlingTime / 4) * spring.settlingTime)
    var value = TimedValue(0.0)
    value.move(to: 10, at: 1, duration: spring.settlingTime, easing: easing)
    #expect(abs(value.value(at: 1.2) - 10 * spring.value(at: 0.2)) < 1e-9)
    #expect(value.value(at: 1 + spring.settlingTime) == 10)
  }
}
