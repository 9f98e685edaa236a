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
