internal import CHTTP
internal import FrostglassCore
internal import Glibc
internal import Synchronization

/// Limits on the number of connections, and on the times and sizes of their requests.
package struct ConnectionLimits: Sendable, Hashable {
  /// The number of connections served at once. Others get a response that there are too many.
  package var connections: Int
  /// The number of those for one client; `nil` for half of them.
  package var perClient: Int?
  /// Bytes per second that a body must keep up, from `patience` on.
  package var bodyRate = 1024
  /// Seconds that a body may be slower than it must be.
  package var patience = 5.0
  /// The proxies whose statements about clients' addresses are trusted.
  package var proxies = TrustedProxies()
  /// Seconds until a head must be complete, from when the connection was made, or from when the last
  /// answer went out.
  package var headSeconds: Int
  /// Seconds until a body must be complete, from its head on.
  package var bodySeconds: Int
  /// Seconds until an answer must have been taken.
  package var answerSeconds: Int
  /// The longest head, in bytes.
  package var headBytes: Int
  /// Bytes of a body that is too long which are read before the connection ends.
  package var mostExcess: Int
  /// The number of connections that the process has descriptors for.
  package var room = Int.max

  package init(
    connections: Int = 256, headSeconds: Int = 10, bodySeconds: Int = 60, answerSeconds: Int = 60,
    headBytes: Int = 64 << 10, mostExcess: Int = 8 << 20
  ) {
    self.connections = connections
    self.headSeconds = headSeconds
    self.bodySeconds = bodySeconds
    self.answerSeconds = answerSeconds
    self.headBytes = headBytes
    self.mostExcess = mostExcess
  }

  package var mostPerClient: Int { perClient ?? max(connections / 2, 1) }

  fileprivate func seconds(_ phase: Link.Phase) -> Int? {
    switch phase {
    case .idle, .head: headSeconds
    case .body: bodySeconds
    // Work has its own limit.
    case .working: nil
    case .sending: answerSeconds
    }
  }

  var longestPhase: Int { max(headSeconds, bodySeconds, answerSeconds) }

  /// The number of connections that may be open at once. Those that wait for a request do not count as served. One
  /// more ends the one that has waited longest.
  package var mostOpen: Int { max(min(4 * connections, room - Self.ending), 1) }

  /// The number of connections accepted from the socket: the open ones, and some that are being closed.
  package var mostTaken: Int { mostOpen + Self.ending }

  /// libmicrohttpd takes 11 connections at a time, and closes those that have ended a turn later.
  private static let ending = 64
}

/// A connection, as far as its time and its other end are watched.
///
/// Everything that changes is guarded by `Connections`.
final class Link: @unchecked Sendable {
  enum Phase { case idle, head, body, working, sending }

  let socket: Int32
  /// Its place among the connections that wait for a head.
  var place = WaitingLine.Place()
  fileprivate var phase = Phase.idle
  /// True if it counts among the served connections.
  fileprivate var isServed = false
  /// The client, while the connection is served.
  fileprivate var client = ""
  /// Bytes of a body that have come.
  fileprivate var received = 0
  /// True if its socket is shut down, so that libmicrohttpd closes it.
  fileprivate var isEnding = false
  fileprivate var since = ContinuousClock.now
  /// The time at which the client closed its sending side in the middle of a body.
  fileprivate var left: ContinuousClock.Instant?
  /// Cancels the work for it.
  fileprivate var cancel: (@Sendable () -> Void)?

  init(socket: Int32) { self.socket = socket }
}

/// Ends connections that take too long or too much room, and cancels work for clients that have left.
///
/// libmicrohttpd only limits the time without data, which one byte a second gets around, and does not watch
/// connections whose answer is being made.
final class Connections: Sendable {
  private let limits: ConnectionLimits
  /// Sockets of connections that are being worked for.
  private let watched: Int32
  private let state = Mutex(State())

  private struct State {
    var links: [ObjectIdentifier: Link] = [:]
    var bySocket: [Int32: Link] = [:]
    /// Those that have sent no head, or none since their last answer.
    var waiting = WaitingLine()
    var requests = 0
    var served = 0
    var clients: [String: Int] = [:]
    /// Those that are there only until libmicrohttpd has closed them.
    var ending = 0
    var ends = false
  }

  init?(_ limits: ConnectionLimits) {
    self.limits = limits
    watched = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard watched >= 0 else { return nil }
  }

  deinit { close(watched) }

  var count: Int { state.withLock { $0.links.count } }
  /// Requests that have begun and whose answer has not gone out.
  var requests: Int { state.withLock { $0.requests } }

  /// Adds a connection. If there are too many, closes the one that has waited longest for a head, and never a served
  /// one: idle clients cannot lock others out.
  func add(_ link: Link) {
    state.withLock { state in
      state.links[ObjectIdentifier(link)] = link
      state.waiting.join(link)
      guard state.links.count - state.ending > limits.mostOpen, let first = state.waiting.first,
        first !== link
      else { return }
      end(first, &state)
    }
  }

  /// Returns true if a connection's socket is shut down.
  func isEnding(_ link: Link) -> Bool { state.withLock { _ in link.isEnding } }

  /// Counts a connection with a complete head among those served, until it is idle again.
  ///
  /// - Parameter makingRoom: true to end the upload that is furthest behind its rate if there are too many
  ///   connections. Uploads that keep up are never ended.
  /// - Returns: `false` if the limit for all clients, or for this one, is reached.
  func serve(_ link: Link, for client: String, makingRoom: Bool) -> Bool {
    state.withLock { state in
      guard !link.isServed else { return true }
      if state.clients[client, default: 0] >= limits.mostPerClient {
        guard makingRoom, endSlowest(&state, of: client) else { return false }
      }
      if state.served >= limits.connections {
        guard makingRoom, endSlowest(&state) else { return false }
      }
      link.isServed = true
      link.client = client
      state.served += 1
      state.clients[client, default: 0] += 1
      return true
    }
  }

  /// Ends the upload that is furthest behind; its place is free at once.
  ///
  /// - Returns: `false` where all keep up.
  private func endSlowest(_ state: inout State, of client: String? = nil) -> Bool {
    let now = ContinuousClock.now
    let uploads = state.links.values.lazy
      .filter { $0.isServed && !$0.isEnding && (client == nil || $0.client == client) }
      .map { (link: $0, behind: self.behind($0, now)) }
    guard let slowest = uploads.max(by: { $0.behind < $1.behind }), slowest.behind > 0 else {
      return false
    }
    end(slowest.link, &state)
    release(slowest.link, &state)
    return true
  }

  /// Bytes that a body lacks of those that should have come; 0 or less where it keeps up.
  private func behind(_ link: Link, _ now: ContinuousClock.Instant) -> Double {
    guard link.phase == .body else { return 0 }
    let seconds = link.since.duration(to: now) / .seconds(1)
    return seconds * Double(limits.bodyRate) - Double(link.received)
  }

  /// Forgets a connection before its socket is closed, so that no other is taken for it.
  func remove(_ link: Link) {
    state.withLock { state in
      if link.phase != .idle { state.requests -= 1 }
      unwatch(link, &state)
      link.cancel = nil
      release(link, &state)
      state.waiting.leave(link)
      if link.isEnding { state.ending -= 1 }
      state.links[ObjectIdentifier(link)] = nil
    }
  }

  /// A request's first line has come.
  func begin(_ link: Link) {
    state.withLock { state in
      if link.phase == .idle { state.requests += 1 }
      // Counted from when the connection was idle: a late request line gives no extra time.
      link.phase = .head
    }
  }

  /// Its head is complete.
  func receive(_ link: Link) {
    state.withLock { state in
      change(.body, link, &state)
      link.received = 0
      watch(link, &state)
    }
  }

  /// Bytes of its body have come.
  func receive(_ count: Int, _ link: Link) { state.withLock { _ in link.received += count } }

  /// Its body is complete.
  ///
  /// - Parameter cancel: stops the work for it.
  func work(_ link: Link, _ cancel: @escaping @Sendable () -> Void) {
    state.withLock { state in
      // It may have been answered already.
      guard link.phase == .body else { return }
      change(.working, link, &state)
      link.cancel = cancel
      watch(link, &state)
    }
  }

  private func watch(_ link: Link, _ state: inout State) {
    var event = epoll_event()
    event.events = EPOLLRDHUP.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue
    event.data.fd = link.socket
    guard epoll_ctl(watched, EPOLL_CTL_ADD, link.socket, &event) == 0 else { return }
    state.bySocket[link.socket] = link
  }

  /// Its answer is made.
  func answered(_ link: Link) { enter(.sending, link) }

  /// Its answer goes out.
  func send(_ link: Link) { enter(.sending, link) }

  /// Its answer went out.
  func idle(_ link: Link) {
    state.withLock { state in
      if link.phase != .idle { state.requests -= 1 }
      change(.idle, link, &state)
      release(link, &state)
    }
  }

  private func release(_ link: Link, _ state: inout State) {
    guard link.isServed else { return }
    link.isServed = false
    state.served -= 1
    let left = state.clients[link.client, default: 1] - 1
    state.clients[link.client] = left > 0 ? left : nil
  }

  private func enter(_ phase: Link.Phase, _ link: Link) {
    state.withLock { change(phase, link, &$0) }
  }

  private func change(_ phase: Link.Phase, _ link: Link, _ state: inout State) {
    unwatch(link, &state)
    link.cancel = nil
    link.left = nil
    guard link.phase != phase else { return }
    link.phase = phase
    link.since = .now
    if phase == .idle, !link.isEnding {
      state.waiting.join(link)
    } else {
      state.waiting.leave(link)
    }
  }

  private func unwatch(_ link: Link, _ state: inout State) {
    guard state.bySocket[link.socket] === link else { return }
    state.bySocket[link.socket] = nil
    epoll_ctl(watched, EPOLL_CTL_DEL, link.socket, nil)
  }

  /// Stops all work.
  func cancelAll() {
    let all = state.withLock { $0.links.values.compactMap(\.cancel) }
    for cancel in all { cancel() }
  }

  /// Looks after connections from now on.
  ///
  /// - Returns: `false` where there is no thread for it.
  func start() -> Bool {
    BackgroundThread.start { [weak self] in
      while true {
        // Not retained between checks, so that it can be freed.
        guard let self, !state.withLock({ $0.ends }) else { return }
        look()
      }
    }
  }

  func stop() { state.withLock { $0.ends = true } }

  private func look() {
    var events = [epoll_event](repeating: epoll_event(), count: 64)
    let count = epoll_wait(watched, &events, Int32(events.count), 100)
    var gone: [@Sendable () -> Void] = []
    state.withLock { state in
      for event in events.prefix(max(Int(count), 0)) {
        guard let link = state.bySocket[event.data.fd] else { continue }
        if let cancel = link.cancel { gone.append(cancel) } else { link.left = .now }
        unwatch(link, &state)
      }
      let now = ContinuousClock.now
      for link in state.links.values {
        let seconds = limits.seconds(link.phase)
        let isLate = seconds.map { link.since.duration(to: now) > .seconds($0) } ?? false
        let isSlow = behind(link, now) > Double(limits.bodyRate) * limits.patience
        // What it has sent may still have to be read; libmicrohttpd does not always see that it left.
        let isGone = link.left.map { $0.duration(to: now) > .seconds(1) } ?? false
        if isLate || isSlow || isGone { end(link, &state) }
      }
    }
    for cancel in gone { cancel() }
  }

  /// Shuts a connection's socket down: libmicrohttpd sees that, and closes it. The socket is still its own,
  /// as it is removed here before it is closed.
  private func end(_ link: Link, _ state: inout State) {
    state.waiting.leave(link)
    if !link.isEnding {
      link.isEnding = true
      state.ending += 1
    }
    shutdown(link.socket, Int32(SHUT_RDWR))
  }
}

/// Connections that wait for the head of a request, in the order in which they began to wait.
///
/// The list is intrusive: with thousands of open connections, each new one may end the first, which must not take a
/// search through all of them. `Connections` guards the list.
struct WaitingLine {
  /// A connection's own part of the list.
  struct Place {
    fileprivate var before: Link?
    fileprivate var behind: Link?
    fileprivate var isTaken = false
  }

  /// The connection that has waited longest.
  private(set) var first: Link?
  private var last: Link?

  /// Puts a connection behind all others, wherever it was before.
  mutating func join(_ link: Link) {
    leave(link)
    link.place.isTaken = true
    link.place.before = last
    if let last { last.place.behind = link } else { first = link }
    last = link
  }

  /// Takes a connection out; one that is not in it stays as it is.
  mutating func leave(_ link: Link) {
    guard link.place.isTaken else { return }
    let (before, behind) = (link.place.before, link.place.behind)
    // Drop the references to its neighbors, so that they can be freed.
    link.place = Place()
    if let before { before.place.behind = behind } else { first = behind }
    if let behind { behind.place.before = before } else { last = before }
  }
}
