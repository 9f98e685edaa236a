package import FrostglassBackends
internal import FrostglassCPU
internal import FrostglassCore
internal import FrostglassGL
internal import Glibc

/// Measures blurs of one frame on one backend, in this process, with memory that was used before.
package struct FrameBench: Sendable {
  package let frame: Image
  /// The name of the backend.
  package let backend: String
  /// Threads of the copy, and of the fast backend; the reference has only one.
  package let threads: Int
  /// The result of the last blur.
  package private(set) var result: Image

  private let runner: any Backend
  /// The device's measurements, if the backend is a GPU.
  private let device: DeviceBench?
  private let options: PlanOptions
  private let copy: FrameCopy
  private var plans: [FilterChain: Plan] = [:]

  /// Starts the backend.
  ///
  /// - Parameters:
  ///   - threads: `nil` means one per core.
  ///   - setup: the choice and use of GPUs.
  /// - Throws: `BackendError` when the backend is not available.
  package init(
    _ frame: Image, on choice: BackendChoice, threads: Int? = nil,
    options: PlanOptions = PlanOptions(), setup: BackendOptions = BackendOptions()
  ) async throws {
    var setup = setup
    (setup.choice, setup.threads) = (choice, threads)
    let selector = BackendSelector(setup)
    runner = try await selector.selection().backend
    device =
      if let gl = runner as? GLBackend { try await DeviceBench(frame, on: gl) } else { nil }
    backend = runner.name
    self.threads = backend == BackendChoice.reference.rawValue ? 1 : selector.threads
    self.frame = frame
    self.options = options
    copy = FrameCopy(of: frame, threads: self.threads)
    result = Image(zeros: frame.size, format: frame.format, alpha: frame.alpha)
  }

  /// Measures one σ.
  ///
  /// - Parameter sigma: pixels, 0…1000.
  package mutating func measure(
    sigma: Double, _ length: BenchLength
  ) async throws -> BenchRow {
    try await measure([[.gaussian(sigma: Sigma(sigma))]], length)[0]
  }

  /// Measures chains of filters in turn, so that what disturbs one disturbs all.
  ///
  /// - Returns: a row for each chain; at least one chain is given.
  package mutating func measure(
    _ chains: [FilterChain], _ length: BenchLength
  ) async throws -> [BenchRow] {
    var rounds = [[BenchRound]](repeating: [], count: chains.count)
    // What starts threads and compiles shaders is not measured.
    for chain in chains { _ = try await warmPlan(chain) }
    let start = ContinuousClock.now
    repeat {
      for (index, chain) in chains.enumerated() {
        var round = try await round(chain)
        round.device = try await device?.round(try await warmPlan(chain))
        rounds[index].append(round)
      }
    } while !length.isEnough(rounds[0].count, after: start.duration(to: .now))
    return rounds.map { BenchRow($0, movedBytes: frame.bytes.count + result.bytes.count) }
  }

  /// Blurs and copies the frame once; the first time for a σ after runs that do not count.
  ///
  /// - Parameter sigma: pixels, 0…1000.
  package mutating func round(sigma: Double) async throws -> BenchRound {
    try await round([.gaussian(sigma: Sigma(sigma))])
  }

  /// Runs a chain and copies the frame once.
  private mutating func round(_ chain: FilterChain) async throws -> BenchRound {
    let plan = try await warmPlan(chain)
    return BenchRound(blur: try await blur(plan), copy: copy.run(), share: copy.share())
  }

  private mutating func warmPlan(_ chain: FilterChain) async throws -> Plan {
    if let plan = plans[chain] { return plan }
    let plan = try chain.plan(for: Plan.Input(frame), options: options)
    try plan.validate(for: .none)
    // Starts threads, compiles shaders, fills pools. What takes seconds is not much colder the
    // first time than the second.
    if try await blur(plan) < .seconds(1) { _ = try await blur(plan) }
    _ = copy.run()
    plans[chain] = plan
    return plan
  }

  private mutating func blur(_ plan: Plan) async throws -> Duration {
    let start = ContinuousClock.now
    if let fast = runner as? FastBackend {
      try runNow(plan, on: fast)
    } else {
      try await runner.execute(plan, [frame], into: &result)
    }
    return start.duration(to: .now)
  }

  /// Runs a plan in this thread and the backend's, as other libraries do: to hand a frame to a task of
  /// Swift's and back takes as long at every size, a tenth of a small frame's time.
  private mutating func runNow(_ plan: Plan, on fast: FastBackend) throws {
    let output = ImageOutput(reusing: result)
    result.bytes = []
    defer { if let made = output.take() { result = made } }
    _ = try fast.runNow(plan, PixelIO([.image(frame)], to: [.image(output)]))
  }
}

/// The number of rounds to measure.
package enum BenchLength: Sendable, Hashable {
  /// So many; at least 1.
  case rounds(Int)
  /// At least nine rounds and a second; slow ones end after ten seconds, but not before the third.
  case automatic

  func isEnough(_ rounds: Int, after time: Duration) -> Bool {
    switch self {
    case .rounds(let count): rounds >= count
    case .automatic:
      (rounds >= 9 && time >= .seconds(1)) || (rounds >= 3 && time >= .seconds(10))
    }
  }
}

/// One blur and one copy of the same frame, timed one after the other.
package struct BenchRound: Sendable {
  package var blur: Duration
  package var copy: Duration
  /// The share of the processors that was available after both.
  package var share: ProcessorShare
  /// The device's times, if it is a GPU.
  package var device: DeviceRound?

  package init(
    blur: Duration, copy: Duration, share: ProcessorShare, device: DeviceRound? = nil
  ) {
    self.blur = blur
    self.copy = copy
    self.share = share
    self.device = device
  }
}

/// The cost of a blur of one σ: medians over rounds that alternate blur and copy.
package struct BenchRow: Sendable {
  /// The median time of a blur.
  package var blur: Duration
  /// The median time of a copy of the same frame.
  package var copy: Duration
  /// The median share of the processors that was available.
  package var share: ProcessorShare
  /// The number of rounds.
  package var runs: Int
  /// The device's times, if it is a GPU.
  package var device: DeviceRow?

  /// - Parameters:
  ///   - rounds: at least one.
  ///   - movedBytes: of a frame and its result.
  package init(_ rounds: [BenchRound], movedBytes: Int = 0) {
    let device = rounds.compactMap(\.device)
    self.device = device.isEmpty ? nil : DeviceRow(device, movedBytes: movedBytes)
    blur = Self.median(rounds.map(\.blur))
    copy = Self.median(rounds.map(\.copy))
    share = ProcessorShare(medianOf: rounds.map(\.share))
    runs = rounds.count
  }

  /// The blur's time, as a multiple of the copy's.
  package var ratio: Double { blur / copy }

  /// The middle value; between the two middle ones where their number is even.
  package static func median(_ values: [Duration]) -> Duration {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}

/// The yardstick of a measurement: a plain copy of the frame into memory that was used before.
package final class FrameCopy: Sendable {
  private let frame: Image
  private let workers: Workers
  /// Written by one `run` at a time, each thread its own part.
  private nonisolated(unsafe) let copy: UnsafeMutableRawBufferPointer

  /// - Parameter threads: parts copied at once; 1 or more.
  package init(of frame: Image, threads: Int) {
    self.frame = frame
    workers = Workers(count: threads)
    copy = .allocate(byteCount: frame.bytes.count, alignment: 64)
    // The first touch of each page is the kernel's work.
    copy.initializeMemory(as: UInt8.self, repeating: 0)
  }

  deinit { copy.deallocate() }

  /// Copies the frame once.
  ///
  /// - Returns: the time that it took.
  package func run() -> Duration {
    let start = ContinuousClock.now
    workers.run(workers.count) { _, part in copyPart(part) }
    return start.duration(to: .now)
  }

  /// Returns the share of the copying processors that is available.
  func share() -> ProcessorShare { ProcessorShare.measured(on: workers) }

  /// The copied bytes.
  package var bytes: [UInt8] { Array(copy) }

  private func copyPart(_ part: Int) {
    let bounds = (part...part + 1).map {
      $0 * frame.size.height / workers.count * frame.bytesPerRow
    }
    let end = part == workers.count - 1 ? frame.bytes.count : bounds[1]
    frame.bytes.withUnsafeBytes { source in
      guard let from = source.baseAddress, let to = copy.baseAddress, end > bounds[0] else {
        return
      }
      memcpy(to + bounds[0], from + bounds[0], end - bounds[0])
    }
  }
}
