import FrostglassScenes
import FrostglassCore
import TestSupport
import Testing

/// A million random events each, in no order that makes sense, over content of any size.
struct BarFuzzTests {
  private static let behaviors: [any BarBehavior] = [
    ScrollAwayBehavior(isElasticAtTop: true), ScrollAwayBehavior(),
    RevealBehavior(thresholdFromTop: 30, thresholdNegative: 140, thresholdPositive: 20),
    VelocityBehavior(),
  ]

  private func event(_ random: inout SplitMix) -> ScrollEvent {
    switch random.integer(below: 16) {
    case 0: .willBeginDragging
    case 1: .willEndDragging(velocity: random.even(in: -3000...3000))
    case 2: .didEndDragging(willDecelerate: false)
    case 3: .didEndDragging(willDecelerate: true)
    case 4: .didEndDecelerating
    case 5: random.integer(below: 4) == 0 ? .willScrollToTop : .didScrollToTop
    case 6: .willScrollProgrammatically
    case 7: .didEndProgrammaticScroll
    default: .didScroll
    }
  }

  /// A title beside a logo, in a bar whose items follow its height and fade.
  private func items() throws -> [BarItem] {
    let logo = ItemLayout(
      left: 8, width: .item("logo", .height), top: 4, bottom: .bar(.bottom, plus: -4))
    let title = ItemLayout(
      left: .item("logo", .right, plus: 8), right: .bar(.right), centerY: .bar(.centerY),
      height: .bar(.height, times: 0.5))
    let small = ItemPose(
      LayoutAttributes(transform: .scale(x: 0.5, y: 0.5), alpha: 0, cornerRadius: 4))
    return [
      BarItem(id: "title", resting: ItemPose(title)),
      BarItem(
        id: "logo", resting: ItemPose(logo),
        keyframes: [
          Keyframe(progress: 0.2, ItemPose(logo), easing: .easeInOut),
          Keyframe(progress: 0.9, small),
        ]),
    ]
  }

  private func isSound(_ placed: [PlacedItem]) -> Bool {
    guard placed.count == 2 else { return false }
    return placed.map(\.attributes).allSatisfy { item in
      let numbers = [item.center.x, item.center.y, item.size.width, item.size.height]
      guard numbers.allSatisfy(\.isFinite), min(numbers[2], numbers[3]) >= 0 else { return false }
      return item.alpha >= 0 && item.alpha <= 1 && item.transform.rows[0].x.isFinite
    }
  }

  @Test(arguments: behaviors.indices)
  func nothingBreaksABar(index: Int) throws {
    var random = SplitMix(state: UInt64(index))
    let behavior = BarFuzzTests.behaviors[index]
    let floor = behavior.isElasticAtTop ? -Double.infinity : 0
    var faults = 0
    var snaps = 0
    for _ in 0..<100 {
      var controller = BarController(
        try FlexibleBar(
          minimumHeight: random.even(in: -10...60), maximumHeight: random.even(in: 0...200),
          items: items()),
        behavior: behavior,
        snapping: try Snapping([
          SnapRange(from: 0, to: 0.4, target: 0), SnapRange(from: 0.4, to: 1, target: 1),
        ]))
      var scroll = ScrollState(
        geometry: try ScrollGeometry(
          viewportHeight: 600, contentHeight: random.even(in: 0...3000),
          topInset: random.even(in: 0...200)),
        offset: 0)
      var time = 0.0
      for _ in 0..<10_000 {
        let choice = random.integer(below: 64)
        time += choice == 0 ? random.even(in: 0...3) : random.even(in: 0...0.02)
        scroll.offset += random.even(in: -40...40)
        if choice == 1 { scroll.offset = random.even(in: -1e6...1e6) }
        if choice == 2 { scroll.offset = -scroll.geometry.topInset }
        if choice == 3 { controller.handleTap(scroll, at: time) }
        controller.handle(event(&random), scroll, at: time)
        snaps += controller.isSnapping ? 1 : 0
        if let offset = controller.advance(to: time) { scroll.offset = offset }
        let bar = controller.bar
        if !(bar.progress >= floor && bar.progress <= 1 && bar.progress.isFinite)
          || !bar.height.isFinite || bar.height < min(bar.minimumHeight, bar.maximumHeight) - 1e-9
          || !scroll.offset.isFinite
        {
          faults += 1
        }
        if choice == 4, !isSound(bar.layout(width: 320)) { faults += 1 }
      }
      // No animation outlives its time.
      _ = controller.advance(to: time + 0.151)
      if controller.isSnapping { faults += 1 }
    }
    #expect(faults == 0)
    #expect(snaps > 10_000)
  }
}
