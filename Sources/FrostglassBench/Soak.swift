internal import CKernels
package import FrostglassBackends
internal import FrostglassCPU
package import FrostglassCore
package import FrostglassGL
internal import Glibc
internal import Synchronization

/// Runs many jobs of all kinds on one backend and watches what they leave behind.
package struct Soak: Sendable {
  /// The process's state after a job.
  package struct Row: Sendable {
    /// Counted from 1.
    package var job: Int
    package var elapsed: Duration
    /// Bytes that the process holds in memory.
    package var resident: Int
    /// The GPU memory of images; zeros on other backends.
    package var gpu: TexturePoolStatistics
  }

  private let runner: any Backend
  private let start = ContinuousClock.now
  private var mix: JobMix
  private var job = 0

  /// Starts the backend.
  ///
  /// - Parameter seed: the same for the same jobs.
  package init(on selector: BackendSelector, seed: UInt64 = 1) async throws {
    runner = try await selector.selection().backend
    mix = JobMix(seed: seed)
  }

  /// Runs the next job.
  ///
  /// - Throws: `PlanError` or `BackendError`, also where the backend had to make something good.
  package mutating func next() async throws -> Row {
    let (image, plan) = try mix.next()
    let recoveries = RecoveryLog()
    _ = try await runner.execute(plan, [image]) { recoveries.add($0) }
    if let recovery = recoveries.all.first {
      throw BackendError.failed(
        backend: recovery.backend, what: "\(recovery.failure); \(recovery.remedy)")
    }
    job += 1
    let gpu = await (runner as? GLBackend)?.textureStatistics ?? TexturePoolStatistics()
    return Row(
      job: job, elapsed: start.duration(to: .now), resident: Soak.residentBytes(), gpu: gpu)
  }

  private static func residentBytes() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var text = [CChar](repeating: 0, count: 256)
    guard fgets(&text, 256, file) != nil else { return 0 }
    // All pages, then those in memory.
    let words = String(decoding: text.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(
      separator: " ")
    return words.count > 1 ? (Int(words[1]) ?? 0) * sysconf(Int32(_SC_PAGESIZE)) : 0
  }
}

/// Images of many sizes and formats with filters of all kinds, the same for the same seed.
package struct JobMix: Sendable {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
  }

  /// An image of up to half a megapixel and what to do with it.
  package mutating func next() throws(PlanError) -> (Image, Plan) {
    let format = PixelFormat.all[below(PixelFormat.all.count)]
    // Mostly small, some large, so that large textures come and go.
    let longest = [160, 160, 160, 700][below(4)]
    let size = Size(width: 8 + below(longest), height: 8 + below(longest))
    let image = Image.textured(size, format, alpha: format.layout.hasAlpha ? .straight : .opaque)
    let filters = Catalog.filters
    let chain: FilterChain =
      below(2) == 0
      ? [.gaussian(sigma: Sigma(Double(1 + below(60)))), .saturation(1.8)]
      : FilterChain(filters[below(filters.count)])
    let options = PlanOptions(
      edge: EdgeMode.allCases[below(EdgeMode.allCases.count)], linearLight: below(3) == 0)
    return (image, try chain.plan(for: Plan.Input(image), options: options))
  }

  private mutating func below(_ bound: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state >> 33) % bound
  }
}

/// Measures how well blurs share a machine: how late another task's sleep ends, and how soon a cancelled blur does.
package enum Responsiveness {
  /// The delay of a cancelled blur.
  package struct Cancelled: Sendable {
    /// The filters that ran.
    package var filter: String
    /// The time from the cancellation until the call ended.
    package var ended: Duration
    /// Processor time of this process in half a second after that.
    package var computed: Duration
    /// `nil` where it was done before it was cancelled; else what it threw.
    package var error: String?
  }

  /// Measures how late sleeps of 20 ms end at most while something runs.
  package static func lateness(
    while body: @Sendable () async throws -> Void
  ) async throws -> Duration {
    let worst = Mutex(Duration.zero)
    let isOver = Atomic(false)
    async let sleeping: Void = {
      while !isOver.load(ordering: .relaxed) {
        let start = ContinuousClock.now
        try? await Task.sleep(for: .milliseconds(20))
        let late = start.duration(to: .now) - .milliseconds(20)
        worst.withLock { $0 = max($0, late) }
      }
    }()
    let result: Result<Void, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    isOver.store(true, ordering: .relaxed)
    await sleeping
    try result.get()
    return worst.withLock { $0 }
  }

  /// Cancels something after 300 ms.
  ///
  /// - Parameter filter: names what runs, in the result.
  package static func cancellation(
    of filter: String, _ work: @escaping @Sendable () async throws -> Void
  ) async -> Cancelled {
    let task = Task(operation: work)
    try? await Task.sleep(for: .milliseconds(300))
    let start = ContinuousClock.now
    task.cancel()
    let result = await task.result
    let ended = start.duration(to: .now)
    let used = ProcessorTime.used
    try? await Task.sleep(for: .milliseconds(500))
    let error: String? = if case .failure(let error) = result { "\(error)" } else { nil }
    return Cancelled(
      filter: filter, ended: ended, computed: ProcessorTime.used - used, error: error)
  }
}

/// The processor time of all threads of this process.
enum ProcessorTime {
  /// Since the process began.
  static var used: Duration {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}

/// The share of its processors that a host grants: times depend on it, and the machine reports it nowhere else.
package struct ProcessorShare: Sendable, Hashable {
  /// Cycles in a second, by operations that wait for each other.
  package var clock: Double
  /// The number of independent vector additions per cycle: about half if the other half of a core is busy.
  package var additionsPerCycle: Double

  package init(clock: Double, additionsPerCycle: Double) {
    (self.clock, self.additionsPerCycle) = (clock, additionsPerCycle)
  }

  /// The median of each.
  ///
  /// - Parameter shares: at least one.
  package init(medianOf shares: [ProcessorShare]) {
    func median(_ value: (ProcessorShare) -> Double) -> Double {
      shares.map(value).sorted()[shares.count / 2]
    }
    self.init(clock: median(\.clock), additionsPerCycle: median(\.additionsPerCycle))
  }

  /// Operations of each kind, some 0.1 ms of them.
  private static let operations: UInt64 = 320_000

  /// Measures as many threads as work, all at once.
  ///
  /// - Returns: the share of the slowest.
  static func measured(on workers: Workers) -> ProcessorShare {
    let turn = longest(on: workers) { precondition(fgk_wait_in_turn(operations) == 0) }
    let beside = longest(on: workers) { _ = fgk_add_vectors(operations) }
    let clock = Double(operations) / turn
    return ProcessorShare(clock: clock, additionsPerCycle: Double(operations) / beside / clock)
  }

  /// The seconds that the slowest thread took.
  private static func longest(on workers: Workers, _ work: @Sendable () -> Void) -> Double {
    let slowest = Mutex(0.0)
    workers.run(workers.count) { _, _ in
      let start = ContinuousClock.now
      work()
      let seconds = start.duration(to: .now) / .seconds(1)
      slowest.withLock { $0 = max($0, seconds) }
    }
    return slowest.withLock { $0 }
  }
}
