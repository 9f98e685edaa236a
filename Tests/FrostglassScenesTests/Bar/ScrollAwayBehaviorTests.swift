import FrostglassScenes
import Testing

/// Square Cash's bar: 200 to 65 points, elastic, over content with an inset of 200; 135 points of
/// scrolling are all of its progress.
struct ScrollAwayBehaviorTests {
  private func controller(isElastic: Bool = true) throws -> BarController {
    BarController(
      FlexibleBar(minimumHeight: 65, maximumHeight: 200),
      behavior: ScrollAwayBehavior(isElasticAtTop: isElastic),
      snapping: try Snapping([
        SnapRange(from: 0, to: 0.5, target: 0), SnapRange(from: 0.5, to: 1, target: 1),
      ]))
  }

  private func scroll(_ offset: Double, content: Double = 3000) throws -> ScrollState {
    ScrollState(
      geometry: try ScrollGeometry(viewportHeight: 600, contentHeight: content, topInset: 200),
      offset: offset)
  }

  @Test func progressFollowsTheOffset() throws {
    var controller = try controller()
    // (offset + 200) / 135, and 200 - 135 × progress
    for (offset, progress, height) in [
      (-200.0, 0.0, 200.0), (-166.25, 0.25, 166.25), (-132.5, 0.5, 132.5), (-65, 1, 65),
      (900, 1, 65), (-200, 0, 200),
    ] {
      controller.handle(.didScroll, try scroll(offset), at: 0)
      #expect(controller.bar.progress == progress)
      #expect(controller.bar.height == height)
      #expect(controller.scrollIndicatorTopInset == height)
    }
  }

  /// 50 points below its top the bar is 50 points higher, and does not snap.
  @Test func stretchesAtTheTop() throws {
    var controller = try controller()
    controller.handle(.didScroll, try scroll(-250), at: 0)
    #expect(abs(controller.bar.progress + 50.0 / 135) < 1e-15)
    #expect(abs(controller.bar.height - 250) < 1e-12)
    controller.handle(.didEndDragging(willDecelerate: false), try scroll(-250), at: 0)
    #expect(!controller.isSnapping)
    var stiff = try self.controller(isElastic: false)
    stiff.handle(.didScroll, try scroll(-250), at: 0)
    #expect(stiff.bar.progress == 0 && stiff.bar.height == 200)
  }

  /// Let go at -166.25, a quarter of the way: back to the top in .15 s, bar and content together.
  @Test func snapsBackWithTheContent() throws {
    var controller = try controller()
    controller.handle(.didScroll, try scroll(-166.25), at: 1)
    controller.handle(.didEndDragging(willDecelerate: false), try scroll(-166.25), at: 1)
    #expect(controller.isSnapping)
    #expect(controller.advance(to: 1) == -166.25)
    // Half the time is half the way, on a curve with equal halves.
    let moved = controller.advance(to: 1.075)
    let half = try #require(moved)
    #expect(abs(half + 183.125) < 1e-9)
    #expect(abs(controller.bar.progress - 0.125) < 1e-12)
    // What scrolls meanwhile does not move the bar.
    controller.handle(.didScroll, try scroll(-100), at: 1.075)
    #expect(abs(controller.bar.progress - 0.125) < 1e-12)
    #expect(controller.advance(to: 1.15) == -200)
    #expect(controller.bar.progress == 0 && !controller.isSnapping)
    #expect(controller.advance(to: 1.2) == nil)
  }

  /// At -132.5, half of the way, the second range: on by (1 - .5) × 135 to -65.
  @Test func snapsOn() throws {
    var controller = try controller()
    controller.handle(.didScroll, try scroll(-132.5), at: 0)
    controller.handle(.didEndDecelerating, try scroll(-132.5), at: 0)
    #expect(controller.advance(to: 0.15) == -65)
    #expect(controller.bar.progress == 1)
  }

  /// Content of 500 points with an inset of 200 can be scrolled by 100: no farther does it snap.
  @Test func snapsNoFartherThanTheContentGoes() throws {
    var controller = try controller()
    let end = try scroll(-100, content: 500)
    controller.handle(.didScroll, end, at: 0)
    controller.handle(.didEndDecelerating, end, at: 0)
    #expect(!controller.isSnapping)
    #expect(abs(controller.bar.progress - 100.0 / 135) < 1e-15)
  }
}
