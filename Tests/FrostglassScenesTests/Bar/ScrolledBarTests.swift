import FrostglassScenes
import Testing

/// Bars over simulated scrolling, as a renderer drives them, in ticks of 1/120 s.
struct ScrolledBarTests {
  private struct Frame {
    var time: Double
    var offset: Double
    var progress: Double
    var isSnapping: Bool
  }

  private func run(
    _ controller: BarController, _ steps: [GestureStep], inset: Double, offset: Double? = nil,
    seconds: Int = 10
  ) throws -> [Frame] {
    var controller = controller
    var simulator = ScrollSimulator(
      geometry: try ScrollGeometry(
        viewportHeight: 600, contentHeight: 3000, topInset: inset),
      script: try GestureScript(steps), offset: offset)
    return (0...seconds * 120).map { tick in
      let time = Double(tick) / 120
      for moment in simulator.advance(to: time) {
        controller.handle(moment.event, moment.state, at: moment.time)
      }
      if let offset = controller.advance(to: time) { simulator.moveContent(to: offset) }
      return Frame(
        time: time, offset: simulator.state.offset, progress: controller.bar.progress,
        isSnapping: controller.isSnapping)
    }
  }

  private func squareCash() throws -> BarController {
    BarController(
      FlexibleBar(minimumHeight: 65, maximumHeight: 200),
      behavior: ScrollAwayBehavior(isElasticAtTop: true),
      snapping: try Snapping([
        SnapRange(from: 0, to: 0.5, target: 0), SnapRange(from: 0.5, to: 1, target: 1),
      ]))
  }

  /// 60 of 135 points: back. 80 of 135: on.
  @Test func scrollAwaySnapsToTheNearerEnd() throws {
    for (distance, progress, offset) in [(60.0, 0.0, -200.0), (80, 1, -65)] {
      let frames = try run(
        squareCash(), [.drag(start: 0.5, duration: 0.5, distance: distance, curve: .easeOut)],
        inset: 200)
      #expect(frames.last?.progress == progress && frames.last?.offset == offset)
      let snapping = frames.filter(\.isSnapping).map(\.time)
      #expect(snapping.first == 1 && snapping.last.map { $0 < 1.15 } == true)
      // At all times the bar is where the content has it.
      for frame in frames {
        #expect(abs(frame.progress - min(1, (frame.offset + 200) / 135)) < 1e-9)
      }
    }
  }

  @Test func scrollAwayStretchesAndComesBack() throws {
    let frames = try run(
      squareCash(), [.drag(start: 0, duration: 0.5, distance: -200, curve: .easeOut)], inset: 200)
    #expect(frames.map(\.progress).min().map { $0 < -0.5 } == true)
    #expect(frames.last?.progress == 0 && frames.last?.offset == -200)
    #expect(frames.allSatisfy { !$0.isSnapping })
  }

  /// Down by 500: away. Up by 100: not yet. Up by 200 more: there.
  @Test func revealWaitsForItsThreshold() throws {
    let turn = 40.0 / 85
    let controller = BarController(
      FlexibleBar(minimumHeight: 20, maximumHeight: 105),
      behavior: RevealBehavior(thresholdNegative: 140),
      snapping: try Snapping([
        SnapRange(from: 0, to: turn, target: 0), SnapRange(from: turn, to: 1, target: 1),
      ]))
    let frames = try run(
      controller,
      [
        .drag(start: 0, duration: 0.5, distance: 500, curve: .easeOut),
        .drag(start: 1, duration: 0.5, distance: -100, curve: .easeOut),
        .drag(start: 2, duration: 0.5, distance: -250, curve: .easeOut),
      ], inset: 105)
    #expect(frames[119].progress == 1 && frames[239].progress == 1)
    #expect(frames.last?.progress == 0)
    // 395, 295, 45.
    #expect(abs(frames[239].offset - 295) < 1e-9)
    #expect(abs(frames[1200].offset - 45) < 1e-9)
  }

  @Test func safariGoesComesAndShowsAtTheEnd() throws {
    let controller = BarController(
      FlexibleBar(minimumHeight: 10, maximumHeight: 50), behavior: VelocityBehavior())
    let frames = try run(
      controller,
      [
        .drag(start: 0, duration: 0.2, distance: 200),
        .drag(start: 5, duration: 0.2, distance: -150),
        .drag(start: 10, duration: 0.2, distance: 300, release: .withVelocity(9000)),
        .tapToTop(start: 20),
      ], inset: 50, seconds: 22)
    #expect(frames[4 * 120].progress == 1)
    #expect(frames[9 * 120].progress == 0)
    #expect(frames[1224].progress == 1)
    #expect(frames[15 * 120].progress == 0 && frames[15 * 120].offset == 2400)
    #expect(frames.last?.progress == 0 && frames.last?.offset == -50)
  }
}
