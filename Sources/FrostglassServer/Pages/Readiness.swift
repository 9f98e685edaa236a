internal import Frostglass
internal import FrostglassCore
internal import Synchronization

/// The service's readiness, found by doing work.
///
/// Every few seconds a small image is blurred by the same worker as images of requests, bypassing the queue. The
/// service is ready while the last probe succeeded recently.
package final class Readiness: Sendable {
  private struct State {
    var task: Task<Void, Never>?
    var lastGood: ContinuousClock.Instant?
    var trouble = "the first try is not done yet"
    var backend = ""
    /// True until the task that probes has ended.
    var isProbing = false
  }

  private let worker: any Worker
  private let seconds: Double
  private let state = Mutex(State())
  /// Between two tries.
  private static let pause = Duration.seconds(5)

  /// - Parameter seconds: the time limit of a probe.
  package init(_ worker: any Worker, seconds: Double) {
    self.worker = worker
    self.seconds = seconds
  }

  deinit { stop() }

  package func start() {
    state.withLock { $0.isProbing = true }
    let task = Task { [weak self] in
      while !Task.isCancelled {
        await self?.probe()
        try? await Task.sleep(for: Self.pause)
      }
      self?.state.withLock { $0.isProbing = false }
    }
    state.withLock { $0.task = task }
  }

  /// Ends the tries; one that is under way is cancelled, which takes a moment.
  package func stop() { state.withLock { $0.task }?.cancel() }

  /// True while probes run. The process must not end before the last one has left the codecs.
  var isProbing: Bool { state.withLock { $0.isProbing } }

  /// Tries once.
  package func probe() async {
    var limits = WorkLimits()
    limits.seconds = seconds
    let answer = await worker.perform(
      WorkOrder(
        "blur", fields: [Field("sigma", "2"), Field("format", "png")], limits: limits,
        parts: ["picture": Self.picture]))
    guard !Task.isCancelled else { return }
    state.withLock { state in
      if answer.status == 200 {
        state.lastGood = .now
        state.backend = answer.fields.first { $0.name == "X-Frostglass-Backend" }?.value ?? ""
      } else {
        state.lastGood = nil
        state.trouble = "a small image could not be blurred (\(answer.status))"
      }
    }
  }

  /// True if a probe succeeded within the time of a slow probe and two pauses.
  package var isReady: Bool {
    guard let lastGood = state.withLock({ $0.lastGood }) else { return false }
    return lastGood.duration(to: .now) < .seconds(seconds) + Self.pause * 2
  }

  /// - Parameters:
  ///   - isDraining: true if the service is about to end.
  ///   - origins: the origins' states by name. A failing origin does not fail the service.
  func response(isDraining: Bool, origins: [(name: String, word: String)] = []) -> Response {
    let (trouble, backend) = state.withLock { ($0.trouble, $0.backend) }
    if isDraining {
      return Self.refusal("the service is about to end")
    }
    guard isReady else { return Self.refusal(trouble) }
    return Response(
      200, type: "application/json",
      JSONText.object(
        [("status", JSONText.string("ready")), ("backend", JSONText.string(backend))]
          + (origins.isEmpty
            ? []
            : [("origins", JSONText.object(origins.map { ($0.name, JSONText.string($0.word)) }))])))
  }

  private static func refusal(_ detail: String) -> Response {
    let problem = Problem(503, "not-ready", detail)
    return Response(503, type: Problem.contentType, problem.document())
  }

  /// 32 × 32 pixels of a slope, as PNG. Made beforehand: the process that talks to clients has no need
  /// of codecs.
  private static let picture = [UInt8](
    hexadecimal: """
      89504e470d0a1a0a0000000d4948445200000020000000200802000000fc18eda3000000334944415478daed
      cd4901002010c430188ec5bf62be1500bfc640d2a04360c084051b0a723e333030303030303030303078e502
      81755e91224e18d40000000049454e44ae426082
      """)
}
