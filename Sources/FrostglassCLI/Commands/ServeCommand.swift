internal import Frostglass
internal import FrostglassBackends
internal import FrostglassConfinement
internal import FrostglassCore
internal import FrostglassGL
internal import FrostglassOptions
internal import FrostglassServer
internal import Glibc
internal import Synchronization

/// `frostglass serve`: images over HTTP.
struct ServeCommand: Command {
  static let name = "serve"
  static let summary = "Serve blurs, redactions and fills over HTTP"
  static let operands = ""
  static let notes = """
    Prints its address on standard error once it answers; port 0 picks a free port. The playground is at
    /, the documentation at /docs, and the OpenAPI description at /openapi.json. docs/operate/service.md
    has examples and an nginx configuration.

      frostglass serve
      curl --data-binary @photo.jpg 'http://127.0.0.1:8080/v1/blur?sigma=10' -o blurred.jpg

    Options may also come from the environment (FROSTGLASS_MAX_BODY for --max-body) or from the file of
    --config (max-body = 32M), except --print-config and --check-config. The command line overrides the
    environment, which overrides the file. Secrets belong in the file of --keys or in
    FROSTGLASS_SIGNING_KEYS, as NAME:SECRET. Without keys the service listens only on addresses of this
    machine.

    SIGTERM or Ctrl-C: /health/ready reports the shutdown, new connections are refused, and requests
    under way are answered. The exit code is 0, or 75 if some are not answered in time; a second signal
    exits at once. SIGHUP reloads keys and presets, and keeps the old ones if the new ones are broken.
    """
  static let options: [Option] =
    ServerConfiguration.options + [
      Option("config", value: "FILE", "Read options from FILE"),
      Option("print-config", "Print the effective configuration, and exit"),
      Option("check-config", "Check files, addresses and programs, and exit"),
    ]

  private let configuration: ServerConfiguration
  private let backend: BackendOptions
  private let prints: Bool
  private let checks: Bool
  private let arguments: ParsedArguments

  init(_ arguments: ParsedArguments) throws(Failure) {
    guard arguments.operands.isEmpty else {
      throw .usage("there are no operands; see `frostglass serve --help`")
    }
    self.arguments = arguments
    configuration = try Self.configuration(arguments)
    var chosen = ParsedArguments(files: arguments.files)
    chosen.values = configuration.values(of: [.backend, .device, .gpuMemory])
    backend = try chosen.backend()
    prints = arguments.has("print-config")
    checks = arguments.has("check-config")
  }

  private static func configuration(
    _ arguments: ParsedArguments
  ) throws(Failure) -> ServerConfiguration {
    let path = arguments.values["config"] ?? variable("FROSTGLASS_CONFIG")
    var file: String?
    if let path { file = try ServerConfiguration.text(of: path) }
    return try ServerConfiguration(flags: arguments, environment: variable, file: file).decided
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  func run() async throws(Failure) -> Int32 {
    for warning in ServerConfiguration.warnings() { Console.error(warning) }
    if prints {
      Console.print(configuration.text.trimmedLineEnd)
      if !checks { return ExitCode.done }
    }
    let count = configuration.workers ?? 0
    guard count == 0 || backend.choice != .reference else {
      throw .usage("--backend reference needs --workers 0; workers support fast and gl")
    }
    // Before any worker starts: each would report the same error.
    if configuration.limits.finds { _ = try DetectorPool() }
    if checks {
      try Server.check(configuration)
      return ExitCode.done
    }
    // The service survives the reader of its log.
    for signal in [SIGPIPE, SIGUSR1, SIGUSR2] { Glibc.signal(signal, SIG_IGN) }
    let (end, signal) = AsyncStream.makeStream(of: Void.self)
    Interruption.onFirst { signal.yield() }
    let log: @Sendable (String) -> Void = { Console.error($0) }
    let beginning = WorkersBeginning(patience: count + configuration.spareWorkers) {
      signal.yield()
    }
    // Reaps the detectors of killed workers, also as process 1 of a container.
    if configuration.limits.finds { adoptOrphans() }
    let workers = try count > 0 ? workers(count, beginning) : nil
    defer { workers?.end() }
    let finder = workers == nil ? try finder() : nil
    let server = try Server(
      configuration, worker: workers ?? InProcessWorker(Pipeline(backend), finder: finder),
      jobs: max(count, 1), log: configuration.logs ? log : nil)
    Interruption.onHangup { [arguments, weak server] in
      do throws(Failure) {
        try server?.reload(try Self.configuration(arguments))
        Console.error("reloaded keys and presets; other options need a restart")
      } catch { Console.error("\(error.message); keys and presets were not reloaded") }
    }
    Console.error("listening on \(server.url)")
    for await _ in end { break }
    if let reason = beginning.failure {
      throw Failure("no worker can be started: \(reason)", .unavailable)
    }
    Console.error("shutting down after answering all requests; a second signal exits at once")
    guard await server.drain() else {
      throw Failure("some requests were not answered in time", .temporary)
    }
    return ExitCode.done
  }
}

extension ServeCommand {
  /// Returns the face detector of this process; `nil` without `--find`.
  private func finder() throws(Failure) -> (any ImageFinder)? {
    configuration.limits.finds ? try WorkerFinder(isWorker: false) : nil
  }

  /// Starts worker processes, and reports their sandbox.
  private func workers(
    _ count: Int, _ beginning: WorkersBeginning
  ) throws(Failure) -> Workers {
    var options = WorkerPool.Options(count: count)
    options.spares = configuration.spareWorkers
    options.finds = configuration.limits.finds
    options.threads = backend.threads
    if backend.choice == .gl {
      options.gpu = WorkerGPU(
        devices: backend.devices, textureBytes: backend.gl.textureBytes, stage: backend.gl.stage)
    }
    options.memory = configuration.workerMemory ?? options.memory
    options.ordersPerChild = configuration.ordersPerWorker
    options.keptMemory = configuration.keptMemory
    // Forms have other parts than images, too.
    options.orderMemory = configuration.mostBytes + (1 << 20)
    Console.error(
      Workers.walls + (options.gpu == nil ? "" : ", with what drivers of GPUs need let through"))
    do {
      return try Workers(options) { event in
        if event.isNews { Console.error(event.description) }
        beginning.note(event)
      }
    } catch {
      throw Failure(
        "workers cannot be started: \(systemWords(error.code))", .unavailable)
    }
  }
}

/// Ends a service that cannot start any worker.
private final class WorkersBeginning: Sendable {
  private struct State {
    var hasBegun = false
    var failures = 0
    var failure: String?
  }

  private let patience: Int
  private let end: @Sendable () -> Void
  private let state = Mutex(State())

  /// - Parameters:
  ///   - patience: failures before the first success after which `end` is called.
  ///   - end: stops the service.
  init(patience: Int, end: @escaping @Sendable () -> Void) {
    self.patience = patience
    self.end = end
  }

  /// The reason why no worker could be started; `nil` until that is certain.
  var failure: String? { state.withLock { $0.failure } }

  func note(_ event: WorkerEvent) {
    let isOver = state.withLock { state -> Bool in
      switch event {
      case .started: state.hasBegun = true
      case .notStarted(let reason) where !state.hasBegun && state.failure == nil:
        state.failures += 1
        guard state.failures >= patience else { return false }
        state.failure = reason
        return true
      case .notStarted, .ended: break
      }
      return false
    }
    if isOver { end() }
  }
}

extension String {
  fileprivate var trimmedLineEnd: String { hasSuffix("\n") ? String(dropLast()) : self }
}
