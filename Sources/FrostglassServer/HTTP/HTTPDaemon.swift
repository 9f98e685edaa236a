internal import CHTTP
internal import FrostglassCore
internal import Glibc
internal import Synchronization

/// A type that answers requests.
package protocol RequestHandler: Sendable {
  /// Checks a request's head before its body arrives. Must not block: one thread reads all
  /// connections.
  func begin(_ head: RequestHead) -> Reception

  /// Answers a request that was begun and for whose connection there is no place.
  func refusal(of head: RequestHead) -> Response

  /// Says that the connection of a request that was not answered at once is done with it.
  ///
  /// - Parameter isDelivered: true if the whole answer was sent.
  func end(_ exchange: any Exchange, isDelivered: Bool)
}

/// The decision about a request whose head was read.
package enum Reception {
  /// It is answered; its body, if there is one, is not read.
  case answer(Response)
  /// Its body is taken in and handed over.
  case receive(any Exchange)
}

/// A request that is being received and answered.
package protocol Exchange: AnyObject, Sendable {
  /// Takes a part of the body. Must not wait.
  ///
  /// - Returns: `false` where there is more than may be: the rest is thrown away.
  func receive(_ bytes: UnsafeRawBufferPointer) -> Bool

  /// Answers, once the body is complete or too long. Where the client goes away, the task is cancelled.
  func respond() async -> Response
}

/// GNU libmicrohttpd: one thread that reads and writes all connections; answers are made elsewhere.
package final class HTTPDaemon: Sendable {
  private let handler: any RequestHandler
  private let connections: Connections
  private let limits: ConnectionLimits
  private let listener: Int32
  private let state = Mutex(State())
  private let suspended = Mutex(Suspended())

  /// Connections that libmicrohttpd leaves alone until their answer is there.
  private struct Suspended {
    var count = 0
    /// True once the daemon is about to stop: libmicrohttpd ends the process where it is stopped while a
    /// connection is suspended, so that none may become so any more.
    var isClosed = false
  }

  /// libmicrohttpd guards what it points to.
  private struct Handle: @unchecked Sendable {
    let pointer: OpaquePointer
  }

  private struct State {
    var daemon: Handle?
    var isQuiet = false
  }

  /// - Parameters:
  ///   - listener: a socket that listens; this object closes it, also where it cannot be made.
  ///   - handler: the handler that answers.
  /// - Returns: `nil` where libmicrohttpd does not start, or no thread for connections.
  package init?(
    listener: Int32, limits: ConnectionLimits, handler: any RequestHandler
  ) {
    // Without this monitor, slow clients would have no limits.
    guard let connections = Connections(limits), connections.start() else {
      close(listener)
      return nil
    }
    self.listener = listener
    self.limits = limits
    self.handler = handler
    self.connections = connections
    let context = Unmanaged.passUnretained(self).toOpaque()
    func item(
      _ option: MHD_OPTION, _ value: Int, _ pointer: UnsafeMutableRawPointer? = nil
    ) -> MHD_OptionItem {
      MHD_OptionItem(option: option, value: value, ptr_value: pointer)
    }
    var options = [
      item(.LISTEN_SOCKET, Int(listener)),
      // Beyond it libmicrohttpd takes none until another ends: `Connections` sees to that before.
      item(.CONNECTION_LIMIT, limits.mostTaken),
      item(.CONNECTION_MEMORY_LIMIT, limits.headBytes),
      item(.CONNECTION_TIMEOUT, limits.longestPhase + 5),
      // libmicrohttpd answers its own refusals twice, and in HTML: `FrameGuard` is as strict.
      item(.STRICT_FOR_CLIENT, 0),
      item(.URI_LOG_CALLBACK, unsafeBitCast(requestLineCame, to: Int.self), context),
      item(.NOTIFY_COMPLETED, unsafeBitCast(requestEnded, to: Int.self), context),
      item(.NOTIFY_CONNECTION, unsafeBitCast(connectionChanged, to: Int.self), context),
      item(.END, 0),
    ]
    let flags =
      MHD_USE_EPOLL_INTERNAL_THREAD.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue
    guard let daemon = fgk_start_daemon(flags, requestCame, context, &options) else {
      // libmicrohttpd leaves it open then.
      close(listener)
      return nil
    }
    let handle = Handle(pointer: daemon)
    state.withLock { $0.daemon = handle }
  }

  /// Connections that are open.
  package var connectionCount: Int { connections.count }
  /// Requests whose first line has come and whose answer has not gone out.
  package var requestCount: Int { connections.requests }

  /// Accepts no more connections; those that are open go on.
  package func quiesce() {
    let daemon = state.withLock { state in
      defer { state.isQuiet = true }
      return state.isQuiet ? nil : state.daemon
    }
    if let daemon { fgk_stop_listening(daemon.pointer, listener) }
  }

  /// Cancels what is being answered, so that connections can be closed.
  package func cancelAll() { connections.cancelAll() }

  /// Closes all connections and ends the threads, once what is being answered has stopped.
  package func stop() {
    quiesce()
    suspended.withLock { $0.isClosed = true }
    cancelAll()
    for _ in 0..<1000 where suspended.withLock({ $0.count }) > 0 { usleep(10_000) }
    guard suspended.withLock({ $0.count }) == 0 else { return }
    let daemon = state.withLock { state in
      defer { state.daemon = nil }
      return state.daemon
    }
    connections.stop()
    if let daemon { MHD_stop_daemon(daemon.pointer) }
  }

  deinit { stop() }

  // MARK: libmicrohttpd's calls, all on its thread

  fileprivate func opened(
    _ connection: OpaquePointer, _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  ) {
    let link = Link(socket: fgk_connection_socket(connection))
    context.pointee = Unmanaged.passRetained(link).toOpaque()
    connections.add(link)
  }

  fileprivate func closed(_ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>) {
    guard let pointer = context.pointee else { return }
    connections.remove(Unmanaged<Link>.fromOpaque(pointer).takeRetainedValue())
    context.pointee = nil
  }

  fileprivate func begun(_ target: UnsafePointer<CChar>, _ connection: OpaquePointer) -> Transfer {
    let transfer = Transfer(target, connection)
    if let link = Link.of(connection) { connections.begin(link) }
    return transfer
  }

  fileprivate func ended(_ transfer: Transfer, _ connection: OpaquePointer, isDelivered: Bool) {
    if let link = Link.of(connection) { connections.idle(link) }
    transfer.task?.cancel()
    if let exchange = transfer.exchange { handler.end(exchange, isDelivered: isDelivered) }
  }

  /// The longest body that the kernel accepts at once, whether or not the client reads it, in bytes.
  ///
  /// Such answers keep no connection open, so they are also sent over the limit: health checks get theirs under full
  /// load.
  private static let shortAnswer = 4 << 10

  fileprivate func handle(
    _ transfer: Transfer, _ method: String, _ version: String, _ bytes: UnsafeRawBufferPointer
  ) -> MHD_Result {
    guard let link = Link.of(transfer.connection) else { return .NO }
    transfer.keepsAlive = !state.withLock { $0.isQuiet }
    switch transfer.phase {
    case .head:
      // It was closed to make room while its head arrived.
      guard !connections.isEnding(link) else { return .NO }
      var head = RequestHead(transfer, method: method, version: version)
      head.address = limits.proxies.address(of: head)
      head.isFromProxy = limits.proxies.contains(head.peer)
      var isServed = connections.serve(link, for: head.client, makingRoom: false)
      func hasPlace() -> Bool {
        isServed = isServed || connections.serve(link, for: head.client, makingRoom: true)
        return isServed
      }
      switch handler.begin(head) {
      case .answer(var response):
        guard response.isForEverybody || response.body.count <= Self.shortAnswer || hasPlace()
        else {
          return transfer.queue(handler.refusal(of: head), link, connections)
        }
        guard head.hasBody || response.closes || !isServed else {
          // Queued now, it would end the connection: libmicrohttpd supposes a body that is not wanted.
          transfer.response.withLock { $0 = response }
          transfer.phase = .working
          return .YES
        }
        // The rest of the body must not be parsed as another request; and an excess connection must free
        // its place.
        response.closes = true
        return transfer.queue(response, link, connections)
      case .receive(let exchange):
        guard hasPlace() else {
          return transfer.queue(handler.refusal(of: head), link, connections)
        }
        transfer.exchange = exchange
        transfer.phase = .body
        connections.receive(link)
        return .YES
      }
    case .body:
      if !bytes.isEmpty {
        connections.receive(bytes.count, link)
        return receive(bytes, transfer)
      }
      let isSuspended = suspended.withLock { suspended in
        guard !suspended.isClosed else { return false }
        suspended.count += 1
        return true
      }
      guard isSuspended else { return .NO }
      MHD_suspend_connection(transfer.connection)
      transfer.phase = .working
      answer(transfer, link)
      return .YES
    case .working:
      // It is resumed when there is one.
      guard let response = transfer.response.withLock({ $0 }) else { return .NO }
      return transfer.queue(response, link, connections)
    case .answered: return .NO
    }
  }

  /// A body that is too long is read on for a while, as its sender reads no answer before it has sent
  /// all of it; then the connection ends.
  private func receive(_ bytes: UnsafeRawBufferPointer, _ transfer: Transfer) -> MHD_Result {
    if transfer.exchange?.receive(bytes) == true { return .YES }
    transfer.excess += bytes.count
    return transfer.excess <= limits.mostExcess ? .YES : .NO
  }

  private func answer(_ transfer: Transfer, _ link: Link) {
    guard let exchange = transfer.exchange else { return }
    let task = Task { [self] in
      let response = await exchange.respond()
      transfer.response.withLock { $0 = response }
      // The thread that stops the daemon waits for this.
      connections.answered(link)
      MHD_resume_connection(transfer.connection)
      suspended.withLock { $0.count -= 1 }
    }
    transfer.task = task
    connections.work(link) { task.cancel() }
  }
}

/// One request on a connection, for libmicrohttpd's thread; only the response comes from another.
private final class Transfer: @unchecked Sendable {
  enum Phase { case head, body, working, answered }

  let target: String
  /// The start of the target in libmicrohttpd's memory; the version follows it.
  let start: UnsafePointer<CChar>
  let connection: OpaquePointer
  var phase = Phase.head
  var keepsAlive = true
  /// True if the target goes on after a zero byte, with which `target` ends.
  var isCut = false
  var exchange: (any Exchange)?
  var task: Task<Void, Never>?
  /// Bytes that were thrown away.
  var excess = 0
  let response = Mutex<Response?>(nil)

  init(_ start: UnsafePointer<CChar>, _ connection: OpaquePointer) {
    self.start = start
    target = String(cString: start)
    self.connection = connection
  }

  func queue(_ answer: Response, _ link: Link, _ connections: Connections) -> MHD_Result {
    phase = .answered
    connections.send(link)
    // A 304 may have the length of the answer that was not computed.
    let hasBody = answer.hasLength && answer.status != 304
    let response =
      hasBody
      ? Self.whole(answer.body)
      : answer.knownLength.map { fgk_response_of_length(UInt64($0)) }
        ?? fgk_response_without_length()
    guard let response else { return .NO }
    defer { MHD_destroy_response(response) }
    for field in answer.headers {
      MHD_add_response_header(response, field.name, field.value.headerSafe)
    }
    if answer.closes || !keepsAlive { MHD_add_response_header(response, "Connection", "close") }
    return MHD_queue_response(connection, UInt32(answer.status), response)
  }

  /// Returns a libmicrohttpd response with a body; `nil` if there is no memory.
  private static func whole(_ body: [UInt8]) -> OpaquePointer? {
    body.withUnsafeBytes { bytes in
      // Copied: an empty array has no address.
      MHD_create_response_from_buffer(
        bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress),
        .RESPMEM_MUST_COPY)
    }
  }
}

extension String {
  /// Without what would end a header's line.
  fileprivate var headerSafe: String {
    String(
      String.UnicodeScalarView(unicodeScalars.map { (32..<127).contains($0.value) ? $0 : " " }))
  }
}

extension RequestHead {
  fileprivate init(_ transfer: Transfer, method: String, version: String) {
    var headers: [Field] = []
    withUnsafeMutablePointer(to: &headers) { list in
      _ = MHD_get_connection_values(
        transfer.connection, .HEADER_KIND,
        { list, _, name, value in
          guard let list, let name else { return .NO }
          list.assumingMemoryBound(to: [Field].self).pointee.append(
            Field(String(cString: name), value.map { String(cString: $0) } ?? ""))
          return .YES
        }, list)
    }
    self.init(
      method: method,
      // `FrameGuard` refuses invalid targets.
      target: transfer.target + (transfer.isCut ? "\0" : ""), version: version,
      headers: headers,
      peer: fgk_connection_peer(transfer.connection).map { SocketAddress.text($0) } ?? "")
  }
}

extension Link {
  fileprivate static func of(_ connection: OpaquePointer) -> Link? {
    fgk_connection_context(connection).map { Unmanaged<Link>.fromOpaque($0).takeUnretainedValue() }
  }
}

private func daemon(_ context: UnsafeMutableRawPointer?) -> HTTPDaemon? {
  context.map { Unmanaged<HTTPDaemon>.fromOpaque($0).takeUnretainedValue() }
}

/// The first line of a request has come.
private let requestLineCame:
  @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) ->
    UnsafeMutableRawPointer? = { context, target, connection in
      guard let daemon = daemon(context), let target, let connection else { return nil }
      let transfer = daemon.begun(target, connection)
      return Unmanaged.passRetained(transfer).toOpaque()
    }

/// A head has come, then parts of a body, then its end; and again where the connection is resumed.
private let requestCame:
  @convention(c) (
    UnsafeMutableRawPointer?, OpaquePointer?, UnsafePointer<CChar>?, UnsafePointer<CChar>?,
    UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafeMutablePointer<Int>?,
    UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  ) -> MHD_Result = { context, _, _, method, version, bytes, count, request in
    guard let daemon = daemon(context), let method, let version, let count,
      let pointer = request?.pointee
    else { return .NO }
    let transfer = Unmanaged<Transfer>.fromOpaque(pointer).takeUnretainedValue()
    let part = UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count.pointee)
    defer { count.pointee = 0 }
    // The version follows the target and a space, unless a zero has cut the target short.
    if transfer.phase == .head {
      transfer.isCut = transfer.start + transfer.target.utf8.count + 1 != version
    }
    return daemon.handle(transfer, String(cString: method), String(cString: version), part)
  }

/// A request was answered, or its connection is gone.
private let requestEnded:
  @convention(c) (
    UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    MHD_RequestTerminationCode
  ) -> Void = { context, connection, request, reason in
    guard let daemon = daemon(context), let connection, let pointer = request?.pointee else {
      return
    }
    request?.pointee = nil
    let transfer = Unmanaged<Transfer>.fromOpaque(pointer).takeRetainedValue()
    daemon.ended(
      transfer, connection, isDelivered: reason == .REQUEST_TERMINATED_COMPLETED_OK)
  }

/// A connection was opened or is about to be closed.
private let connectionChanged:
  @convention(c) (
    UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    MHD_ConnectionNotificationCode
  ) -> Void = { context, connection, link, change in
    guard let daemon = daemon(context), let connection, let link else { return }
    if change == .CONNECTION_NOTIFY_STARTED {
      daemon.opened(connection, link)
    } else {
      daemon.closed(link)
    }
  }
