import FrostglassCore
import Glibc
import Synchronization

/// A server of images on loopback that says whatever a test wants, also what no server should.
final class TestOrigin: Sendable {
  /// A request that it received.
  struct Request: Sendable {
    /// With the path and the query as they came.
    let target: String
    let head: String

    /// The value of a header field; empty where there is none.
    func field(_ name: String) -> String {
      let line = head.split(separator: "\r\n").first {
        $0.lowercased().hasPrefix(name.lowercased() + ":")
      }
      return line.map { trimmed($0.dropFirst(name.count + 1)) } ?? ""
    }
  }

  /// A step of a response. After the last step it closes the connection.
  enum Step: Sendable {
    case send([UInt8])
    /// Does nothing until the other side closes.
    case waitForEnd
    /// Does nothing until `open` is called.
    case waitForGate
    /// Does nothing for so many seconds.
    case wait(UInt32)
    /// Takes another request on the same connection.
    case takeNext
  }

  private struct State {
    var requests: [Request] = []
    var closed = 0
    var isOpen = false
    /// False once the number of the listening socket may be that of another file.
    var listens = true
  }

  let port: Int
  private let listener: Int32
  private let state = Monitor(State())

  struct Failure: Error {}

  init(_ answer: @escaping @Sendable (Request) -> [Step]) throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let socket = listener
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, length) == 0 && listen(socket, 64) == 0
          && getsockname(socket, $0, &length) == 0
      }
    }
    guard isBound else { throw Failure() }
    port = Int(UInt16(bigEndian: address.sin_port))
    let state = state
    BackgroundThread.start {
      while true {
        let connection = accept(socket, nil, nil)
        guard connection >= 0 else {
          // Closed here and not by who ends it: while this thread may still call `accept`, the number must
          // not become that of another test's socket.
          state.change {
            $0.listens = false
            close(socket)
          }
          return
        }
        BackgroundThread.start { Self.serve(connection, state, answer) }
      }
    }
  }

  deinit {
    state.withLock { if $0.listens { shutdown(listener, Int32(SHUT_RDWR)) } }
    open()
  }

  /// The requests so far.
  var requests: [Request] { state.withLock { $0.requests } }
  /// Connections of `waitForEnd` that the other side has closed.
  var closed: Int { state.withLock { $0.closed } }

  /// Ends all `waitForGate`.
  func open() { state.change { $0.isOpen = true } }

  /// An origin's address that leads here.
  func base(_ path: String = "/base/", host: String = "127.0.0.1") -> String {
    "http://\(host):\(port)\(path)"
  }

  private static func serve(
    _ connection: Int32, _ state: Monitor<State>, _ answer: (Request) -> [Step]
  ) {
    defer { close(connection) }
    while takeRequest(connection, state, answer) {}
    // Unread bytes would have the kernel throw away what was sent.
    shutdown(connection, Int32(SHUT_WR))
    var buffer = [UInt8](repeating: 0, count: 4096)
    while recv(connection, &buffer, buffer.count, 0) > 0 {}
  }

  /// Takes a request and does what it is answered with.
  ///
  /// - Returns: true if another one is wanted.
  private static func takeRequest(
    _ connection: Int32, _ state: Monitor<State>, _ answer: (Request) -> [Step]
  ) -> Bool {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !String(decoding: bytes, as: UTF8.self).contains("\r\n\r\n") {
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return false }
      bytes += buffer[..<count]
    }
    let head = String(decoding: bytes, as: UTF8.self)
    let request = Request(
      target: head.split(separator: " ").dropFirst().first.map(String.init) ?? "", head: head)
    state.change { $0.requests.append(request) }
    for step in answer(request) {
      switch step {
      case .send(let bytes):
        var rest = bytes[...]
        while !rest.isEmpty {
          let count = rest.withUnsafeBytes {
            Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
          }
          guard count > 0 else { break }
          rest = rest.dropFirst(count)
        }
      case .waitForEnd:
        while recv(connection, &buffer, buffer.count, 0) > 0 {}
        state.change { $0.closed += 1 }
      case .waitForGate: state.wait(until: { $0.isOpen }) { _ in }
      case .wait(let seconds): sleep(seconds)
      case .takeNext: return true
      }
    }
    return false
  }

  /// A whole answer.
  static func answer(
    _ status: Int = 200, _ fields: [String] = [], _ body: [UInt8] = []
  ) -> [Step] {
    let lines = ["HTTP/1.1 \(status) Text", "Content-Length: \(body.count)"] + fields
    return [.send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)]
  }

  /// An answer that is not what it says.
  static func raw(_ head: String, _ body: [UInt8] = []) -> [Step] {
    [.send(Array((head + "\r\n\r\n").utf8) + body)]
  }
}
