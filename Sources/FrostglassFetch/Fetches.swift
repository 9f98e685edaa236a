internal import CCurl
internal import FrostglassConfinement
internal import FrostglassFetching
internal import Glibc

/// All transfers of this process, on one thread. Orders arrive on a socket, and answers are sent on it.
final class Fetches {
  private let socket = FrameSocket(descriptor: FetchProgram.socket)
  private let transfers: UnsafeMutableRawPointer
  private let budget: Budget
  private var current: [Int: Transfer] = [:]

  /// The largest number of connections; more than the service has in flight.
  private static let connections = 256

  /// The memory for everything except bodies: libraries, TLS and stacks of threads that resolve names.
  private static let otherMemory = 1 << 30

  /// The files that configure name resolution and TLS trust.
  private static let readable = [
    "/etc/gai.conf", "/etc/host.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/resolv.conf",
    "/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/usr/lib/ssl", "/usr/local/share/ca-certificates",
    "/usr/share/ca-certificates",
  ]

  /// Enters the sandbox.
  ///
  /// - Parameter budget: the memory for all bodies, in bytes.
  /// - Returns: `nil` if libcurl does not start, or a part of the sandbox that the kernel supports fails.
  init?(budget: Int) {
    guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK,
      let transfers = curl_multi_init()
    else { return nil }
    self.transfers = transfers
    self.budget = Budget(budget)
    fg_set_limit(transfers, CURLMOPT_MAX_TOTAL_CONNECTIONS, Self.connections)
    // Loads the modules that resolve names, which is impossible inside the sandbox.
    var found: UnsafeMutablePointer<addrinfo>?
    if getaddrinfo("localhost", nil, nil, &found) == 0 { freeaddrinfo(found) }
    // A body is in memory twice while it is sent.
    let walls = Confinement(
      memory: 2 * budget + Self.otherMemory, descriptors: 1024,
      readable: Self.readable + [Transfer.trusted].compactMap { $0 }, usesNetwork: true)
    guard (try? walls.enter()) != nil else { return nil }
  }

  /// Fetches until the service ends.
  ///
  /// - Returns: the exit code.
  func run() -> Int32 {
    while true {
      var running: Int32 = 0
      guard curl_multi_perform(transfers, &running) == CURLM_OK else { return EX_SOFTWARE }
      var result = CURLE_OK
      while let context = fg_next_done(transfers, &result) {
        let transfer = Transfer.at(context)
        guard send(transfer.answer(result)) else { return EX_OK }
        end(transfer)
      }
      var entry = curl_waitfd(fd: socket.descriptor, events: Int16(CURL_WAIT_POLLIN), revents: 0)
      curl_multi_poll(transfers, &entry, 1, 1000, nil)
      guard entry.revents == 0 || take() else { return EX_OK }
    }
  }

  /// Handles a message.
  ///
  /// - Returns: false if the service has ended.
  private func take() -> Bool {
    guard let frame = try? socket.receive(FetchMessage.limits),
      let message = try? FetchMessage(frame)
    else { return false }
    switch message {
    case .cancel(let number): if let transfer = current[number] { end(transfer) }
    case .fetch(let order):
      guard let transfer = Transfer(order, budget) else {
        return send(FetchAnswer(order.number, .broken))
      }
      current[order.number] = transfer
      curl_multi_add_handle(transfers, transfer.handle)
    }
    return true
  }

  private func end(_ transfer: Transfer) {
    curl_multi_remove_handle(transfers, transfer.handle)
    current[transfer.order.number] = nil
  }

  private func send(_ answer: FetchAnswer) -> Bool {
    guard let frame = try? answer.frame() else { return false }
    return (try? socket.send(frame)) != nil
  }
}
