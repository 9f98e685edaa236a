import FrostglassScenes
import Testing

/// Safari's rules on a bar of 50 to 10 points, 40 points of scrolling, over content that rests at
/// -50…2400.
struct VelocityBehaviorTests {
  private func scroll(_ offset: Double) throws -> ScrollState {
    ScrollState(
      geometry: try ScrollGeometry(viewportHeight: 600, contentHeight: 3000, topInset: 50),
      offset: offset)
  }

  private func controller(isAway: Bool = false) throws -> BarController {
    var controller = BarController(
      FlexibleBar(minimumHeight: 10, maximumHeight: 50), behavior: VelocityBehavior())
    if isAway {
      // A drag by 100 points, let go at rest.
      controller.handle(.willBeginDragging, try scroll(1000), at: 0)
      controller.handle(.didScroll, try scroll(1100), at: 1)
      controller.handle(.didEndDragging(willDecelerate: false), try scroll(1100), at: 2)
      _ = controller.advance(to: 3)
    }
    #expect(controller.bar.progress == (isAway ? 1 : 0))
    return controller
  }

  /// Progress at moments and offsets of a drag; the first is where it begins.
  private func trace(
    _ controller: inout BarController, _ path: [(time: Double, offset: Double)]
  ) throws -> [Double] {
    controller.handle(.willBeginDragging, try scroll(path[0].offset), at: path[0].time)
    return try path.dropFirst().map { time, offset in
      controller.handle(.didScroll, try scroll(offset), at: time)
      return controller.bar.progress
    }
  }

  /// A drag from 1000 down, a moment each 10 ms from 10 on, by as many points from one to the next.
  private func pull(by points: Double, moments: Int) -> [(time: Double, offset: Double)] {
    (0..<moments).map { moment in
      let number = Double(moment)
      return (10 + number / 100, 1000 - points * number)
    }
  }

  @Test func towardTheEndItGoesPointByPoint() throws {
    var controller = try controller()
    #expect(
      try trace(&controller, [(0, 1000), (1, 1010), (2, 1030), (3, 1100)]) == [0.25, 0.75, 1])
  }

  @Test func aSlowPullLeavesItAway() throws {
    var controller = try controller(isAway: true)
    // 390 points per second.
    let path = pull(by: 3.9, moments: 51)
    #expect(try trace(&controller, path).allSatisfy { $0 == 1 })
  }

  /// 600 points per second in steps of 6. The mean over 80 ms passes 400 after 32 points, so with
  /// the sixth step; from that one on the bar comes by 6 / 40, and also once the pull gets slow.
  @Test func aQuickPullBringsItBack() throws {
    var controller = try controller(isAway: true)
    var path = pull(by: 6, moments: 9)
    path += [(11.0, 951.0), (12, 950)]
    let expected = [1, 1, 1, 1, 1, 0.85, 0.7, 0.55, 0.525, 0.5]
    for (seen, value) in zip(try trace(&controller, path), expected) {
      #expect(abs(seen - value) < 1e-12)
    }
  }

  /// .55 at 952 as above; 20 points down of which 8 are ignored make it .85; a slow pull by 12 is a
  /// new one, and not quick.
  @Test func everyPullHasToBeQuick() throws {
    var controller = try controller(isAway: true)
    var path = pull(by: 6, moments: 9)
    path += [(20.0, 972.0), (30, 960)]
    let seen = try trace(&controller, path).suffix(3)
    for (seen, value) in zip(seen, [0.55, 0.85, 0.85]) { #expect(abs(seen - value) < 1e-12) }
  }

  /// At 1020 half gone; 7 points back are ignored, and so is their return; of 9 points back nothing
  /// shows as the pull is slow, and of the 12 forth after that 4.
  @Test func smallReversalsAreIgnored() throws {
    var controller = try controller()
    let path: [(Double, Double)] = [
      (0, 1000), (1, 1020), (2, 1013), (3, 1020), (4, 1024), (5, 1015), (6, 1022), (7, 1027),
    ]
    let expected = [0.5, 0.5, 0.5, 0.6, 0.6, 0.6, 0.7]
    for (seen, value) in zip(try trace(&controller, path), expected) {
      #expect(abs(seen - value) < 1e-12)
    }
  }

  /// From 40 points below the top on it is there as much as the content is, however slow.
  @Test func nearTheTopItFollows() throws {
    var controller = try controller(isAway: true)
    let path: [(Double, Double)] = [
      (10, 100), (20, 0), (30, -10), (40, -30), (50, -50), (60, -80), (70, -55),
    ]
    #expect(try trace(&controller, path) == [1, 1, 0.5, 0, 0, 0])
  }

  @Test func beyondTheEndNothingMoves() throws {
    var controller = try controller()
    #expect(
      try trace(&controller, [(0, 2390), (1, 2400), (2, 2450), (3, 2401)]) == [0.25, 0.25, 0.25])
  }

  /// Drags a bar by some points, releases it, and returns where it ends.
  private func release(
    at offset: Double, after points: Double, velocity: Double, decelerates: Bool = true
  ) throws -> (progress: Double, offset: Double?) {
    var controller = try controller()
    _ = try trace(&controller, [(0, offset - points), (1, offset)])
    controller.handle(.willEndDragging(velocity: velocity), try scroll(offset), at: 2)
    controller.handle(
      .didEndDragging(willDecelerate: decelerates), try scroll(offset), at: 2)
    let moved = controller.advance(to: 2.15)
    #expect(!controller.isSnapping)
    // Content that runs on does not change that.
    controller.handle(.didScroll, try scroll(offset + (velocity > 0 ? 60 : -5)), at: 2.2)
    return (controller.bar.progress, moved)
  }

  @Test func velocityDecidesAtRelease() throws {
    #expect(try release(at: 1000, after: 40, velocity: -401) == (0, nil))
    #expect(try release(at: 1000, after: 10, velocity: 401) == (1, nil))
    // Otherwise the nearer end.
    #expect(try release(at: 1000, after: 16, velocity: 399) == (0, nil))
    #expect(try release(at: 1000, after: 24, velocity: -399) == (1, nil))
    #expect(try release(at: 1000, after: 20, velocity: 0) == (1, nil))
  }

  /// Content at rest goes along: by (0 - .4) × 40 and (1 - .6) × 40 points.
  @Test func restingContentMovesAlong() throws {
    #expect(try release(at: 1000, after: 16, velocity: 0, decelerates: false) == (0, 984))
    #expect(try release(at: 1000, after: 24, velocity: 0, decelerates: false) == (1, 1016))
  }

  /// 499 points per 1000 points per second: from 400 with -1000 to -99, above the top; from 2300
  /// with 1000 beyond the end at 2400.
  @Test func flingsThatEndAtAnEndBringItBack() throws {
    #expect(try release(at: 400, after: 40, velocity: -1000) == (0, nil))
    #expect(try release(at: 2300, after: 40, velocity: 1000) == (0, nil))
    #expect(try release(at: 1800, after: 40, velocity: 1000) == (1, nil))
    #expect(try release(at: 2400, after: 40, velocity: 0, decelerates: false) == (0, nil))
  }

  @Test func aTapBringsItBack() throws {
    var controller = try controller(isAway: true)
    controller.handleTap(try scroll(1000), at: 5)
    #expect(controller.isSnapping)
    #expect(controller.advance(to: 5.15) == nil)
    #expect(controller.bar.progress == 0)
  }

  /// Let go to leave, tapped in the same moment: it stays.
  @Test func aTapKeepsABarThatIsAboutToLeave() throws {
    var controller = try controller()
    _ = try trace(&controller, [(0, 1000), (1, 1000)])
    controller.handle(.willEndDragging(velocity: 900), try scroll(1000), at: 1)
    controller.handle(.didEndDragging(willDecelerate: true), try scroll(1000), at: 1)
    #expect(controller.isSnapping)
    controller.handleTap(try scroll(1000), at: 1)
    #expect(!controller.isSnapping)
    _ = controller.advance(to: 2)
    #expect(controller.bar.progress == 0)
  }

  @Test func theWayToTheTopBringsItBack() throws {
    var controller = try controller(isAway: true)
    controller.handle(.willScrollToTop, try scroll(1000), at: 5)
    #expect(controller.isSnapping)
    _ = controller.advance(to: 5.15)
    #expect(controller.bar.progress == 0)
  }

  @Test func programsMoveItOnlyNearTheTop() throws {
    var controller = try controller(isAway: true)
    controller.handle(.willScrollProgrammatically, try scroll(1100), at: 5)
    controller.handle(.didScroll, try scroll(1500), at: 5.1)
    controller.handle(.didScroll, try scroll(200), at: 5.2)
    #expect(controller.bar.progress == 1)
    controller.handle(.didScroll, try scroll(-20), at: 5.3)
    #expect(controller.bar.progress == 0.75)
  }

  /// Steady pulls are found to be quick at the same place, whatever the ticks.
  @Test func theMeanVelocityDoesNotDependOnTicks() throws {
    for ticks in [60.0, 120, 1000, 10_000] {
      var controller = try controller(isAway: true)
      let path = (0...Int(ticks / 10)).map { tick in
        (10 + Double(tick) / ticks, 1000 - 600 * Double(tick) / ticks)
      }
      let seen = try trace(&controller, path)
      // After 32 points, and then to 60.
      #expect(abs(seen.last.map { $0 - (1 - 28.0 / 40) } ?? 1) <= 600 / ticks / 40 + 1e-9)
    }
  }

  @Test func thresholdsAreNotBelowNothing() {
    var behavior = VelocityBehavior(velocityThreshold: -1, reversalThreshold: -1)
    behavior.velocityThreshold = -2
    #expect(behavior == VelocityBehavior(velocityThreshold: 0, reversalThreshold: 0))
  }
}
