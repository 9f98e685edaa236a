internal import CCurl
internal import FrostglassConfinement
internal import FrostglassCore
internal import FrostglassFetching
internal import Glibc

/// One request, from its order to its answer.
///
/// libcurl follows no redirect, uses no proxy, and keeps no cookie. Every socket is checked by the address that it
/// would connect to, whatever its name. So is every connection that an earlier transfer has left open, because
/// another origin may have allowed it.
final class Transfer {
  let order: FetchOrder
  let handle: UnsafeMutableRawPointer
  private let budget: Budget
  private var sentFields: UnsafeMutablePointer<curl_slist>?
  private var fields: [FetchField] = []
  private var headBytes = 0
  private var body = Body()
  /// The announced length; `nil` if there is none.
  private var length: Int?
  /// The number of bytes skipped of an unused body.
  private var skipped = 0
  private var hasRefusedAddress = false
  /// The reason why this process stopped it; `nil` if it did not.
  private var ending: FetchAnswer.Outcome?

  /// The largest head of a response, in bytes.
  private static let longestHead = 64 << 10
  /// The limits of the fields that the service receives.
  private static let (longestField, mostFields) = (4096, 16)
  /// The header fields that the service receives.
  private static let wanted: Set = [
    "age", "cache-control", "content-type", "date", "etag", "expires", "last-modified",
  ]
  private static let digestOfNothing =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
  /// The file of trusted certificates, if the environment names one.
  static let trusted = getenv("SSL_CERT_FILE").map { String(cString: $0) }

  static func at(_ context: UnsafeMutableRawPointer) -> Transfer {
    Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
  }

  /// - Returns: `nil` if libcurl rejects the order.
  init?(_ order: FetchOrder, _ budget: Budget) {
    guard let handle = curl_easy_init() else { return nil }
    self.order = order
    self.budget = budget
    self.handle = handle
    guard setUp() else { return nil }
  }

  deinit {
    budget.giveBack(body.memory, of: order)
    curl_easy_cleanup(handle)
    curl_slist_free_all(sentFields)
  }

  private func setUp() -> Bool {
    let milliseconds = Int(min(max(order.seconds, 0.001), 3600) * 1000)
    let numbers: [(CURLoption, Int)] = [
      (CURLOPT_PATH_AS_IS, 1), (CURLOPT_FOLLOWLOCATION, 0), (CURLOPT_NOSIGNAL, 1),
      (CURLOPT_DISALLOW_USERNAME_IN_URL, 1), (CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)),
      (CURLOPT_TIMEOUT_MS, milliseconds), (CURLOPT_CONNECTTIMEOUT_MS, min(milliseconds, 5000)),
      // Replaced certificates take effect soon.
      (CURLOPT_CA_CACHE_TIMEOUT, 300),
    ]
    var texts: [(CURLoption, String)] = [
      (CURLOPT_URL, order.url), (CURLOPT_PROTOCOLS_STR, "http,https"), (CURLOPT_PROXY, ""),
      (CURLOPT_USERAGENT, "frostglass/\(Version.current)"),
    ]
    if let trusted = Self.trusted { texts.append((CURLOPT_CAINFO, trusted)) }
    var sent = order.fields
    if let signing = order.signing {
      texts += [
        (CURLOPT_AWS_SIGV4, "aws:amz:\(signing.region):s3"), (CURLOPT_USERNAME, signing.key),
        (CURLOPT_PASSWORD, signing.secret),
      ]
      // The digest of an empty body. Without the field, S3 rejects libcurl's signature.
      sent.append(FetchField("x-amz-content-sha256", Self.digestOfNothing))
      if let token = signing.token { sent.append(FetchField("x-amz-security-token", token)) }
    }
    for field in sent {
      guard let longer = curl_slist_append(sentFields, "\(field.name): \(field.value)") else {
        return false
      }
      sentFields = longer
    }
    fgk_set_callbacks(
      handle, Unmanaged.passUnretained(self).toOpaque(),
      { bytes, size, count, context in
        guard let bytes, let context else { return 0 }
        let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
        return Transfer.at(context).takeLine(line) ? size * count : 0
      },
      { bytes, size, count, context in
        guard let bytes, let context else { return 0 }
        let part = UnsafeRawBufferPointer(start: bytes, count: size * count)
        return Transfer.at(context).takePart(part) ? size * count : 0
      },
      { context, _, address in
        guard let context, let address else { return -1 }
        return Transfer.at(context).openSocket(address)
      },
      { context, address, _, _, _ in
        guard let context, let address else { return CURL_PREREQFUNC_ABORT }
        return Transfer.at(context).maySend(to: String(cString: address))
          ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
      })
    return numbers.allSatisfy { fgk_set_long(handle, $0, $1) == CURLE_OK }
      && texts.allSatisfy { fgk_set_text(handle, $0, $1) == CURLE_OK }
      && fgk_set_fields(handle, sentFields) == CURLE_OK
  }

  private func openSocket(_ address: UnsafePointer<curl_sockaddr>) -> curl_socket_t {
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = Int(fgk_address(address, &bytes))
    guard count > 0, order.addresses.allows(Array(bytes.prefix(count))) else {
      hasRefusedAddress = true
      return -1
    }
    return fgk_open_socket(address)
  }

  private func maySend(to address: String) -> Bool {
    guard let bytes = IPNetwork.bytes(of: address), order.addresses.allows(bytes) else {
      return giveUp(.refusedAddress)
    }
    return true
  }

  private func takeLine(_ line: UnsafeRawBufferPointer) -> Bool {
    headBytes += line.count
    guard headBytes <= Self.longestHead else { return giveUp(.broken) }
    let text = String(decoding: line, as: UTF8.self)
    guard !text.hasPrefix("HTTP/") else {
      // Discards the head of an interim response.
      (fields, length) = ([], nil)
      return true
    }
    guard !text.allSatisfy(\.isNewline) else { return endHead() }
    guard let colon = text.firstIndex(of: ":") else { return true }
    let name = text[..<colon].lowercased()
    let value = text[text.index(after: colon)...].drop { $0.isWhitespace }
    let end = value.lastIndex { !$0.isWhitespace }.map { value.index(after: $0) }
    let word = String(value[..<(end ?? value.startIndex)])
    if name == "content-length" { length = Int(word) }
    guard Self.wanted.contains(name) else { return true }
    // The service receives a bounded head, whatever servers send.
    guard word.utf8.count <= Self.longestField, fields.count < Self.mostFields,
      word.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
    else { return giveUp(.broken) }
    fields.append(FetchField(name, word))
    return true
  }

  /// Refuses a response by its head. The least rate applies from here on, because the server may have been working
  /// until now.
  private func endHead() -> Bool {
    let status = fg_status(handle)
    // The body of an error is not read, and may take long.
    guard status < 400 || length == 0 else { return giveUp(.answered) }
    guard status == 200 else { return true }
    guard isImage else { return giveUp(.wrongType) }
    guard length ?? 0 <= order.mostBytes else { return giveUp(.tooLarge) }
    return fgk_set_long(handle, CURLOPT_LOW_SPEED_TIME, 5) == CURLE_OK
      && fgk_set_long(handle, CURLOPT_LOW_SPEED_LIMIT, order.leastRate) == CURLE_OK
  }

  private func takePart(_ part: UnsafeRawBufferPointer) -> Bool {
    guard fg_status(handle) == 200 else {
      // A redirect's target is known at its end.
      skipped += part.count
      return skipped <= Self.longestHead || giveUp(.answered)
    }
    guard body.count + part.count <= order.mostBytes else { return giveUp(.tooLarge) }
    return body.append(part, budget, for: order) || giveUp(.noRoom)
  }

  /// True if the type may be an image's. Object stores use a generic binary type by default; the first bytes are
  /// checked later.
  private var isImage: Bool {
    guard let type = fields.last(where: { $0.name == "content-type" })?.value.lowercased() else {
      return true
    }
    return ["image/", "application/octet-stream", "binary/octet-stream"].contains {
      type.hasPrefix($0)
    }
  }

  private func giveUp(_ outcome: FetchAnswer.Outcome) -> Bool {
    ending = outcome
    return false
  }

  /// Returns the answer to the order.
  func answer(_ result: CURLcode) -> FetchAnswer {
    var answer = FetchAnswer(order.number, ending ?? outcome(result))
    answer.status = fg_status(handle)
    guard answer.outcome == .answered else { return answer }
    answer.fields = fields
    answer.redirect = fgk_redirect(handle).map { String(cString: $0) }
      .flatMap { $0.utf8.count <= Self.longestField ? $0 : nil }
    if answer.status == 200 { answer.body = body.bytes }
    return answer
  }

  private func outcome(_ result: CURLcode) -> FetchAnswer.Outcome {
    switch result {
    case CURLE_OK: .answered
    case CURLE_OPERATION_TIMEDOUT: fgk_found_nobody(handle) ? .unreachable : .late
    case CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST:
      hasRefusedAddress ? .refusedAddress : .unreachable
    case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR: .lost
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE:
      .untrusted
    default: .broken
    }
  }
}

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
    fgk_set_limit(transfers, CURLMOPT_MAX_TOTAL_CONNECTIONS, Self.connections)
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
      while let context = fgk_next_done(transfers, &result) {
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

/// The body of a response, in pieces that are never moved. A growing array would be in memory twice for a
/// moment, with a capacity of more than twice its contents.
struct Body {
  private var pieces: [[UInt8]] = []
  private var room = 0
  private(set) var count = 0
  /// The memory that it takes, in bytes.
  private(set) var memory = 0

  private static let longestPiece = 256 << 10

  /// Appends bytes if the budget has memory for them.
  ///
  /// - Returns: false if it has none.
  mutating func append(
    _ bytes: UnsafeRawBufferPointer, _ budget: Budget, for order: FetchOrder
  ) -> Bool {
    var bytes = bytes[...]
    while !bytes.isEmpty {
      if room == 0 {
        room = max(bytes.count, min(count, Self.longestPiece, order.mostBytes - count))
        guard budget.take(room, for: order) else { return false }
        memory += room
        var piece: [UInt8] = []
        piece.reserveCapacity(room)
        pieces.append(piece)
      }
      let part = bytes.prefix(room)
      pieces[pieces.count - 1].append(contentsOf: part)
      (room, count) = (room - part.count, count + part.count)
      bytes = bytes.dropFirst(part.count)
    }
    return true
  }

  /// All of it in one piece.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    for piece in pieces { bytes += piece }
    return bytes
  }
}

/// The memory budget of all bodies.
///
/// No origin and no client gets more than half of it, so that none keeps all others out. One body may always
/// exceed that.
final class Budget {
  private let all: Int
  private var taken = 0
  private var byShare: [String: Int] = [:]

  init(_ bytes: Int) { all = bytes }

  /// Takes bytes for the body of an order.
  ///
  /// - Returns: false if there are not enough left.
  func take(_ bytes: Int, for order: FetchOrder) -> Bool {
    let most = max(all / 2, order.mostBytes)
    guard taken + bytes <= all, order.shares.allSatisfy({ byShare[$0, default: 0] + bytes <= most })
    else { return false }
    taken += bytes
    for share in order.shares { byShare[share, default: 0] += bytes }
    return true
  }

  func giveBack(_ bytes: Int, of order: FetchOrder) {
    taken -= bytes
    for share in order.shares {
      let left = byShare[share, default: 0] - bytes
      byShare[share] = left > 0 ? left : nil
    }
  }
}
