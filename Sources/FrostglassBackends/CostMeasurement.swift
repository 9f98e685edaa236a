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

extension Image {
  /// Makes a frame that has something of everything: gradients, hard edges and noise.
  ///
  /// The same for the same arguments, on every machine. Alpha is full in most places, falls to 0 in
  /// some; premultiplied colors are at most their alpha.
  package static func textured(
    _ size: Size, _ format: PixelFormat, alpha: AlphaMode = .premultiplied
  ) -> Image {
    var image = Image(zeros: size, format: format, alpha: alpha)
    let channels = format.layout.channels
    let premultiplies = format.layout.hasAlpha && alpha == .premultiplied
    for y in 0..<size.height {
      for x in 0..<size.width {
        let coverage = premultiplies ? Texture.alpha(x, y) : 1
        for channel in 0..<channels {
          let value =
            channel == 3 ? Texture.alpha(x, y) : Texture.color(x, y, channel) * coverage
          image.setSample(value, x: x, y: y, channel: channel)
        }
      }
    }
    return image
  }
}

/// What a textured frame shows at a place.
private enum Texture {
  /// A slow wave for each channel, tiles with edges of every height, and noise over both.
  static func color(_ x: Int, _ y: Int, _ channel: Int) -> Float {
    let wave = triangle(x + y / 2 + 211 * channel, 1021)
    let tile = random(x / 61, y / 47, 3 + channel)
    let noise = random(x, y, channel)
    return 0.4 * wave + 0.35 * tile + 0.25 * noise
  }

  /// Full outside a grid of soft-sided holes that are empty in the middle.
  static func alpha(_ x: Int, _ y: Int) -> Float {
    let height = min(triangle(x, 480), triangle(y, 480))
    return min(max(4 * (0.9 - height), 0), 1)
  }

  /// Rises from 0 to 1 and falls again within `period`.
  private static func triangle(_ position: Int, _ period: Int) -> Float {
    let phase = Float(position % period) / Float(period)
    return 1 - abs(2 * phase - 1)
  }

  /// 0 ..< 1 by a hash of the place: the finalizer of SplitMix64.
  private static func random(_ x: Int, _ y: Int, _ seed: Int) -> Float {
    var hash = UInt64(truncatingIfNeeded: (y &* 65_537 &+ x) &* 8 &+ seed) &* 0x9E37_79B9_7F4A_7C15
    hash = (hash ^ hash >> 30) &* 0xBF58_476D_1CE4_E5B9
    hash = (hash ^ hash >> 27) &* 0x94D0_49BB_1331_11EB
    return Float(hash >> 40) / Float(1 << 24)
  }
}
