internal import CHTTP
internal import FrostglassCore
internal import Glibc

/// The address that a service listens on.
package enum ListenAddress: Sendable, Hashable, CustomStringConvertible {
  /// An IPv4 or IPv6 address; port 0 takes a free one.
  case tcp(host: String, port: Int)
  /// A socket in the file system.
  case unix(String)
  /// A socket that systemd opened.
  case inherited

  /// Reads `HOST:PORT`, `[::1]:PORT`, `unix:PATH` or `systemd`; `nil` for anything else.
  package init?(text: String) {
    if text == "systemd" {
      self = .inherited
    } else if text.hasPrefix("unix:") {
      let path = String(text.dropFirst("unix:".count))
      // What the kernel's structure has room for, with a zero.
      guard !path.isEmpty, path.utf8.count < 108 else { return nil }
      self = .unix(path)
    } else {
      guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
        (0...65535).contains(port)
      else { return nil }
      var host = String(text[..<colon])
      if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
      self = .tcp(host: host == "localhost" ? "127.0.0.1" : host, port: port)
    }
  }

  package var description: String {
    switch self {
    case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    case .unix(let path): "unix:\(path)"
    case .inherited: "systemd"
    }
  }

  /// True if only programs on this machine can connect.
  package var isLocal: Bool {
    switch self {
    case .tcp(let host, _): host.hasPrefix("127.") || host == "::1"
    case .unix: true
    case .inherited: Listener.isInheritedLocal
    }
  }
}

/// A socket that listens.
package struct Listener: Sendable {
  /// The listening socket. The owner of this value closes it.
  package let socket: Int32
  /// The address that it listens on, with the actual port in place of 0.
  package let address: ListenAddress

  /// The reason why there is no listener.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
    /// True if another process already listens there.
    package var isInUse = false
  }

  package init(_ address: ListenAddress) throws(Failure) {
    switch address {
    case .tcp(let host, let port):
      socket = try Self.tcp(host, port)
      self.address = .tcp(host: host, port: SocketAddress.port(of: socket) ?? port)
    case .unix(let path):
      socket = try Self.unix(path)
      self.address = address
    case .inherited:
      socket = try Self.inherited()
      self.address = address
    }
    // Enough for bursts; excess connections are answered with an error.
    guard address == .inherited || listen(socket, 1024) == 0 else {
      let reason = systemWords(errno)
      close(socket)
      throw Failure(description: "\(address): cannot listen (\(reason))")
    }
  }

  private static func tcp(_ host: String, _ port: Int) throws(Failure) -> Int32 {
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, "\(port)", &hints, &found) == 0, let entry = found else {
      throw Failure(description: "\(host) is no IPv4 or IPv6 address")
    }
    defer { freeaddrinfo(found) }
    let socket = try open(entry.pointee.ai_family)
    var yes: Int32 = 1
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    guard bind(socket, entry.pointee.ai_addr, entry.pointee.ai_addrlen) == 0 else {
      let (reason, isInUse) = (systemWords(errno), errno == EADDRINUSE)
      close(socket)
      throw Failure(
        description: "\(host) port \(port): cannot be bound (\(reason))", isInUse: isInUse)
    }
    return socket
  }

  private static func unix(_ path: String) throws(Failure) -> Int32 {
    let socket = try open(AF_UNIX)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    // A socket without a listener was left by a killed process.
    var status = stat()
    if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK,
      !isAnswered(&address)
    {
      unlink(path)
    }
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard bound == 0 else {
      let (reason, isInUse) = (systemWords(errno), errno == EADDRINUSE)
      close(socket)
      throw Failure(
        description: "unix:\(path): cannot be bound (\(reason))", isInUse: isInUse)
    }
    return socket
  }

  private static func isAnswered(_ address: inout sockaddr_un) -> Bool {
    guard let probe = try? open(AF_UNIX) else { return true }
    defer { close(probe) }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(probe, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
  }

  /// The first socket of systemd's, see sd_listen_fds(3); `nil` where there is none for this process.
  private static var first: Int32? {
    let process = getenv("LISTEN_PID").flatMap { Int32(String(cString: $0)) }
    let count = getenv("LISTEN_FDS").flatMap { Int32(String(cString: $0)) } ?? 0
    return process == getpid() && count >= 1 ? 3 : nil
  }

  /// True if only programs on this machine can connect to systemd's socket.
  fileprivate static var isInheritedLocal: Bool { first.map(SocketAddress.isLocal) ?? false }

  private static func inherited() throws(Failure) -> Int32 {
    guard let first else {
      throw Failure(description: "systemd: there is no socket of systemd's for this process")
    }
    unsetenv("LISTEN_PID")
    unsetenv("LISTEN_FDS")
    _ = fcntl(first, F_SETFD, FD_CLOEXEC)
    return first
  }

  private static func open(_ family: Int32) throws(Failure) -> Int32 {
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let socket = Glibc.socket(family, kind, 0)
    guard socket >= 0 else {
      throw Failure(description: "there is no socket (\(systemWords(errno)))")
    }
    return socket
  }
}

/// Addresses of sockets, as the kernel reports them.
package enum SocketAddress {
  /// The address in digits, without its port; `unix` for a socket in the file system.
  static func text(_ address: UnsafePointer<sockaddr>) -> String {
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family = Int32(address.pointee.sa_family)
    let start = UnsafeRawPointer(address)
    switch family {
    case AF_INET:
      var field = start.assumingMemoryBound(to: sockaddr_in.self).pointee.sin_addr
      inet_ntop(family, &field, &buffer, socklen_t(buffer.count))
    case AF_INET6:
      var field = start.assumingMemoryBound(to: sockaddr_in6.self).pointee.sin6_addr
      inet_ntop(family, &field, &buffer, socklen_t(buffer.count))
    default: return "unix"
    }
    return String(
      decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Returns true if a socket is bound to a loopback address, or in the file system.
  package static func isLocal(_ socket: Int32) -> Bool {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard getsockname(socket, address, &length) == 0 else { return false }
        switch Int32(address.pointee.sa_family) {
        case AF_UNIX: return true
        case AF_INET, AF_INET6:
          let text = text(address)
          return text == "::1" || text.hasPrefix("127.") || text.hasPrefix("::ffff:127.")
        default: return false
        }
      }
    }
  }

  /// The port that a socket is bound to.
  static func port(of socket: Int32) -> Int? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let known = withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &length) }
    }
    guard known == 0 else { return nil }
    return withUnsafeBytes(of: storage) { bytes in
      switch Int32(storage.ss_family) {
      case AF_INET: Int(UInt16(bigEndian: bytes.load(as: sockaddr_in.self).sin_port))
      case AF_INET6: Int(UInt16(bigEndian: bytes.load(as: sockaddr_in6.self).sin6_port))
      default: nil
      }
    }
  }
}
