internal import FrostglassGL

/// Measures blurs of one frame on one backend, in this process, with memory that was used before.
package struct FrameBench: Sendable {
  package let frame: Image
  /// The name of the backend.
  package let backend: String
  /// Threads of the copy, and of the fast backend; the reference has only one.
  package let threads: Int
  /// What the last blur made.
  package private(set) var result: Image

  private let runner: any Backend
  /// Where the backend is one GPU.
  private let device: DeviceBench?
  private let options: PlanOptions
  private let copy: FrameCopy
  private var plans: [FilterChain: Plan] = [:]

  /// Starts the backend.
  ///
  /// - Parameters:
  ///   - threads: `nil` means one per core.
  ///   - setup: how GPUs are used, and which.
  /// - Throws: `BenchError.execute` when the backend is not available.
  package init(
    _ frame: Image, on choice: BackendChoice, threads: Int? = nil,
    options: PlanOptions = PlanOptions(), setup: BackendOptions = BackendOptions()
  ) async throws(BenchError) {
    var setup = setup
    (setup.choice, setup.threads) = (choice, threads)
    let selector = BackendSelector(setup)
    do throws(BackendError) { runner = try await selector.selection().backend } catch {
      throw .execute(error)
    }
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
  /// - Throws: `BenchError.plan` or `.execute`.
  package mutating func measure(
    sigma: Double, _ length: BenchLength
  ) async throws(BenchError) -> BenchRow {
    try await measure([[.gaussian(sigma: Sigma(sigma))]], length)[0]
  }

  /// Measures chains of filters in turn, so that what disturbs one disturbs all.
  ///
  /// - Returns: a row for each chain; at least one chain is given.
  /// - Throws: `BenchError.plan` or `.execute`.
  package mutating func measure(
    _ chains: [FilterChain], _ length: BenchLength
  ) async throws(BenchError) -> [BenchRow] {
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
  /// - Throws: `BenchError.plan` or `.execute`.
  package mutating func round(sigma: Double) async throws(BenchError) -> BenchRound {
    try await round([.gaussian(sigma: Sigma(sigma))])
  }

  /// Runs a chain and copies the frame once.
  private mutating func round(_ chain: FilterChain) async throws(BenchError) -> BenchRound {
    let plan = try await warmPlan(chain)
    return BenchRound(blur: try await blur(plan), copy: await copy.run())
  }

  private mutating func warmPlan(_ chain: FilterChain) async throws(BenchError) -> Plan {
    if let plan = plans[chain] { return plan }
    let plan: Plan
    do throws(PlanError) {
      plan = try chain.plan(for: Plan.Input(frame), options: options)
      try plan.validate(for: .none)
    } catch { throw .plan(error) }
    // Starts threads, compiles shaders, fills pools. What takes seconds is not much colder the
    // first time than the second.
    if try await blur(plan) < .seconds(1) { _ = try await blur(plan) }
    _ = await copy.run()
    plans[chain] = plan
    return plan
  }

  private mutating func blur(_ plan: Plan) async throws(BenchError) -> Duration {
    let start = ContinuousClock.now
    do throws(BackendError) { try await runner.execute(plan, [frame], into: &result) } catch {
      throw .execute(error)
    }
    return start.duration(to: .now)
  }
}
