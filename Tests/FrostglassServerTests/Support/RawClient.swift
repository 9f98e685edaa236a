import FrostglassCore
import Glibc

/// A client that sends exactly what it is told, and waits no longer than some seconds.
///
/// Its calls wait in the thread they are made in: use it within `onThread`.
final class RawClient: @unchecked Sendable {
  private let socket: Int32
  private var pending: [UInt8] = []

  struct Failure: Error {
    let reason: String
  }

  /// A response.
  struct Reply {
    let status: Int
    let headers: [(name: String, value: String)]
    let body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }

    subscript(name: String) -> String? { headers.first { $0.name.lowercased() == name }?.value }

    /// The kind of the problem that the body describes.
    var problem: String? {
      guard self["content-type"] == "application/problem+json",
        case .object(let members)? = (try? JSONValue(text: text))?.content,
        case .string(let type)? = members.first(where: { $0.name == "type" })?.value.content
      else { return nil }
      return type.split(separator: ":").last.map(String.init)
    }
  }

  init(port: Int, seconds: Int = 600) throws {
    // A program that another test starts would keep the connection open.
    socket = Glibc.socket(
      AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var limit = timeval(tv_sec: seconds, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(socket, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else { throw Failure(reason: "connect: \(errno)") }
  }

  deinit { close(socket) }

  /// Sends bytes; a server that has closed already is no failure.
  func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  func send(_ text: String) { send(Array(text.utf8)) }

  /// Says that nothing more comes.
  func finish() { shutdown(socket, Int32(SHUT_WR)) }

  /// The next answer.
  ///
  /// - Parameter hasBody: true if a body follows the head.
  func reply(hasBody: Bool = true) throws -> Reply {
    let blank = Array("\r\n\r\n".utf8)
    var end: Int?
    while true {
      end = pending.indices.first { pending[$0...].starts(with: blank) }
      if end != nil { break }
      guard try more() else { throw Failure(reason: "closed before an answer: \(pending.count)") }
    }
    let head = String(decoding: pending[..<(end ?? 0)], as: UTF8.self)
    pending.removeFirst((end ?? 0) + blank.count)
    let lines = head.split(separator: "\r\n").map(String.init)
    let status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    let headers = lines.dropFirst().compactMap { line -> (name: String, value: String)? in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      return (String(line[..<colon]), String(value))
    }
    let length = headers.first { $0.name.lowercased() == "content-length" }.flatMap {
      Int($0.value)
    }
    let count = hasBody && ![204, 304].contains(status) ? length ?? 0 : 0
    while pending.count < count {
      guard try more() else { throw Failure(reason: "closed within a body") }
    }
    let body = Array(pending[..<count])
    pending.removeFirst(count)
    return Reply(status: status ?? 0, headers: headers, body: body)
  }

  /// Returns true if the server ends the connection, and all bytes before that.
  func rest() -> (bytes: [UInt8], isClosed: Bool) {
    while true {
      do { if try !more() { return (pending, true) } } catch { return (pending, false) }
    }
  }

  /// True if the server has ended the connection. Does not wait.
  var isClosedByNow: Bool {
    var byte: UInt8 = 0
    let count = recv(socket, &byte, 1, Int32(MSG_DONTWAIT) | Int32(MSG_PEEK))
    return count == 0 || count < 0 && errno != EAGAIN
  }

  private func more() throws -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = recv(socket, &buffer, buffer.count, 0)
    if count == 0 || count < 0 && errno == ECONNRESET { return false }
    guard count > 0 else { throw Failure(reason: "nothing came: \(errno)") }
    pending += buffer[..<count]
    return true
  }
}

/// Runs something that waits on a thread of its own, so that the tasks of the server go on.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value
{
  try await ThreadPool().run { () -> Result<Value, any Error> in Result { try body() } }.get()
}
