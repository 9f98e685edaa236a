import FrostglassScenes
import Testing

/// A viewport of 500 points over 5000, without insets: offsets 0…4500.
struct ScrollSimulatorTests {
  private func simulator(
    _ steps: [GestureStep], content: Double = 5000, top: Double = 0, offset: Double? = nil,
    rate: DecelerationRate = .normal
  ) throws -> ScrollSimulator {
    ScrollSimulator(
      geometry: try ScrollGeometry(viewportHeight: 500, contentHeight: content, topInset: top),
      script: try GestureScript(steps), physics: try ScrollPhysics(decelerationRate: rate),
      offset: offset)
  }

  private func offset(_ simulator: ScrollSimulator, at time: Double) -> Double {
    var simulator = simulator
    _ = simulator.advance(to: time)
    return simulator.state.offset
  }

  @Test func contentFollowsTheFinger() throws {
    let simulator = try simulator([.drag(start: 1, duration: 0.5, distance: 300)])
    #expect(offset(simulator, at: 0.5) == 0)
    #expect(offset(simulator, at: 1) == 0)
    #expect(abs(offset(simulator, at: 1.25) - 150) < 1e-9)
    let curved = try self.simulator([
      .drag(start: 0, duration: 1, distance: 200, curve: .easeInOut)
    ])
    #expect(abs(offset(curved, at: 0.5) - 100) < 1e-9)
  }

  /// 300 points in 0.3 s are 1000 points per second. 990 of them are lost on the way, for each of which
  /// content goes .998 / .002 = 499 thousandths of a point: 494.01 points.
  @Test func flingsGoAsFarAsTheSumOfMilliseconds() throws {
    let simulator = try simulator([.drag(start: 0, duration: 0.3, distance: 300)])
    #expect(abs(offset(simulator, at: 20) - 794.01) < 1e-9)
    // Millisecond by millisecond.
    var (place, velocity) = (300.0, 1.0)
    for millisecond in 1...2000 {
      velocity *= 0.998
      place += velocity
      guard millisecond % 100 == 0 else { continue }
      #expect(abs(offset(simulator, at: 0.3 + Double(millisecond) / 1000) - place) < 1e-9)
    }
    // 990 × .99 / .01 / 1000 = 98.01 points.
    let fast = try self.simulator(
      [.drag(start: 0, duration: 0.3, distance: 300)], rate: .fast)
    #expect(abs(offset(fast, at: 20) - 398.01) < 1e-9)
    #expect(abs(DecelerationRate.normal.distance(from: 1000) - 494.01) < 1e-9)
    #expect(abs(DecelerationRate.fast.distance(from: -1000) + 98.01) < 1e-9)
  }

  /// Measurements of `UIScrollView`: velocity, distance, and duration; see `DecelerationRate.slowest`. It checks once
  /// per frame whether it is slow enough, so it may take one frame more than here, and move that much farther.
  @Test(arguments: [
    (4619.940, 2300.5, 3.068916), (1398.724, 693, 2.485449), (-2389.578, -1187.5, 2.752163),
    (2279.252, 1132.5, 2.718653),
  ])
  func flingsEndWhereThoseOfIOSDo(velocity: Double, way: Double, seconds: Double) throws {
    var simulator = try simulator(
      [.drag(start: 0, duration: 0.1, distance: 0, release: .withVelocity(velocity))],
      content: 20_000, offset: 5000)
    let end = try #require(simulator.advance(to: 20).last)
    #expect(end.event == .didEndDecelerating)
    #expect(seconds - (end.time - 0.1) > 0 && seconds - (end.time - 0.1) < 1.0 / 50)
    // Offsets are those of a screen with two pixels per point.
    #expect(abs(simulator.state.offset - 5000 - way) < 0.5)
  }

  /// Flings that are slower than the minimum stop at once.
  @Test func theSlowestFlingIsNone() throws {
    for (velocity, runs) in [(10.0, false), (-10, false), (10.1, true), (-10.1, true)] {
      var simulator = try simulator(
        [.drag(start: 0, duration: 0.1, distance: 0, release: .withVelocity(velocity))],
        offset: 1000)
      let events = simulator.advance(to: 5).map(\.event)
      #expect(events.contains(.didEndDragging(willDecelerate: runs)))
    }
  }

  @Test func flingVelocitiesMayBeGiven() throws {
    let simulator = try simulator([
      .drag(start: 0, duration: 0.3, distance: 300, release: .withVelocity(-200))
    ])
    #expect(abs(offset(simulator, at: 20) - (300 - 94.81)) < 1e-9)
  }

  @Test func eventsComeInOrder() throws {
    var simulator = try simulator([.drag(start: 0.25, duration: 0.25, distance: 100)])
    let first = simulator.advance(to: 0.375)
    #expect(first.map(\.event) == [.willBeginDragging, .didScroll])
    #expect(first.map(\.time) == [0.25, 0.375])
    #expect(first[0].state.phase == .dragging && first[0].state.offset == 0)
    #expect(abs(first[1].state.velocity - 400) < 1e-9)
    let second = simulator.advance(to: 30)
    #expect(
      second.map(\.event) == [
        .didScroll, .willEndDragging(velocity: 400), .didEndDragging(willDecelerate: true),
        .didScroll, .didEndDecelerating,
      ])
    #expect(second.prefix(3).map(\.time) == [0.5, 0.5, 0.5])
    #expect(second.map(\.state.phase) == [.dragging, .dragging, .decelerating, .resting, .resting])
    // 10 of 400 points per second are left after ln(10 / 400) / ln .998 = 1842.6 ms.
    #expect(abs(second[4].time - 0.5 - 1.8426) < 0.0001)
    #expect(simulator.advance(to: 40).isEmpty)
    #expect(simulator.state.velocity == 0)
  }

  /// A finger lets go before the next one comes, even at the same moment.
  @Test func whatEndsComesBeforeWhatBegins() throws {
    var simulator = try simulator([
      .drag(start: 0, duration: 0.5, distance: 50),
      .drag(start: 0.5, duration: 0.5, distance: 25, release: .withVelocity(0)),
    ])
    let events = simulator.advance(to: 2)
    #expect(
      events.map(\.event) == [
        .willBeginDragging, .didScroll, .willEndDragging(velocity: 100),
        .didEndDragging(willDecelerate: true), .willBeginDragging, .didScroll,
        .willEndDragging(velocity: 0), .didEndDragging(willDecelerate: false),
      ])
    #expect(simulator.state.offset == 75)
  }

  @Test func aFingerThatStopsLeavesContentWhereItIs() throws {
    var simulator = try simulator([
      .drag(start: 0, duration: 0.5, distance: 100, curve: .easeOut)
    ])
    #expect(
      simulator.advance(to: 9).map(\.event) == [
        .willBeginDragging, .didScroll, .willEndDragging(velocity: 0),
        .didEndDragging(willDecelerate: false),
      ])
    #expect(simulator.state.offset == 100 && simulator.state.phase == .resting)
  }

  /// 100 points of finger beyond the top of a viewport of 500: .55 × 100 / 500 = .11, and
  /// (1 - 1 / 1.11) × 500 = 49.5495 points of content.
  @Test func contentBeyondItsEndsFollowsLess() throws {
    let top = try simulator([.drag(start: 0, duration: 0.5, distance: -100, curve: .easeOut)])
    #expect(abs(offset(top, at: 0.5) + 55 / 1.11) < 1e-9)
    let end = try simulator(
      [.drag(start: 0, duration: 0.5, distance: 120, curve: .easeOut)], offset: 4480)
    #expect(abs(offset(end, at: 0.5) - 4500 - 55 / 1.11) < 1e-9)
    // Far beyond, never by the whole viewport.
    let far = try simulator([.drag(start: 0, duration: 1, distance: -1e6)])
    #expect(offset(far, at: 0.999) > -500)
  }

  /// Let go at rest, `x(t) = x₀ e^(-10 t) (1 + 10 t)`.
  @Test func contentSpringsBack() throws {
    var simulator = try simulator([
      .drag(start: 0, duration: 0.5, distance: -100, curve: .easeOut)
    ])
    let stretched = -55 / 1.11
    // e^-1 = .36787944117144233
    #expect(
      abs(offset(simulator, at: 0.6) - stretched * 2 * 0.36787944117144233) < 1e-9)
    let events = simulator.advance(to: 10).map(\.event)
    #expect(
      events.suffix(3) == [.didEndDragging(willDecelerate: true), .didScroll, .didEndDecelerating])
    #expect(simulator.state.offset == 0)
  }

  @Test func aFlingAgainstTheEndBouncesAndRestsThere() throws {
    var simulator = try simulator(
      [.drag(start: 0, duration: 0.1, distance: 100, release: .withVelocity(3000))], offset: 4000)
    var highest = 0.0
    for tick in 0...600 {
      _ = simulator.advance(to: Double(tick) / 120)
      highest = max(highest, simulator.state.offset)
    }
    // 400 of 1497 points are left to the end: v = 3000 × (1 - 400 / 1497) = 2198, and the spring
    // goes v / (10 e) = 80.9 points beyond.
    #expect(abs(highest - 4580.9) < 0.2)
    #expect(simulator.state.offset == 4500 && simulator.state.phase == .resting)
  }

  /// Pulled 49.5 points beyond the top and flung into the content: it runs on inside.
  @Test func aFlingFromBeyondAnEndRunsIntoTheContent() throws {
    var simulator = try simulator([
      .drag(
        start: 0, duration: 0.5, distance: -100, curve: .easeOut, release: .withVelocity(2000))
    ])
    var crossed = false
    for tick in 0...2000 {
      let before = simulator.state
      _ = simulator.advance(to: Double(tick) / 120)
      // Never back.
      if tick > 60 { #expect(simulator.state.offset >= before.offset - 1e-12) }
      crossed = crossed || simulator.state.offset > 0
    }
    #expect(crossed && simulator.state.offset > 300)
  }

  /// A velocity of 10 times the stretch is what the spring itself would need to reach the end only
  /// after all time; a little more and less is much the same. Content still comes to rest.
  @Test func evenTheSlowestWayBackEnds() throws {
    let stretch = 55 / 1.11
    for factor in [0.999_999, 1, 1.000_000_1, 1.000_1, 1.01] {
      var simulator = try simulator([
        .drag(
          start: 0, duration: 0.5, distance: -100, curve: .easeOut,
          release: .withVelocity(10 * stretch * factor))
      ])
      let last = simulator.advance(to: 10).last
      #expect(last?.event == .didEndDecelerating)
      #expect(simulator.state.phase == .resting && abs(simulator.state.offset) < 0.5)
    }
  }

  @Test func aTouchStopsAFlingWithoutItsEnd() throws {
    var simulator = try simulator([
      .drag(start: 0, duration: 0.1, distance: 100), .drag(start: 0.5, duration: 1, distance: 0),
    ])
    let events = simulator.advance(to: 9).map(\.event)
    #expect(!events.contains(.didEndDecelerating))
    #expect(events.last == .didEndDragging(willDecelerate: false))
    let caught = offset(
      try self.simulator([.drag(start: 0, duration: 0.1, distance: 100)]), at: 0.5)
    #expect(abs(simulator.state.offset - caught) < 1e-9)
  }

  /// A viewport of 100 points, and a fling that goes 10000 / (10 e) = 368 points beyond the end.
  @Test func contentThatIsFarOutIsCaughtWhereItIs() throws {
    let geometry = try ScrollGeometry(viewportHeight: 100, contentHeight: 100)
    var simulator = ScrollSimulator(
      geometry: geometry,
      script: try GestureScript([
        .drag(start: 0, duration: 0.1, distance: 0, release: .withVelocity(10_000)),
        .drag(start: 0.2, duration: 1, distance: 0),
      ]))
    _ = simulator.advance(to: 0.2)
    let caught = simulator.state.offset
    #expect(caught > 300)
    _ = simulator.advance(to: 1)
    #expect(simulator.state.offset == caught)
    _ = simulator.advance(to: 5)
    #expect(simulator.state.offset == 0)
  }

  @Test func aTapGoesToTheTop() throws {
    var simulator = try simulator([.tapToTop(start: 1)], top: 64, offset: 1000)
    #expect(simulator.advance(to: 1).map(\.event) == [.didScroll, .willScrollToTop])
    #expect(abs(offset(simulator, at: 1.15) - 468) < 1e-9)
    let events = simulator.advance(to: 2)
    #expect(events.map(\.event) == [.didScroll, .didScrollToTop])
    #expect(abs(events[1].time - 1.3) < 1e-12)
    #expect(simulator.state.offset == -64)
    var already = try self.simulator([.tapToTop(start: 1)])
    #expect(already.advance(to: 1).map(\.event) == [.willScrollToTop, .didScrollToTop])
  }

  @Test func programsScrollWithinTheContent() throws {
    var simulator = try simulator([
      .scroll(start: 1, offset: 300, duration: 0.5), .scroll(start: 2, offset: 1e6, duration: 0),
    ])
    #expect(
      simulator.advance(to: 1.5).map(\.event) == [
        .willScrollProgrammatically, .didScroll, .didEndProgrammaticScroll,
      ])
    #expect(simulator.state.offset == 300)
    #expect(
      simulator.advance(to: 2).map(\.event) == [
        .willScrollProgrammatically, .didScroll, .didEndProgrammaticScroll,
      ])
    #expect(simulator.state.offset == 4500)
  }

  @Test func contentCanBeMoved() throws {
    var simulator = try simulator([.drag(start: 1, duration: 1, distance: 100, curve: .easeOut)])
    simulator.moveContent(to: 200)
    simulator.moveContent(to: .nan)
    #expect(simulator.state.offset == 200)
    #expect(simulator.advance(to: 0.5).isEmpty)
    _ = simulator.advance(to: 1.5)
    let held = simulator.state.offset
    simulator.moveContent(to: held + 50)
    #expect(abs(simulator.state.offset - held - 50) < 1e-9)
    _ = simulator.advance(to: 3)
    #expect(abs(simulator.state.offset - 350) < 1e-9)
  }

  @Test func timeGoesForward() throws {
    var simulator = try simulator([.drag(start: 0, duration: 1, distance: 100)])
    _ = simulator.advance(to: 0.5)
    #expect(simulator.advance(to: 0.25).isEmpty && simulator.time == 0.5)
    #expect(simulator.advance(to: .nan).isEmpty && simulator.advance(to: .infinity).isEmpty)
  }
}
