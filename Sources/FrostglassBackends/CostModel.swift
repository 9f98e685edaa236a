internal import FrostglassGL

/// What the fast backend and the GPU cost on this machine, and which of them work belongs on.
package struct CostModel: Sendable, Hashable {
  /// With `threads` workers.
  package var fast: BackendCosts
  package var threads: Int
  package var gl: BackendCosts
  /// The device and driver that were measured; `nil` where these are assumptions.
  package var identity: String?

  package init(fast: BackendCosts, threads: Int, gl: BackendCosts, identity: String?) {
    self.fast = fast
    self.threads = threads
    self.gl = gl
    self.identity = identity
  }

  /// Before anything was measured: one core as of a common server, and a GPU that takes half a
  /// second to start and be measured and no time after that.
  ///
  /// So a GPU is started for the first time where the CPU alone would take longer than that, and
  /// what it really costs is known from then on.
  package static let assumed = CostModel(
    fast: BackendCosts(startUp: 0, perJob: 0.0002, perMegabyte: 0.0002, perGiga: 0.3), threads: 1,
    gl: BackendCosts(startUp: 0.5, perJob: 0, perMegabyte: 0, perGiga: 0), identity: nil)

  /// Decides where plans like this one are to run.
  ///
  /// - Parameters:
  ///   - jobs: how many are to come, this one included; 1 or more.
  ///   - threads: workers of the fast backend, for all jobs together; 1 or more.
  ///   - regret: seconds that earlier jobs would have saved on a started GPU. When they would have
  ///     paid for its start, more may come, so it is started then: that costs at most twice what
  ///     knowing the future would.
  ///   - isStarted: whether the GPU has started, so that this costs nothing more.
  package func decision(
    for work: PlanWork, jobs: Int, threads: Int, regret: Double = 0, isStarted: Bool = false
  ) -> CostDecision {
    let cpu = fast.divided(by: Double(threads) / Double(self.threads))
    let startUp = isStarted ? 0 : gl.startUp
    return CostDecision(
      jobs: jobs, fast: cpu.seconds(work) * Double(jobs),
      gl: startUp + gl.seconds(work) * Double(jobs), startUp: startUp, regret: regret,
      isMeasured: identity != nil)
  }
}

/// How long a backend takes, as a sum of parts that were measured.
package struct BackendCosts: Sendable, Hashable {
  /// A plan's work, and how long it took in seconds.
  package struct Sample: Sendable, Hashable {
    package var work: PlanWork
    package var seconds: Double

    package init(_ work: PlanWork, seconds: Double) {
      self.work = work
      self.seconds = seconds
    }
  }

  /// Seconds before the first plan runs at the speed of the others.
  package var startUp: Double
  /// Seconds that every plan takes.
  package var perJob: Double
  /// Seconds per 10⁶ bytes that go in or come out.
  package var perMegabyte: Double
  /// Seconds per 10⁹ multiply-adds per channel.
  package var perGiga: Double

  package init(startUp: Double, perJob: Double, perMegabyte: Double, perGiga: Double) {
    self.startUp = startUp
    self.perJob = perJob
    self.perMegabyte = perMegabyte
    self.perGiga = perGiga
  }

  /// Finds the parts that explain three measurements.
  ///
  /// - Parameters:
  ///   - small: a tiny picture.
  ///   - light: a large picture, with little to compute.
  ///   - heavy: a picture of that size, with much to compute.
  package init(startUp: Double, small: Sample, light: Sample, heavy: Sample) {
    self.startUp = startUp
    func slope(_ from: Sample, _ to: Sample, _ unit: (PlanWork) -> Double) -> Double {
      let step = unit(to.work) - unit(from.work)
      // Measurements are noisy, but nothing takes less than no time.
      return step > 0 ? max(0, (to.seconds - from.seconds) / step) : 0
    }
    func computed(_ sample: Sample, _ perGiga: Double) -> Sample {
      Sample(sample.work, seconds: sample.seconds - perGiga * sample.work.gigaMultiplyAdds)
    }
    perGiga = slope(light, heavy) { $0.gigaMultiplyAdds }
    let moved = (small: computed(small, perGiga), light: computed(light, perGiga))
    perMegabyte = slope(moved.small, moved.light) { $0.megabytes }
    perJob = max(0, moved.small.seconds - perMegabyte * small.work.megabytes)
  }

  /// Seconds that one plan takes once the backend has started.
  package func seconds(_ work: PlanWork) -> Double {
    perJob + perMegabyte * work.megabytes + perGiga * work.gigaMultiplyAdds
  }

  /// What the same backend takes with so many times the workers.
  package func divided(by factor: Double) -> BackendCosts {
    BackendCosts(
      startUp: startUp, perJob: perJob, perMegabyte: perMegabyte / factor,
      perGiga: perGiga / factor)
  }
}

/// What a plan asks of a backend, in the two units that its time depends on most.
package struct PlanWork: Sendable, Hashable {
  /// Of the inputs and the result, in 10⁶ bytes.
  package var megabytes: Double
  /// Multiply-adds per channel, in 10⁹.
  package var gigaMultiplyAdds: Double

  package init(megabytes: Double, gigaMultiplyAdds: Double) {
    self.megabytes = megabytes
    self.gigaMultiplyAdds = gigaMultiplyAdds
  }

  package init(_ plan: Plan) {
    let inputs = plan.inputs.reduce(0) { $0 + $1.size.area * $1.format.bytesPerPixel }
    megabytes = Double(inputs + plan.resultBytes) / 1e6
    gigaMultiplyAdds = plan.multiplyAddsPerPixel * Double(plan.result.rect.area) / 1e9
  }

  /// A full HD frame of RGBA in 8 bits there and back, with a chain of a few blurs: what work is
  /// taken to be before there is a plan.
  package static let typical = PlanWork(megabytes: 16.6, gigaMultiplyAdds: 0.1)
}

/// What the backends are expected to take, and which it is to be.
package struct CostDecision: Sendable, Hashable {
  package var jobs: Int
  /// Seconds on the fast backend, for all jobs.
  package var fast: Double
  /// Seconds on the GPU, for all jobs, its start included.
  package var gl: Double
  /// Seconds of the GPU's start in `gl`.
  package var startUp: Double
  /// Seconds that earlier jobs would have saved on the GPU.
  package var regret: Double
  /// Whether the GPU was measured.
  package var isMeasured: Bool

  package init(
    jobs: Int, fast: Double, gl: Double, startUp: Double, regret: Double, isMeasured: Bool
  ) {
    self.jobs = jobs
    self.fast = fast
    self.gl = gl
    self.startUp = startUp
    self.regret = regret
    self.isMeasured = isMeasured
  }

  package var usesGL: Bool { gl < fast + regret }

  /// Seconds that each job would save on a started GPU; 0 where it would save none.
  package var savings: Double { max(0, (fast - (gl - startUp)) / Double(jobs)) }

  /// The numbers in words.
  package var words: String {
    var text = "fast: \(Self.milliseconds(fast)) expected; gl: "
    if isMeasured {
      text += Self.milliseconds(gl)
      if startUp > 0 { text += ", of which \(Self.milliseconds(startUp)) start-up" }
    } else {
      text += "not measured yet, would be from \(Self.milliseconds(gl)) on"
    }
    if jobs > 1 { text += "; for \(jobs) pictures" }
    if regret > 0 && usesGL && gl >= fast {
      text += "; earlier ones would have saved \(Self.milliseconds(regret))"
    }
    return text
  }

  private static func milliseconds(_ seconds: Double) -> String {
    let value = seconds * 1000
    return value >= 9.95 ? "\(Int(value.rounded())) ms" : "\((value * 10).rounded() / 10) ms"
  }
}

extension CostModel {
  private static let kind = "costs"

  /// What costs are remembered by: the machine, and which of its GPUs are used and how, where that
  /// is not left to Frostglass.
  ///
  /// - Parameter fingerprint: the GPUs and drivers, as they can be told without starting any.
  package static func place(_ fingerprint: String, _ options: BackendOptions) -> String {
    var lines = [fingerprint]
    if let devices = options.devices { lines.append("devices \(devices)") }
    if options.gl.device != .automatic { lines.append("device \(options.gl.device)") }
    if options.gl.stage != .automatic { lines.append("stage \(options.gl.stage)") }
    return lines.joined(separator: "\n")
  }

  /// What was measured earlier in this place; `nil` where nothing was, or it cannot be read.
  package static func remembered(_ place: String, in directory: String?) -> CostModel? {
    guard let directory,
      let record = CacheRecord(kind, of: subject(place), in: CacheDirectory(directory)),
      let fast = BackendCosts(record, "fast"), let gl = BackendCosts(record, "gl"),
      let threads = record.number("threads"), (1...65_536).contains(threads),
      let identity = record.values["identity"]
    else { return nil }
    return CostModel(fast: fast, threads: Int(threads), gl: gl, identity: identity)
  }

  /// Keeps what was measured, where that is possible.
  package func remember(_ place: String, in directory: String?) {
    guard let directory, let identity else { return }
    var record = CacheRecord(subject: CostModel.subject(place))
    record.values["threads"] = "\(threads)"
    record.values["identity"] = CostModel.line(identity)
    fast.write(to: &record, "fast")
    gl.write(to: &record, "gl")
    record.keep(as: CostModel.kind, in: CacheDirectory(directory))
  }

  /// Whether these are the costs of a device with a driver.
  package func isOf(_ identity: String) -> Bool {
    self.identity.map(CostModel.line) == CostModel.line(identity)
  }

  private static func subject(_ place: String) -> String {
    "\(place)\nfrostglass \(Version.current)"
  }

  private static func line(_ text: String) -> String {
    text.split { $0.isNewline || $0 == "\t" }.joined(separator: " | ")
  }
}

extension BackendCosts {
  fileprivate init?(_ record: CacheRecord, _ name: String) {
    let numbers = ["startUp", "perJob", "perMegabyte", "perGiga"].compactMap { part in
      record.number("\(name).\(part)").flatMap { $0 >= 0 ? $0 : nil }
    }
    guard numbers.count == 4 else { return nil }
    self.init(
      startUp: numbers[0], perJob: numbers[1], perMegabyte: numbers[2], perGiga: numbers[3])
  }

  fileprivate func write(to record: inout CacheRecord, _ name: String) {
    record.values["\(name).startUp"] = "\(startUp)"
    record.values["\(name).perJob"] = "\(perJob)"
    record.values["\(name).perMegabyte"] = "\(perMegabyte)"
    record.values["\(name).perGiga"] = "\(perGiga)"
  }
}
