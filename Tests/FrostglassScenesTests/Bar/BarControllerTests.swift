import FrostglassScenes
import Testing

struct BarControllerTests {
  /// 105 to 20 points; snaps at half of the way.
  private func controller(
    _ behavior: any BarBehavior = RevealBehavior(), isEnabled: Bool = true, duration: Double = 0.15
  ) throws -> BarController {
    var snapping = try Snapping(
      [SnapRange(from: 0, to: 0.5, target: 0), SnapRange(from: 0.5, to: 1, target: 1)],
      duration: duration)
    snapping.isEnabled = isEnabled
    return BarController(
      FlexibleBar(minimumHeight: 20, maximumHeight: 105), behavior: behavior, snapping: snapping)
  }

  private func scroll(_ offset: Double) throws -> ScrollState {
    ScrollState(
      geometry: try ScrollGeometry(viewportHeight: 600, contentHeight: 2000, topInset: 105),
      offset: offset)
  }

  /// A bar at progress .4, dragged there from 300 to 334.
  private func dragged(_ controller: BarController) throws -> BarController {
    var controller = controller
    controller.handle(.willBeginDragging, try scroll(300), at: 1)
    controller.handle(.didScroll, try scroll(334), at: 2)
    #expect(controller.bar.progress == 0.4)
    return controller
  }

  @Test(arguments: [ScrollEvent.didEndDecelerating, .didEndDragging(willDecelerate: false)])
  func snapsWhenContentHasComeToRest(event: ScrollEvent) throws {
    var controller = try dragged(controller())
    controller.handle(event, try scroll(334), at: 2)
    #expect(controller.isSnapping)
    #expect(controller.advance(to: 2.15) == 300)
    #expect(controller.bar.progress == 0)
  }

  @Test(arguments: [
    ScrollEvent.didEndDragging(willDecelerate: true), .willEndDragging(velocity: 0),
    .didScroll, .didScrollToTop, .didEndProgrammaticScroll, .willScrollToTop,
    .willScrollProgrammatically, .willBeginDragging,
  ])
  func snapsAtNothingElse(event: ScrollEvent) throws {
    var controller = try dragged(controller())
    controller.handle(event, try scroll(334), at: 2)
    #expect(!controller.isSnapping)
    #expect(controller.advance(to: 3) == nil)
    #expect(controller.bar.progress == 0.4)
  }

  @Test func snapsOnlyIfEnabled() throws {
    var controller = try dragged(controller(isEnabled: false))
    controller.handle(.didEndDecelerating, try scroll(334), at: 2)
    #expect(!controller.isSnapping)
  }

  @Test func doesNotSnapTwiceAtOnce() throws {
    var controller = try dragged(controller())
    controller.handle(.didEndDecelerating, try scroll(334), at: 2)
    controller.handle(.didEndDecelerating, try scroll(334), at: 2.1)
    #expect(controller.advance(to: 2.15) == 300)
    #expect(!controller.isSnapping)
  }

  /// A finger catches the content at 317, half of the way: the bar stays where it was with that.
  @Test func aTouchStopsIt() throws {
    var controller = try dragged(controller())
    controller.handle(.didEndDecelerating, try scroll(334), at: 2)
    let moved = controller.advance(to: 2.075)
    let offset = try #require(moved)
    #expect(abs(offset - 317) < 1e-9)
    controller.handle(.willBeginDragging, try scroll(offset), at: 2.08)
    #expect(!controller.isSnapping && controller.advance(to: 2.09) == nil)
    #expect(abs(controller.bar.progress - 0.2) < 1e-12)
    controller.handle(.didScroll, try scroll(offset + 8.5), at: 2.1)
    #expect(abs(controller.bar.progress - 0.3) < 1e-12)
  }

  @Test func withoutDurationItJumps() throws {
    var controller = try dragged(controller(duration: 0))
    controller.handle(.didEndDecelerating, try scroll(334), at: 2)
    #expect(!controller.isSnapping && controller.bar.progress == 0)
    #expect(controller.advance(to: 2) == 300)
    #expect(controller.advance(to: 2) == nil)
  }

  /// At the end, 1400, the bar is away by .6; it goes on without the content.
  @Test func contentThatRestsStaysWithinItsEnds() throws {
    var controller = try controller()
    controller.handle(.willBeginDragging, try scroll(1349), at: 1)
    controller.handle(.didScroll, try scroll(1400), at: 2)
    controller.handle(.didEndDecelerating, try scroll(1400), at: 2)
    #expect(controller.isSnapping)
    #expect(controller.advance(to: 2.15) == 1400)
    #expect(controller.bar.progress == 1)
  }

  @Test func snappingKeepsRevealInStep() throws {
    var controller = try dragged(controller())
    controller.handle(.didEndDecelerating, try scroll(334), at: 2)
    _ = controller.advance(to: 3)
    // A program scrolls on, without a new touch, from 300.
    controller.handle(.didScroll, try scroll(317), at: 4)
    #expect(abs(controller.bar.progress - 0.2) < 1e-12)
  }

  @Test func nonsenseIsIgnored() throws {
    var controller = try dragged(controller())
    var broken = try scroll(.nan)
    controller.handle(.didScroll, broken, at: 2)
    broken.offset = 400
    broken.velocity = .infinity
    controller.handle(.didScroll, broken, at: 2)
    controller.handleTap(try scroll(.infinity), at: 2)
    controller.handle(.didScroll, try scroll(334), at: .nan)
    #expect(controller.advance(to: .nan) == nil)
    #expect(controller.bar.progress == 0.4)
  }

  @Test func aBarOfOneHeightStays() throws {
    let behaviors: [any BarBehavior] = [
      ScrollAwayBehavior(isElasticAtTop: true), RevealBehavior(), VelocityBehavior(),
    ]
    for behavior in behaviors {
      var controller = BarController(
        FlexibleBar(minimumHeight: 44, maximumHeight: 44), behavior: behavior)
      controller.handle(.willBeginDragging, try scroll(-105), at: 0)
      for offset in [-105.0, 0, 500, -300] {
        controller.handle(.didScroll, try scroll(offset), at: 0)
        #expect(controller.bar.height == 44 && controller.bar.progress == 0)
      }
    }
  }

  @Test func itsBarMayChange() throws {
    var controller = try dragged(controller())
    controller.bar.maximumHeight = 120
    controller.bar.isElasticAtTop = true
    #expect(controller.bar.height == 80 && !controller.bar.isElasticAtTop)
  }

  /// A custom behavior that hides the bar during a drag.
  private struct Shy: BarBehavior {
    func react(to event: ScrollEvent, in context: BarContext) -> BarReaction {
      switch event {
      case .willBeginDragging: .snap(progress: 1, movesContent: false)
      case .didEndDragging: .snap(progress: 0, movesContent: false)
      default: .stay
      }
    }
  }

  /// Says what is no progress.
  private struct Confused: BarBehavior {
    func react(to event: ScrollEvent, in context: BarContext) -> BarReaction {
      event == .didScroll
        ? .follow(progress: -.infinity) : .snap(progress: .nan, movesContent: true)
    }
  }

  @Test func behaviorsCannotBreakABar() throws {
    var controller = BarController(FlexibleBar(), behavior: Confused())
    controller.handle(.didScroll, try scroll(0), at: 0)
    controller.handle(.willBeginDragging, try scroll(0), at: 0)
    #expect(!controller.isSnapping && controller.bar.progress == 0)
    #expect(controller.advance(to: 1) == nil)
  }

  @Test func behaviorsCanBeAdded() throws {
    var controller = BarController(FlexibleBar(), behavior: Shy())
    controller.handle(.willBeginDragging, try scroll(0), at: 0)
    #expect(controller.isSnapping && controller.advance(to: 0.15) == nil)
    #expect(controller.bar.progress == 1)
    controller.handle(.didEndDragging(willDecelerate: true), try scroll(0), at: 1)
    _ = controller.advance(to: 2)
    #expect(controller.bar.progress == 0)
  }
}
