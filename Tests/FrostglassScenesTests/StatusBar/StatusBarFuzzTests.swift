import FrostglassScenes
import FrostglassCore
import TestSupport
import Testing

struct StatusBarFuzzTests {
  /// A million events at random times. Nothing jumps where it can be seen, but by events without
  /// animation.
  @Test func noEventsLeaveNonsenseOrAStuckAnimation() throws {
    var random = SplitMix(state: 7)
    var bar = try StatusBarView(width: 320)
    var time = 0.0
    var wrong = 0
    for step in 0..<1_000_000 {
      time += Double.random(in: 0...0.2, using: &random)
      bar.advance(to: time)
      let before = bar
      let event = StatusBarFuzzTests.event(&random)
      bar.handle(event, at: random.once(in: 50) ? -random.number(in: 0...1).magnitude : time)
      if !StatusBarFuzzTests.isSound(bar) { wrong += 1 }
      if before.time == bar.time, before.isVisible, !event.isAbrupt {
        let moved = abs(before.frame.y - bar.frame.y) + abs(before.frame.height - bar.frame.height)
        if moved > 1e-9 || abs(before.alpha - bar.alpha) > 1e-9 { wrong += 1 }
      }
      if step % 100 == 0 {
        var later = bar
        later.advance(to: bar.time + 0.5)
        if later.isAnimating || !(later.alpha == 0 || later.alpha == 1) { wrong += 1 }
      }
    }
    #expect(wrong == 0)
  }

  private static func isSound(_ bar: StatusBarView) -> Bool {
    let frame = bar.frame
    return bar.time.isFinite && (0...1).contains(bar.alpha)
      && (0...1).contains(bar.contentLightness)
      && [frame.x, frame.y, frame.width, frame.height].allSatisfy(\.isFinite)
      && frame.width >= 0 && frame.height >= 0
  }

  private static func event(_ random: inout SplitMix) -> StatusBarEvent {
    let animation = StatusBarAnimation.allCases.randomElement(using: &random) ?? .none
    switch Int.random(in: 0..<5, using: &random) {
    case 0:
      return .willChangeOrientation(
        InterfaceOrientation.allCases.randomElement(using: &random) ?? .unknown)
    case 1:
      return .willChangeFrame(
        LayoutSize(width: random.number(in: 0...900), height: random.number(in: 0...60)))
    case 2:
      return .activity(StatusBarMetrics.Activity.allCases.randomElement(using: &random) ?? .none)
    case 3: return .content(random.once(in: 2) ? .dark : .light, duration: 0.3)
    default: return .hidden(random.once(in: 2), animation)
    }
  }
}

extension StatusBarEvent {
  fileprivate var isAbrupt: Bool {
    if case .hidden(_, .none) = self { true } else { false }
  }
}
