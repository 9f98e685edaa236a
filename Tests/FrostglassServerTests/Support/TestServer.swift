import Frostglass
import FrostglassServer
import FrostglassSigning
import FrostglassStills
import Glibc
import Synchronization
import Testing
import TestSupport

/// A server in this process, on a free port of loopback.
final class TestServer: Sendable {
  let server: Server
  let port: Int
  private let lines: Lines

  private final class Lines: Sendable {
    let all = Mutex<[String]>([])
  }

  /// - Parameters:
  ///   - worker: `nil` for one that works.
  ///   - jobs: that the worker takes at once.
  ///   - change: of the configuration.
  init(
    worker: (any Worker)? = nil, jobs: Int = 2,
    _ change: (inout ServerConfiguration) -> Void = { _ in }
  ) throws {
    var configuration = ServerConfiguration()
    configuration.listen = .tcp(host: "127.0.0.1", port: 0)
    // All tests run at once: limits that a test is not about are far away.
    configuration.limits.seconds = 600
    configuration.connections.headSeconds = 600
    configuration.connections.bodySeconds = 600
    configuration.connections.answerSeconds = 600
    configuration.connections.patience = 600
    change(&configuration)
    let lines = Lines()
    self.lines = lines
    server = try Server(
      configuration, worker: worker ?? InProcessWorker(Pipeline(backend: .fast)), jobs: jobs
    ) { line in lines.all.withLock { $0.append(line) } }
    guard case .tcp(_, let port) = server.address else { fatalError("no port") }
    self.port = port
  }

  deinit { server.stop() }

  /// The lines of the log.
  var log: [String] { lines.all.withLock { $0 } }

  /// Sends a request as it is and reads its answer.
  func ask(_ text: String, hasBody: Bool = true) async throws -> RawClient.Reply {
    try await ask(Array(text.utf8), hasBody: hasBody)
  }

  func ask(_ bytes: [UInt8], hasBody: Bool = true) async throws -> RawClient.Reply {
    try await onThread { [port] in
      let client = try RawClient(port: port)
      client.send(bytes)
      return try client.reply(hasBody: hasBody)
    }
  }

  func get(_ target: String, _ headers: [String] = []) async throws -> RawClient.Reply {
    try await ask(
      (["GET \(target) HTTP/1.1", "Host: test"] + headers).joined(separator: "\r\n") + "\r\n\r\n",
      hasBody: true)
  }

  func post(
    _ target: String, _ body: [UInt8], _ headers: [String] = []
  ) async throws -> RawClient.Reply {
    try await ask(Self.request(target, body, headers))
  }

  /// A request with a body, as bytes.
  static func request(_ target: String, _ body: [UInt8], _ headers: [String] = []) -> [UInt8] {
    let lines =
      ["POST \(target) HTTP/1.1", "Host: test", "Content-Length: \(body.count)"] + headers
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
  }

  /// A form with files and fields, and the header field that goes with it.
  static func form(
    files: [(String, [UInt8])], fields: [(String, String)] = []
  ) -> (body: [UInt8], header: String) {
    var body: [UInt8] = []
    for (name, value) in fields {
      body += Array(
        "--cut\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8)
    }
    for (name, bytes) in files {
      body += Array(
        ("--cut\r\nContent-Disposition: form-data; name=\"\(name)\"; filename=\"a;b\\\".jpg\"\r\n"
          + "Content-Type: image/jpeg\r\n\r\n").utf8)
      body += bytes + Array("\r\n".utf8)
    }
    return (body + Array("--cut--\r\n".utf8), "Content-Type: multipart/form-data; boundary=cut")
  }
}

/// Images in memory.
enum Sample {
  /// A photograph, as it lies in a file.
  static func photograph(_ name: String = "astronaut.jpg") throws -> [UInt8] {
    try #require(Files.bytes(of: "\(Photographs.folder)/\(name)"))
  }

  /// A small image with a slope, as a file.
  static func file(_ format: StillFormat = .png, width: Int = 24, height: Int = 16) throws
    -> [UInt8]
  {
    var image = Image(zeros: Size(width: width, height: height), format: .rgb8)
    for index in image.bytes.indices { image.bytes[index] = UInt8(truncatingIfNeeded: index) }
    let pixels = format.pixelFormat(preserving: .rgb8)
    return try StillEncoder().encode(
      pixels == .rgb8 ? image : Image(zeros: image.size, format: pixels), as: format)
  }

  static func decoded(_ file: [UInt8]) throws -> Still {
    try StillDecoder().decode(.bytes(file))
  }
}

/// A worker that does nothing until it is told, or its task is cancelled.
final class WaitingWorker: Worker {
  private struct State {
    var started = 0
    var cancelled = 0
    var isOpen = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// Orders that have come, and those that were cancelled; without those that try it out.
  var started: Int { state.withLock { $0.started } }
  var cancelled: Int { state.withLock { $0.cancelled } }

  func perform(_ order: WorkOrder) async -> WorkAnswer {
    let done = WorkAnswer(status: 200, contentType: "image/png", body: Array("done".utf8))
    // The small image that readiness is tried with.
    guard order.fields.first?.value != "2" else { return done }
    state.withLock { $0.started += 1 }
    while !Task.isCancelled, !state.withLock({ $0.isOpen }) {
      try? await Task.sleep(for: .milliseconds(5))
    }
    if Task.isCancelled { state.withLock { $0.cancelled += 1 } }
    return done
  }

  /// Lets all go on, now and later.
  func open() { state.withLock { $0.isOpen = true } }
}

/// Waits until something holds; `false` where it does not within two minutes.
func eventually(_ holds: @Sendable () -> Bool) async -> Bool {
  for _ in 0..<24_000 {
    if holds() { return true }
    try? await Task.sleep(for: .milliseconds(5))
  }
  return holds()
}
