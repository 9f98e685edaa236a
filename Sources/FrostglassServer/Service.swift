internal import Frostglass
internal import FrostglassCore
internal import FrostglassOptions
internal import FrostglassSigning
internal import Synchronization

/// Handles requests as a list of steps.
package final class Service: RequestHandler {
  private let setup: Mutex<Setup>
  private let runStep: Run
  private let answer: Answer
  private let lengths = AnswerLengths()
  private let record: Record
  package let gate: AdmissionQueue
  private let metrics = Metrics()
  private let worker: any Worker
  private let readiness: Readiness
  package let sources: Sources
  private let mostBytes: Int
  private let connectionCount = Mutex<@Sendable () -> Int>({ 0 })

  package init(
    _ configuration: ServerConfiguration, presets: Presets, sources: Sources,
    worker: any Worker, gate: AdmissionQueue, fallback: Fallback? = nil,
    log: (@Sendable (String) -> Void)?
  ) {
    self.gate = gate
    answer = Answer(
      configuration.crossOrigin, fallback: fallback, staleSeconds: configuration.staleSeconds,
      isImmutable: configuration.areResultsImmutable)
    self.worker = worker
    self.sources = sources
    mostBytes = configuration.mostBytes
    setup = Mutex(Setup(configuration, presets, sources, gate, lengths))
    runStep = Run(worker, gate)
    record = Record(metrics, hasPaths: configuration.logsPaths, write: log)
    readiness = Readiness(worker, seconds: configuration.limits.seconds)
  }

  /// Takes other keys and presets for the requests that come from now on.
  package func reload(_ configuration: ServerConfiguration, presets: Presets) {
    let new = Setup(configuration, presets, sources, gate, lengths)
    setup.withLock { $0 = new }
  }

  /// Returns the number of connections, for metrics.
  package var connections: @Sendable () -> Int {
    get { connectionCount.withLock { $0 } }
    set { connectionCount.withLock { $0 = newValue } }
  }

  /// Tries out from now on whether work is done.
  package func startProbing() { readiness.start() }

  package func stopProbing() { readiness.stop() }

  /// True while readiness probes run.
  package var isProbing: Bool { readiness.isProbing }

  package func begin(_ head: RequestHead) -> Reception {
    var context = RequestContext(head, id: head.givenID ?? Self.newID)
    let setup = setup.withLock { $0 }
    do {
      for step in setup.headSteps {
        try step.run(&context)
        guard let response = context.response else { continue }
        let finished = answer.response(response, to: context)
        record.note(context, finished, received: 0)
        return .answer(finished)
      }
    } catch {
      let response = answer.response(error, to: context)
      record.note(context, response, received: 0)
      return .answer(response)
    }
    guard context.route.isWork else {
      var response = page(context, setup)
      response.isForEverybody = [.live, .ready, .metrics].contains(context.route)
      record.note(context, response, received: 0)
      return .answer(response)
    }
    let body = BodyCollector(
      mostBytes: mostBytes, expected: head.contentLength, room: AdmissionQueue.Room(gate))
    return .receive(ServiceExchange(context, body, self))
  }

  package func refusal(of head: RequestHead) -> Response {
    var problem = Problem.overloaded("there are too many connections; come back in a moment")
    problem.closes = true
    return answer.response(problem, to: RequestContext(head, id: head.givenID ?? Self.newID))
  }

  package func end(_ exchange: any Exchange, isDelivered: Bool) {
    guard let exchange = exchange as? ServiceExchange else { return }
    // Without a response the client left before the body was complete.
    let response = exchange.response ?? Response(499)
    record.note(
      exchange.finalContext, response, received: exchange.received, isDelivered: isDelivered)
  }

  /// Takes a request through the steps.
  fileprivate func respond(_ context: inout RequestContext, _ body: BodyCollector) async -> Response
  {
    do throws(Problem) {
      context.body = try body.take()
      for step in setup.withLock({ $0.bodySteps }) {
        try await step.run(&context)
        if var response = context.response {
          response.knownLength = response["etag"].flatMap { lengths[$0] }
          return answer.response(response, to: context)
        }
      }
      guard let order = context.order else { throw .ours }
      // Do not keep a second copy of what a worker gets.
      context.order = nil
      let waited = Mutex(Duration.zero)
      let made = try await runStep.run(order, for: context.head.client) { time in
        waited.withLock { $0 = time }
      }
      context.waited = waited.withLock { $0 }
      if made.status == 200, let tag = context.cacheFields.first(where: { $0.name == "ETag" }) {
        lengths.note(made.body.count, of: tag.value)
      }
      if made.status == 422, Problem.kind(of: made.body) == "damaged", let source = context.source {
        await sources.forget(source)
      }
      return answer.response(made, to: context)
    } catch { return answer.response(error, to: context) }
  }

  private static var newID: String {
    let digits = String(UInt64.random(in: .min ... .max), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  // MARK: requests without work

  private func page(_ context: RequestContext, _ setup: Setup) -> Response {
    switch context.route {
    case .work, .picture, .images, .other: answer.response(Problem.ours, to: context)
    case .filters, .presets, .openAPI, .docs, .style, .facts:
      answer.response(
        setup.pages[context.route]?.response(to: context.head) ?? Response(404), to: context)
    case .playground(let file):
      answer.response(file.staticPage.response(to: context.head), to: context)
    case .live: answer.response(.json("{\"status\":\"live\"}"), to: context)
    case .ready:
      answer.response(
        readiness.response(isDraining: gate.isDraining, origins: sources.states), to: context)
    case .metrics:
      answer.response(
        Response(
          200, type: "text/plain; version=0.0.4; charset=utf-8",
          (metrics.families + gauges + worker.metrics + sources.metrics + [ProcessMetrics.build]
            + ProcessMetrics.families).map(\.text).joined()),
        to: context)
    }
  }

  private var gauges: [MetricFamily] {
    let (jobs, running) = (gate.jobs, gate.running)
    return [
      MetricFamily("jobs_running", .gauge, "Requests that are being worked on.", running),
      MetricFamily(
        "jobs_waiting", .gauge, "Requests that wait for a worker.", max(jobs - running, 0)),
      MetricFamily("body_bytes", .gauge, "Bytes of bodies in memory.", gate.bytes),
      MetricFamily("connections", .gauge, "Open connections.", connections()),
      MetricFamily(
        "ready", .gauge, "1 where the service is ready.",
        readiness.isReady && !gate.isDraining ? 1 : 0),
    ]
  }
}

/// State that depends on keys and presets, which are reloaded while the service runs.
private struct Setup: Sendable {
  /// Looked at as soon as the head is there, before anything of the body was read.
  let headSteps: [any HeadStep]
  /// Done when the body is complete.
  let bodySteps: [any BodyStep]
  /// Pages that describe the service.
  let pages: [Route: StaticPage]

  init(
    _ configuration: ServerConfiguration, _ presets: Presets, _ sources: Sources,
    _ gate: AdmissionQueue,
    _ lengths: AnswerLengths
  ) {
    let description = ServiceDescription(
      prefix: configuration.pathPrefix, presets: presets, sources: sources,
      isSigned: configuration.keys != nil,
      limits: configuration.limits, mostBytes: configuration.mostBytes)
    pages = [
      .filters: .json(Catalog.json), .presets: .json(presets.json),
      .openAPI: .json(description.openAPI),
      .docs: StaticPage(
        "text/html; charset=utf-8", description.page,
        policy:
          "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'"),
      .style: StaticPage("text/css; charset=utf-8", ServiceDescription.style),
      .facts: .json(
        Playground.facts(
          presets: presets, hasImages: sources.hasImages, isSigned: configuration.keys != nil,
          limits: configuration.limits, mostBytes: configuration.mostBytes)),
    ]
    headSteps = [
      FrameGuard(),
      Routing(
        prefix: configuration.pathPrefix, hasOrigins: !sources.isEmpty,
        hasImages: sources.hasImages, hasPlayground: configuration.hasPlayground,
        finds: configuration.limits.finds, crossOrigin: configuration.crossOrigin),
      Authorize(configuration.keys),
      Admit(gate), Receive(mostBytes: configuration.mostBytes),
    ]
    bodySteps = [
      ReadBody(isSigned: configuration.keys != nil), TakeDelivery(), TakePreset(presets),
      FindSource(sources), CheckFields(presets, limits: configuration.limits),
      Negotiate(formats: configuration.limits.formats),
      TakeHints(isOn: configuration.asksForHints),
      ReadSource(sources, gate, lengths, cacheSeconds: configuration.cacheSeconds), FormatCheck(),
    ]
  }
}

/// One request of the service, from its head to its answer.
private final class ServiceExchange: Exchange {
  private let body: BodyCollector
  private let service: Service
  private let state: Mutex<State>

  private struct State {
    var context: RequestContext
    var response: Response?
    var received = 0
  }

  init(_ context: RequestContext, _ body: BodyCollector, _ service: Service) {
    self.body = body
    self.service = service
    state = Mutex(State(context: context))
  }

  var finalContext: RequestContext { state.withLock { $0.context } }
  var response: Response? { state.withLock { $0.response } }
  var received: Int { state.withLock { $0.received } }

  func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    state.withLock { $0.received += bytes.count }
    return body.add(bytes)
  }

  func respond() async -> Response {
    var context = finalContext
    let response = await service.respond(&context, body)
    // For the log, which needs no images.
    context.body = []
    context.order = nil
    context.room = nil
    state.withLock { [context] state in
      state.context = context
      state.response = response
    }
    return response
  }
}

extension Response {
  fileprivate static func json(_ text: String) -> Response {
    Response(200, type: "application/json", text)
  }
}
