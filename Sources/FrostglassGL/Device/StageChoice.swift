internal import CGLES
package import FrostglassCore

/// Which part of the GPU runs a device's passes, and why.
package struct StageChoice: Sendable, Hashable, CustomStringConvertible {
  /// Never `automatic`.
  package var stage: GLOptions.Stage
  /// Why, in words.
  package var reason: String
  /// How long was measured for it just now, in seconds; 0 where that was clear.
  package var secondsSpent = 0.0
  /// Multiply-adds for each of a pixel's places that the stage does in a second; 0 where that is unknown.
  package var rate = 0.0

  /// As many of them as one band of rows may take: a tenth of a second, as displays freeze while one runs,
  /// and drivers end what takes too long.
  package var workPerBand: Int {
    rate > 0 ? Int(min(max(rate / 10, 1e6), 1e12)) : StageChoice.unmeasuredWorkPerBand
  }

  /// The same where nothing was measured: a weak GPU's 10⁹ a second are assumed, until bands tell; see `BandPace`.
  static let unmeasuredWorkPerBand = 100_000_000

  package var description: String { "\(stage) (\(reason))" }

  package init(_ stage: GLOptions.Stage, _ reason: String) {
    self.stage = stage
    self.reason = reason
  }

  /// What is clear without a measurement, or was measured before; `nil` where it is not.
  package init?(_ options: GLOptions, _ capabilities: GLCapabilities) {
    let ways = capabilities.stages
    if options.stage != .automatic {
      self.init(options.stage, "asked for")
    } else if capabilities.isZinkOnCPU {
      // Its compute programs are wrong there, see docs/gpu.md.
      self.init(.fragment, "zink on a software renderer")
    } else if capabilities.isSoftware {
      // Fetches are what costs there, in all versions of all of them.
      self.init(ways.contains(.blocked) ? .blocked : .fragment, "a software renderer")
    } else if ways.count == 1 {
      self.init(ways[0], "all that the device has")
    } else if options.restrictToES31Minimum || options.cacheDirectory == nil {
      // A measurement takes longer than it would save, if it is not remembered.
      self.init(.compute, "not measured, as nothing is kept")
    } else if let times = StageTimes.remembered(for: capabilities, options) {
      self.init(times)
    } else {
      return nil
    }
  }

  /// The fastest; the earlier of two that are as good as equal, as their order will not change with
  /// the next measurement then.
  package init(_ times: StageTimes) {
    let fastest = times.seconds.map(\.seconds).min() ?? 0
    let best = times.seconds.first { $0.seconds <= fastest * 1.03 }
    let numbers = times.seconds.map { way in
      "\(way.stage) \((way.seconds * 100_000).rounded() / 100) ms"
    }
    self.init(best?.stage ?? .fragment, "measured: \(numbers.joined(separator: ", "))")
    if let best, best.seconds > 0 { rate = times.work / best.seconds }
  }
}

extension GLCapabilities {
  /// The stages that the device can run passes in.
  var stages: [GLOptions.Stage] {
    GLOptions.Stage.allCases.filter { stage in
      switch stage {
      case .automatic: false
      case .fragment: true
      case .compute, .blocked: computes
      }
    }
  }
}

/// How long the same blurs took in each stage of a device, measured once per device, driver and
/// version of this library, and remembered.
package struct StageTimes: Sendable, Hashable {
  /// A stage and the median of its times, in order of `GLOptions.Stage`'s cases.
  package struct Way: Sendable, Hashable {
    package var stage: GLOptions.Stage
    package var seconds: Double

    package init(_ stage: GLOptions.Stage, seconds: Double) {
      self.stage = stage
      self.seconds = seconds
    }
  }

  package var seconds: [Way]
  /// Multiply-adds of what was run, for each of a pixel's places; 0 is unknown.
  package var work: Double

  package init(_ seconds: [Way], work: Double = 0) {
    self.seconds = seconds
    self.work = work
  }

  /// Takes the median of each stage's times; a stage without any is left out, as it did not work.
  package init(_ times: [(stage: GLOptions.Stage, times: [Double])], work: Double = 0) {
    self.work = work
    seconds = times.compactMap { stage, times in
      times.isEmpty ? nil : Way(stage, seconds: times.sorted()[times.count / 2])
    }
  }

  /// What was measured before; `nil` where nothing was, or not of all that there is now.
  package static func remembered(
    for capabilities: GLCapabilities, _ options: GLOptions
  ) -> StageTimes? {
    guard let cache = options.cacheDirectory.map({ CacheDirectory($0) }),
      let record = CacheRecord("stage", of: subject(capabilities), in: cache)
    else { return nil }
    let ways = capabilities.stages.compactMap { stage in
      record.number("\(stage)").map { Way(stage, seconds: $0) }
    }
    guard let work = record.number("work"), ways.count + 1 == record.values.count, !ways.isEmpty
    else { return nil }
    return StageTimes(ways, work: work)
  }

  package func remember(for capabilities: GLCapabilities, _ options: GLOptions) {
    guard let cache = options.cacheDirectory.map({ CacheDirectory($0) }), !seconds.isEmpty else {
      return
    }
    var record = CacheRecord(subject: StageTimes.subject(capabilities))
    for way in seconds { record.values["\(way.stage)"] = "\(way.seconds)" }
    record.values["work"] = "\(work)"
    record.keep(as: "stage", in: cache)
  }

  /// A device that has got another stage since is measured again.
  private static func subject(_ capabilities: GLCapabilities) -> String {
    let stages = capabilities.stages.map { "\($0)" }.joined(separator: " ")
    return "\(capabilities.driverIdentity)\nfrostglass \(Version.current)\n\(stages)"
  }
}

extension StageTimes {
  /// Of the frame that stages are measured with.
  static let usualSize = Size(width: 1920, height: 1080)
  /// Of that for devices which are too fast for the usual one.
  static let largeSize = Size(width: 3840, height: 2160)

  /// Whether the device may have waited for this machine, so that the times say little of its stages: eight blurs
  /// are some forty draws, and a driver takes up to 0.05 ms for each.
  package var areTooShort: Bool {
    guard let least = seconds.map(\.seconds).min() else { return false }
    return least < 0.005
  }

  /// Measures the stages of a device, without looking at what is remembered.
  ///
  /// - Parameter size: of the frame that is blurred.
  /// - Throws: `BackendError.unavailable` as a backend's start.
  package static func measured(
    _ options: GLOptions, _ size: Size
  ) async throws(BackendError) -> StageTimes {
    let executor = try GLThread()
    defer { executor.stop() }
    do throws(DisplaySearch.Failure) {
      return try await executor.start { () throws(DisplaySearch.Failure) in
        try StagedRunners(options, ContextSetup()).times(size)
      }
    } catch { throw error.backendError }
  }
}

/// Runs the same blurs in each stage of a device, each for itself, as most are: of frames whose colors are
/// multiplied by alpha, and of photographs whose colors are not, which its first draw multiplies and its last
/// divides. One stage runs both, so it is the one that takes the least for the two together. (Blurs that follow
/// each other read and write pictures of 16 bits in between, of which an H200 makes as many in all stages.)
struct StageMeasurement {
  /// Enough for a median that one disturbed run does not move.
  private static let rounds = 7
  /// Slow devices get fewer rounds, but three.
  private static let patience = Duration.milliseconds(700)

  /// One of premultiplied colors, one of straight ones.
  private let frames: [Image]
  /// Plans, each with the number of its frame.
  private let runs: [(plan: Plan, frame: Int)]

  /// Short, medium and long blurs.
  init(_ size: Size) throws(PlanError) {
    frames = [.premultiplied, .straight].map { StageMeasurement.noise(size, $0) }
    var runs: [(plan: Plan, frame: Int)] = []
    for (number, frame) in frames.enumerated() {
      for sigma: Sigma in [1.5, 4, 12, 40] {
        let blur: FilterChain = [.gaussian(sigma: sigma)]
        runs.append((try blur.plan(for: Plan.Input(frame)), number))
      }
    }
    self.runs = runs
  }

  /// Frames are on the device and stay there: their way to it and back, which takes longer than what is
  /// compared, is the same for all stages.
  ///
  /// - Parameter pictures: what runs plans in a stage; all of one pool of textures.
  func times(
    _ stages: [GLOptions.Stage], _ pictures: (GLOptions.Stage) -> ResidentPictures
  ) -> StageTimes {
    let each = stages.map { (stage: $0, pictures: pictures($0)) }
    var textures: [ResidentTexture] = []
    defer { for texture in textures { each[0].pictures.free(texture) } }
    do throws(GLFailure) {
      for frame in frames { textures.append(try each[0].pictures.upload(frame)) }
    } catch { return StageTimes([StageTimes.Way]()) }
    // Compiles, and fills the pool. What does not work is not measured.
    let working = each.filter {
      time($0.pictures, textures) != nil && time($0.pictures, textures) != nil
    }
    var times = working.map { (stage: $0.stage, times: [Double]()) }
    let start = ContinuousClock.now
    for round in 0..<StageMeasurement.rounds {
      if round >= 3, start.duration(to: .now) > StageMeasurement.patience { break }
      // In turn, so that what disturbs one disturbs all.
      for index in working.indices {
        if let time = time(working[index].pictures, textures) { times[index].times.append(time) }
      }
    }
    let work = runs.reduce(0) {
      $0 + $1.plan.multiplyAddsPerPixel * Double(frames[$1.frame].size.area)
    }
    return StageTimes(times, work: work)
  }

  private func time(_ pictures: ResidentPictures, _ textures: [ResidentTexture]) -> Double? {
    let start = ContinuousClock.now
    do throws(GLFailure) {
      for run in runs {
        let results = try pictures.run(PlanRun(run.plan, [.resident(textures[run.frame])]))
        for result in results { pictures.free(result) }
      }
    } catch { return nil }
    glFinish()
    return start.duration(to: .now) / .seconds(1)
  }

  /// Devices compress what is even, and would be faster with it than with photographs.
  private static func noise(_ size: Size, _ alpha: AlphaMode) -> Image {
    var image = Image(zeros: size, format: .rgba8, alpha: alpha)
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
