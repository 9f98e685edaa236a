internal import FrostglassCore

/// Runs the same blurs in each stage of a device.
struct StageMeasurement {
  /// Enough for a median that one disturbed run does not move.
  private static let rounds = 7
  /// Slow devices get fewer rounds, but three.
  private static let patience = Duration.milliseconds(700)

  private let plan: Plan
  private let frame: Image

  /// Blurs of a frame: short, medium and long ones several times over, so that the passes
  /// outweigh the frame's way to the device and back.
  init(_ size: Size) throws(PlanError) {
    frame = StageMeasurement.noise(size)
    let blurs: [any Filter] = [
      .gaussian(sigma: 1.5), .gaussian(sigma: 4), .gaussian(sigma: 12), .gaussian(sigma: 40),
      .saturation(1.2),
    ]
    let chain = FilterChain(blurs + blurs + blurs)
    plan = try chain.plan(for: Plan.Input(frame))
  }

  /// - Parameter runner: what runs plans in a stage.
  func times(
    _ stages: [GLOptions.Stage], _ runner: (GLOptions.Stage) -> PlanRunner
  ) -> StageTimes {
    let runners = stages.map { (stage: $0, runner: runner($0)) }
    // Compiles, and fills the pool. What does not work is not measured.
    let working = runners.filter { time($0.runner) != nil && time($0.runner) != nil }
    var times = working.map { (stage: $0.stage, times: [Double]()) }
    let start = ContinuousClock.now
    for round in 0..<StageMeasurement.rounds {
      if round >= 3, start.duration(to: .now) > StageMeasurement.patience { break }
      // In turn, so that what disturbs one disturbs all.
      for index in working.indices {
        if let time = time(working[index].runner) { times[index].times.append(time) }
      }
    }
    return StageTimes(times)
  }

  private func time(_ runner: PlanRunner) -> Double? {
    let start = ContinuousClock.now
    do throws(GLFailure) {
      _ = try runner.start(plan, [.image(frame)], into: ResultMemory()).finish()
    } catch { return nil }
    return start.duration(to: .now) / .seconds(1)
  }

  /// Devices compress what is even, and would be faster with it than with photographs.
  private static func noise(_ size: Size) -> Image {
    var image = Image(zeros: size, format: .rgba8, alpha: .premultiplied)
    var state: UInt32 = 1
    image.bytes.withUnsafeMutableBytes { bytes in
      for index in bytes.indices {
        state = state &* 1_664_525 &+ 1_013_904_223
        bytes[index] = index % 4 == 3 ? 255 : UInt8(state >> 24)
      }
    }
    return image
  }
}
