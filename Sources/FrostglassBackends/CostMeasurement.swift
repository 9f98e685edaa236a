package import FrostglassCPU

/// Finds out what backends cost, by running a few blurs on them: some hundred milliseconds.
package enum CostMeasurement {
  private static let runs = 3

  /// What a started GPU and the fast backend cost.
  ///
  /// - Parameters:
  ///   - size: of the large pictures.
  ///   - startUp: seconds that the start took.
  ///   - startAgain: starts another backend of the kind, whose first plan shows what first plans
  ///     cost when all programs are kept on disk.
  /// - Returns: `nil` where the GPU fails.
  package static func model(
    of started: GraphicsHost.Started, beside fast: FastBackend,
    size: Size = Size(width: 1920, height: 1080), startUp: Double,
    startAgain: @Sendable () async -> (any Backend)?
  ) async -> CostModel? {
    guard let gl = await samples(started.backend, size), let cpu = await samples(fast, size) else {
      return nil
    }
    var first = 0.0
    if let second = await startAgain(), let job = job(Size(width: 256, height: 256), heavy: false),
      let seconds = await seconds(job, on: second)
    {
      first = max(0, seconds - gl.small.seconds)
    }
    return CostModel(
      fast: BackendCosts(startUp: 0, small: cpu.small, light: cpu.light, heavy: cpu.heavy),
      threads: fast.threads,
      gl: BackendCosts(
        startUp: startUp + first, small: gl.small, light: gl.light, heavy: gl.heavy),
      identity: started.identity)
  }

  private struct Job {
    var plan: Plan
    var frame: Image
  }

  private static func job(_ size: Size, heavy: Bool) -> Job? {
    let frame = Image.textured(size, .rgba8)
    // Wide blurs work on small copies, narrow ones on every pixel.
    let chain: FilterChain =
      heavy
      ? [.gaussian(sigma: 2), .gaussian(sigma: 1.5), .gaussian(sigma: 2)] : [.gaussian(sigma: 20)]
    return (try? chain.plan(for: Plan.Input(frame))).map { Job(plan: $0, frame: frame) }
  }

  private static func samples(
    _ backend: any Backend, _ large: Size
  ) async -> (small: BackendCosts.Sample, light: BackendCosts.Sample, heavy: BackendCosts.Sample)? {
    guard let small = job(Size(width: 256, height: 256), heavy: false),
      let light = job(large, heavy: false), let heavy = job(large, heavy: true),
      let first = await sample(small, on: backend), let second = await sample(light, on: backend),
      let third = await sample(heavy, on: backend)
    else { return nil }
    return (first, second, third)
  }

  /// The median of a few runs after one that does not count.
  private static func sample(_ job: Job, on backend: any Backend) async -> BackendCosts.Sample? {
    var times: [Double] = []
    for _ in 0...runs {
      guard let time = await seconds(job, on: backend) else { return nil }
      times.append(time)
    }
    let sorted = times.dropFirst().sorted()
    return BackendCosts.Sample(PlanWork(job.plan), seconds: sorted[runs / 2])
  }

  private static func seconds(_ job: Job, on backend: any Backend) async -> Double? {
    let start = ContinuousClock.now
    guard (try? await backend.execute(job.plan, [job.frame])) != nil else { return nil }
    return start.duration(to: .now) / .seconds(1)
  }
}
