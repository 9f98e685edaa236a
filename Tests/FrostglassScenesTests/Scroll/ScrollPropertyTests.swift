import FrostglassScenes
import TestSupport
import Testing

struct ScrollPropertyTests {
  private func randomScript(_ random: inout SplitMix) throws -> GestureScript {
    var time = 0.0
    var steps: [GestureStep] = []
    for _ in 0..<6 {
      time += random.even(in: 0...1)
      let step: GestureStep
      switch random.integer(below: 6) {
      case 0: step = .tapToTop(start: time)
      case 1:
        step = .scroll(
          start: time, offset: random.even(in: -500...4000), duration: random.even(in: 0...0.5))
      default:
        let fling = GestureStep.Release.withVelocity(random.even(in: -6000...6000))
        step = .drag(
          start: time, duration: random.even(in: 0.02...0.5),
          distance: random.even(in: -900...900),
          curve: [.linear, .easeOut, .easeIn, .easeInOut][random.integer(below: 4)],
          release: random.integer(below: 2) == 0 ? .withFingerVelocity : fling)
      }
      steps.append(step)
      time = step.end
    }
    return try GestureScript(steps)
  }

  private func randomSimulator(_ random: inout SplitMix) throws -> ScrollSimulator {
    let geometry = try ScrollGeometry(
      viewportHeight: random.even(in: 100...900), contentHeight: random.even(in: 0...3000),
      topInset: random.even(in: 0...200), bottomInset: random.even(in: 0...50))
    return ScrollSimulator(
      geometry: geometry, script: try randomScript(&random),
      physics: try ScrollPhysics(decelerationRate: random.integer(below: 2) == 0 ? .normal : .fast))
  }

  /// Nothing depends on how often one asks: the same events at the same times, the same offsets,
  /// bit for bit, since all motions are computed from their own beginnings.
  @Test func ticksMakeNoDifference() throws {
    var random = SplitMix(state: 1)
    for _ in 0..<100 {
      let simulator = try randomSimulator(&random)
      var (coarse, fine, uneven) = (simulator, simulator, simulator)
      var logs: [[TimedScrollEvent]] = [[], [], []]
      for tick in 1...20 {
        let time = Double(tick) / 2
        logs[0] += coarse.advance(to: time)
        for step in 1...60 { logs[1] += fine.advance(to: time - 0.5 + Double(step) / 120) }
        var between = time - 0.5
        while between < time {
          logs[2] += uneven.advance(to: between)
          between += random.even(in: 0.001...0.1)
        }
        logs[2] += uneven.advance(to: time)
        #expect(coarse.state == fine.state && coarse.state == uneven.state)
      }
      let told = logs.map { log in log.filter { $0.event != .didScroll } }
      #expect(told[0] == told[1] && told[0] == told[2])
      #expect(told[0].count > 6)
    }
  }

  @Test func contentMovesWithoutJumpsAndComesToRest() throws {
    var random = SplitMix(state: 2)
    for _ in 0..<200 {
      var simulator = try randomSimulator(&random)
      let jumps = simulator.script.steps.contains {
        if case .scroll(_, _, let duration) = $0 { duration < 0.1 } else { false }
      }
      var (last, farthest) = (simulator.state.offset, 0.0)
      for tick in 1...12_000 {
        _ = simulator.advance(to: Double(tick) / 1000)
        let offset = simulator.state.offset
        farthest = offset.isFinite ? max(farthest, abs(offset - last)) : .infinity
        last = offset
      }
      // In a millisecond: 900 points in 20 ms are 45, at the end of ease in 78; 3300 points of
      // content in 100 ms are 33, in the middle of ease in out 57.
      #expect(farthest < (jumps ? .infinity : 80))
      _ = simulator.advance(to: 60)
      #expect(simulator.state.phase == .resting)
      #expect(simulator.geometry.restingOffsets.contains(simulator.state.offset))
    }
  }

  /// The velocity is the offset's derivative, in every phase; within .5 % while it decelerates,
  /// where both come from sums over milliseconds.
  @Test func velocityIsTheDerivative() throws {
    var random = SplitMix(state: 3)
    for _ in 0..<50 {
      var simulator = try randomSimulator(&random)
      for tick in 1...400 {
        let time = Double(tick) / 60
        _ = simulator.advance(to: time)
        let state = simulator.state
        var (middle, later) = (simulator, simulator)
        let between = middle.advance(to: time + 5e-7) + later.advance(to: time + 1e-6)
        guard between.allSatisfy({ $0.event == .didScroll }) else { continue }
        let mean = (later.state.offset - state.offset) / 1e-6
        #expect(abs(mean - middle.state.velocity) < 0.006 * abs(mean) + 0.5, "\(state)")
      }
    }
  }
}
