internal import Frostglass
package import FrostglassOptions
internal import FrostglassSigning
internal import Glibc

/// The service: a socket, libmicrohttpd, the steps, and workers.
package final class Server: Sendable {
  /// The address that it listens on, with the actual port in place of 0.
  package let address: ListenAddress
  package let service: Service
  private let daemon: HTTPDaemon
  private let configuration: ServerConfiguration

  /// - Parameters:
  ///   - worker: the worker that handles the orders.
  ///   - jobs: the number of orders the worker takes at once, not counting scenes with places of their own.
  ///   - log: writes a line about a request, which has no line end; `nil` writes none.
  /// - Throws: `Failure` where it cannot start; for the operator, with paths.
  package init(
    _ configuration: ServerConfiguration, worker: any Worker, jobs: Int,
    log: (@Sendable (String) -> Void)? = nil
  ) throws(Failure) {
    self.configuration = configuration
    try Self.checkKeys(configuration)
    service = try Self.service(configuration, worker, jobs, log)
    var limits = configuration.connections
    limits.room = Self.descriptors(limits.mostTaken + Self.otherDescriptors) - Self.otherDescriptors
    let listener: Listener
    do { listener = try Listener(configuration.listen) } catch {
      throw Failure(error.description, .unavailable)
    }
    address = listener.address
    let daemon = HTTPDaemon(listener: listener.socket, limits: limits, handler: service)
    guard let daemon else {
      throw Failure("libmicrohttpd does not start, or there is no thread for it", .unavailable)
    }
    self.daemon = daemon
    service.sources.start()
    service.connections = { [weak daemon] in daemon?.connectionCount ?? 0 }
    service.startProbing()
  }

  private static func checkKeys(_ configuration: ServerConfiguration) throws(Failure) {
    guard configuration.keys == nil, !configuration.listen.isLocal else { return }
    throw Failure(
      "\(configuration.listen) can be reached from elsewhere, and there are no keys to sign "
        + "addresses with; give --keys FILE, or listen on 127.0.0.1", .unavailable)
  }

  private static func presets(_ configuration: ServerConfiguration) throws(Failure) -> Presets {
    let presets =
      if let folder = configuration.presets {
        try Presets(folder: folder, areRequired: configuration.presetsOnly)
      } else { Presets() }
    if !configuration.limits.finds, let name = presets.finding {
      throw Failure("the preset \(name) has faces looked for; give --find", .usage)
    }
    for key in configuration.keys?.all ?? [] {
      for name in key.presets ?? [] where !presets.names.contains(name) {
        throw Failure(
          "key \(key.id) is for the preset \(name); presets are: \(presets.list)", .usage)
      }
    }
    return presets
  }

  private static func fallback(
    _ configuration: ServerConfiguration
  ) throws(Failure) -> Fallback? {
    guard let path = configuration.fallback else { return nil }
    return try Fallback(path, status: configuration.fallbackStatus)
  }

  /// Opens all that the service would, and keeps nothing of it. An address that is in use is no mistake: a
  /// service may be running there.
  ///
  /// - Throws: `Failure` where the service could not start.
  package static func check(_ configuration: ServerConfiguration) throws(Failure) {
    try checkKeys(configuration)
    _ = try presets(configuration)
    _ = try Sources(configuration)
    _ = try fallback(configuration)
    guard configuration.listen != .inherited else { return }
    do {
      let listener = try Listener(configuration.listen)
      close(listener.socket)
      if case .unix(let path) = configuration.listen { unlink(path) }
    } catch  where error.isInUse {
    } catch { throw Failure(error.description, .unavailable) }
  }

  /// Reads keys and presets anew for the requests that come from now on.
  ///
  /// - Parameter configuration: the source of keys and presets; all else in it is ignored.
  /// - Throws: `Failure` where they cannot be read; then all stays as it was.
  package func reload(_ configuration: ServerConfiguration) throws(Failure) {
    var new = self.configuration
    (new.keys, new.presets) = (configuration.keys, configuration.presets)
    new.presetsOnly = configuration.presetsOnly
    try Self.checkKeys(new)
    service.reload(new, presets: try Self.presets(new))
  }

  private static func service(
    _ configuration: ServerConfiguration, _ worker: any Worker, _ jobs: Int,
    _ log: (@Sendable (String) -> Void)?
  ) throws(Failure) -> Service {
    let presets = try presets(configuration)
    let sources = try Sources(configuration)
    let fallback = try fallback(configuration)
    return Service(
      configuration, presets: presets, sources: sources, worker: worker,
      gate: AdmissionQueue(
        jobs: jobs, scenes: worker.scenesAtOnce, waiting: configuration.queue,
        bytes: configuration.buffer),
      fallback: fallback, log: log)
  }

  /// The number of descriptors in addition to those of connections: for image files, workers' sockets, and files that
  /// libraries keep open.
  private static let otherDescriptors = 256

  /// Allows so many open descriptors, as far as the system lets it: many systems start programs with 1024.
  ///
  /// - Returns: the number of descriptors that may be open.
  private static func descriptors(_ count: Int) -> Int {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return count }
    let before = Int(clamping: limit.rlim_cur)
    guard before < count else { return before }
    limit.rlim_cur = min(rlim_t(count), limit.rlim_max)
    return setrlimit(resource, &limit) == 0 ? Int(clamping: limit.rlim_cur) : before
  }

  /// The service's address, for people.
  package var url: String {
    switch address {
    case .tcp: "http://\(address)"
    case .unix, .inherited: "\(address)"
    }
  }

  /// Requests that have begun and are not answered.
  package var requestCount: Int { daemon.requestCount }

  /// Ends the service: says that it is not ready, takes no more connections, lets requests finish that
  /// have begun, and stops those that take too long.
  ///
  /// - Returns: true if all requests were answered in time.
  package func drain() async -> Bool {
    service.gate.isDraining = true
    service.stopProbing()
    // Load balancers need time to notice that the service is not ready.
    try? await Task.sleep(for: .seconds(configuration.drainDelay))
    daemon.quiesce()
    let end = ContinuousClock.now + .seconds(2 * configuration.limits.seconds)
    var isDone = await quiet(until: end)
    if !isDone {
      daemon.cancelAll()
      isDone = await quiet(until: .now + .seconds(5))
    }
    stop()
    return isDone
  }

  private func quiet(until end: ContinuousClock.Instant) async -> Bool {
    // Threads inside a codec at exit would use its destroyed globals.
    while daemon.requestCount > 0 || service.isProbing {
      guard ContinuousClock.now < end else { return false }
      try? await Task.sleep(for: .milliseconds(20))
    }
    return true
  }

  /// Closes everything at once.
  package func stop() {
    service.stopProbing()
    daemon.stop()
    service.sources.end()
    if case .unix(let path) = address { unlink(path) }
  }
}
