import Foundation
import TestSupport
import Testing

/// The configuration in deploy/nginx.conf, run by Debian's nginx before a service.
@Suite(
  .enabled(
    if: RunningService.has("nginx", "curl", "openssl"), "needs nginx-light, curl and openssl"))
struct NginxTests {
  private let scratch: Scratch
  private let service: RunningService
  private let nginx: RunningCommand
  private let url: String

  init() throws {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.file())
    try scratch.addFolder("pictures")
    try scratch.add("pictures/a.png", SampleImage.file())
    service = try RunningService(scratch, ["--pictures", "pictures"])
    let certificate = try CommandRun(
      "openssl",
      [
        "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
        "-keyout", "key.pem", "-out", "certificate.pem",
      ], in: scratch.path)
    #expect(certificate.exitCode == 0, "\(certificate)")
    let port = try Self.freePort()
    url = "https://127.0.0.1:\(port)"
    var text = try #require(Files.text(of: "\(Files.root)/deploy/nginx.conf"))
    let changes = [
      ("worker_processes auto;", "worker_processes 1; user root;"),
      ("/run/nginx.pid", scratch / "pid"), ("/var/log/nginx/", scratch.path + "/"),
      ("/var/cache/nginx/", scratch.path + "/"), ("/etc/nginx/tls/", scratch.path + "/"),
      ("listen 443", "listen 127.0.0.1:\(port)"),
      ("127.0.0.1:8080", String(service.address.dropFirst("http://".count))),
      (
        "http {",
        "http { "
          + ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
          .map { "\($0)_temp_path \(scratch / $0);" }.joined()
      ),
    ]
    for (old, new) in changes {
      #expect(text.contains(old), "\(old)")
      text = text.replacing(old, with: new)
    }
    try scratch.add("nginx.conf", Array(text.utf8))
    self.scratch = scratch
    nginx = try RunningCommand(
      "/usr/sbin/nginx",
      ["-c", scratch / "nginx.conf", "-e", scratch / "start.log", "-g", "daemon off;"],
      in: scratch.path)
    for _ in 0..<200 {
      usleep(50_000)
      if try ask("/health/live").hasPrefix("200") { return }
    }
    Issue.record("nginx does not answer: \(nginx.errorsSoFar)")
  }

  private static func freePort() throws -> Int {
    let run = try CommandRun(
      "python3",
      [
        "-c",
        "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])",
      ],
      in: "/tmp")
    return try #require(Int(run.text.filter { !$0.isNewline }))
  }

  /// Status, HTTP version and some header fields of an answer.
  private func ask(_ target: String, _ arguments: [String] = []) throws -> String {
    let run = try CommandRun(
      "curl",
      [
        "-sk", "--max-time", "30", "-o", "reply", "-D", "head", "-w",
        "%{http_code} %{http_version} %{content_type} %header{x-cache}",
      ] + arguments + [url + target], in: scratch.path)
    return run.text
  }

  private func stop() throws {
    nginx.send(SIGTERM)
    _ = try nginx.end()
    service.send(SIGTERM)
    #expect(try service.end().exitCode == 0)
  }

  /// An address and an Accept field that run together are not those of somebody else, and what a browser says
  /// beside the formats makes no new entry.
  @Test func noAddressFillsTheEntryOfAnother() throws {
    let picture = "/v1/pictures/a.png?sigma=2&region=0,0,8,1"
    let poisoned = try ask(picture, ["-H", "Accept: 0image/webp,image/webp"])
    #expect(poisoned.hasPrefix("200 2 image/webp MISS"), "\(poisoned)")
    let other = try ask(picture + "0", ["-H", "Accept: image/webp,image/webp"])
    #expect(other.hasPrefix("200 2 image/webp MISS"), "\(other)")
    // Each of these is answered from what the first has left.
    for accept in ["image/webp", "text/html,image/webp,*/*;q=0.8", "image/webp;q=0.3, x/y"] {
      let again = try ask(picture, ["-H", "Accept: \(accept)"])
      #expect(again == "200 2 image/webp HIT", "\(accept)")
    }
    let refused = try ask(picture, ["-H", "Accept: image/webp;q=0, image/png"])
    #expect(refused == "200 2 image/png MISS", "\(refused)")
    // Where the address names the format, nothing of Accept counts.
    let named = picture + "&format=jpg"
    #expect(try ask(named, ["-H", "Accept: image/webp"]).hasSuffix(" MISS"))
    #expect(try ask(named, ["-H", "Accept: anything"]) == "200 2 image/jpeg HIT")
    try stop()
  }

  @Test func itServesLimitsAndKeeps() throws {
    // TLS and HTTP/2 before a service that has neither.
    let blur = try ask("/v1/blur?sigma=2", ["--data-binary", "@in.png"])
    #expect(blur.hasPrefix("200 2 image/png"), "\(blur)")
    // A result is kept, and another one is another.
    let picture = "/v1/pictures/a.png?sigma=2"
    #expect(try ask(picture).hasSuffix(" MISS"))
    #expect(try ask(picture).hasSuffix(" HIT"))
    #expect(try ask("/v1/pictures/a.png?sigma=3").hasSuffix(" MISS"))
    let image = "/v1/images?src=pictures/a.png&sigma=4"
    #expect(try ask(image).hasSuffix(" MISS"))
    #expect(try ask(image).hasSuffix(" HIT"))
    #expect(try ask(picture, ["-H", "Accept: image/webp"]).hasPrefix("200 2 image/webp MISS"))
    // Too long is too long here already.
    try scratch.add("large", [UInt8](repeating: 0, count: 34 << 20))
    #expect(try ask("/v1/blur?sigma=2", ["--data-binary", "@large"]).hasPrefix("413"))
    // Escapes are handed on as they are.
    #expect(try ask("/v1/pictures/%2e%2e/in.png?sigma=2", ["--path-as-is"]).hasPrefix("40"))
    // More than a client may have at once.
    let many = try CommandRun(
      "curl",
      [
        "-skZ", "--parallel-max", "100", "--max-time", "60", "-w", "%{http_code} ", "-o", "reply#1",
        "--data-binary", "@in.png", url + "/v1/plan?sigma=[1-100]",
      ], in: scratch.path)
    #expect(many.text.contains("200 ") && many.text.contains("429 "), "\(many)")
    try stop()
  }
}
