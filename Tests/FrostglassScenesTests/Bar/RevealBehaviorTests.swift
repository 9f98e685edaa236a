import FrostglassScenes
import Testing

/// Facebook's bar: 105 to 20 points, 85 points of scrolling, over content that rests at -105…1400.
struct RevealBehaviorTests {
  private func scroll(_ offset: Double, content: Double = 2000) throws -> ScrollState {
    ScrollState(
      geometry: try ScrollGeometry(viewportHeight: 600, contentHeight: content, topInset: 105),
      offset: offset)
  }

  /// A bar that is there, or away because content was scrolled to 500 before any drag.
  private func controller(
    _ behavior: RevealBehavior, isAway: Bool = false
  ) throws -> BarController {
    var controller = BarController(
      FlexibleBar(minimumHeight: 20, maximumHeight: 105), behavior: behavior)
    if isAway { controller.handle(.didScroll, try scroll(500), at: 0) }
    #expect(controller.bar.progress == (isAway ? 1 : 0))
    return controller
  }

  /// Progress at offsets, in one drag that begins at another.
  private func trace(
    _ controller: BarController, from start: Double, to offsets: [Double]
  ) throws -> [Double] {
    var controller = controller
    controller.handle(.willBeginDragging, try scroll(start), at: 1)
    return try offsets.map { offset in
      controller.handle(.didScroll, try scroll(offset), at: 1)
      return controller.bar.progress
    }
  }

  @Test func goesAndComesPointByPoint() throws {
    let there = try controller(RevealBehavior())
    #expect(try trace(there, from: 300, to: [342.5, 385, 600, 300]) == [0.5, 1, 1, 0])
    let away = try controller(RevealBehavior(), isAway: true)
    #expect(try trace(away, from: 500, to: [457.5, 415, 0, 600]) == [0.5, 0, 0, 1])
  }

  // MARK: At the top

  /// From -105 with 30 points to spare: at -75 it begins, at -75 + 42.5 it is half gone.
  @Test func atTheTopItWaitsForItsThreshold() throws {
    let there = try controller(RevealBehavior(thresholdFromTop: 30, thresholdPositive: 500))
    #expect(
      try trace(there, from: -105, to: [-90, -75, -32.5, 10, -120]) == [0, 0, 0.5, 1, 0])
  }

  // MARK: Within the content

  /// From 500 with 140: it stays away down to 360, is half there at 317.5 and all there at 275.
  @Test func withinTheContentABarThatIsAwayWaits() throws {
    let away = try controller(RevealBehavior(thresholdNegative: 140), isAway: true)
    #expect(
      try trace(away, from: 500, to: [400, 360, 317.5, 275, 200]) == [1, 1, 0.5, 0, 0])
  }

  /// 225 points below the top, 140 + 85, and above that, it comes at once; one point lower it waits.
  @Test func nearTheTopItComesAtOnce() throws {
    let away = try controller(RevealBehavior(thresholdNegative: 140), isAway: true)
    #expect(try trace(away, from: 100, to: [57.5, 15]) == [0.5, 0])
    #expect(try trace(away, from: 120, to: [77.5]) == [0.5])
    #expect(try trace(away, from: 121, to: [78.5]) == [1])
  }

  /// From 500 with 50: nothing up to 550, half at 592.5. From 1370, nearer to the end at 1400 than
  /// 50 points, at once: 30 of 85 points.
  @Test func withinTheContentABarThatIsThereWaitsToo() throws {
    let there = try controller(RevealBehavior(thresholdPositive: 50))
    #expect(try trace(there, from: 500, to: [550, 592.5, 635]) == [0, 0.5, 1])
    #expect(try trace(there, from: 1350, to: [1392.5]) == [0.5])
    #expect(try trace(there, from: 1349, to: [1391.5]) == [0])
    #expect(try trace(there, from: 1370, to: [1400]) == [30.0 / 85])
  }

  @Test func halfABarWaitsForNothing() throws {
    var half = try controller(RevealBehavior(thresholdNegative: 140, thresholdPositive: 50))
    half.handle(.didScroll, try scroll(42.5), at: 0)
    #expect(half.bar.progress == 0.5)
    #expect(try trace(half, from: 800, to: [808.5, 757.5]) == [0.6, 0])
  }

  // MARK: Pulled down beyond the top

  /// From -150 as from -105: half gone at -62.5. With 30 points to spare at -32.5.
  @Test func beyondTheTopItIsAsFromTheTop() throws {
    let there = try controller(RevealBehavior())
    #expect(try trace(there, from: -150, to: [-105, -62.5, -20]) == [0, 0.5, 1])
    let waiting = try controller(RevealBehavior(thresholdFromTop: 30, thresholdPositive: 500))
    #expect(try trace(waiting, from: -150, to: [-75, -32.5]) == [0, 0.5])
    let positive = try controller(RevealBehavior(thresholdPositive: 50))
    #expect(try trace(positive, from: -150, to: [-55, -12.5]) == [0, 0.5])
  }

  /// A bar that is away even there: 0 at -105 - 140, so half away at -202.5.
  @Test func beyondTheTopABarThatIsAway() throws {
    let away = try controller(RevealBehavior(thresholdNegative: 140), isAway: true)
    #expect(try trace(away, from: -150, to: [-245, -202.5, -160]) == [0, 0.5, 1])
  }

  // MARK: Pulled up beyond the end

  /// From 1450 as from 1400 with a bar that is away: with 140 it waits down to 1260.
  @Test func beyondTheEndItIsAsFromTheEnd() throws {
    let away = try controller(RevealBehavior(), isAway: true)
    #expect(try trace(away, from: 1450, to: [1400, 1357.5, 1315]) == [1, 0.5, 0])
    let waiting = try controller(RevealBehavior(thresholdNegative: 140), isAway: true)
    #expect(try trace(waiting, from: 1450, to: [1260, 1217.5, 1175]) == [1, 0.5, 0])
    // A bar that is there: away at 1400 + 50, half away at 1407.5.
    let there = try controller(RevealBehavior(thresholdPositive: 50))
    #expect(try trace(there, from: 1450, to: [1450, 1407.5, 1365]) == [1, 0.5, 0])
  }

  /// Content that fits has no end to be pulled beyond: nothing is taken note of.
  @Test func contentThatFitsLeavesTheBarAlone() throws {
    var there = try controller(RevealBehavior())
    there.handle(.willBeginDragging, try scroll(-105, content: 300), at: 0)
    there.handle(.didScroll, try scroll(-60, content: 300), at: 0)
    #expect(there.bar.progress == 0)
  }

  @Test func thresholdsAreNotBelowNothing() {
    var behavior = RevealBehavior(thresholdFromTop: -1, thresholdNegative: -2)
    behavior.thresholdPositive = -3
    #expect(behavior == RevealBehavior())
  }
}
