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
