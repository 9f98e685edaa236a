/// Adds up what each stage takes.
struct StageWatch {
  private let clock = ContinuousClock()
  private var mark: ContinuousClock.Instant
  private var durations: [Stage: Duration] = [:]

  init() { mark = clock.now }

  /// The time since the last end goes to this stage.
  mutating func end(_ stage: Stage) {
    let now = clock.now
    add(now - mark, to: stage)
    mark = now
  }

  mutating func add(_ duration: Duration, to stage: Stage) {
    durations[stage, default: .zero] += duration
  }

  var timings: [(stage: Stage, duration: Duration)] {
    Stage.allCases.map { ($0, durations[$0] ?? .zero) }
  }
}
