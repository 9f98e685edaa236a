import FrostglassStills
import FrostglassServer
import FrostglassSigning
import Glibc
import Testing

/// Images of the origin `pictures`: below their folder and nowhere else, and answers that caches understand.
@Suite struct ImagesTests {
  private let folder: Folder
  private let server: TestServer

  init() throws {
    let folder = try Folder()
    self.folder = folder
    try Self.fill(folder)
    server = try TestServer { $0.pictures = folder.path + "/in" }
  }

  /// A folder `in` with images, and beside it, and behind links, what is not to be had.
  static func fill(_ folder: Folder) throws {
    mkdir("\(folder.path)/in", 0o755)
    mkdir("\(folder.path)/in/sub", 0o755)
    try folder.write("in/a.png", try Sample.file())
    try folder.write("in/sub/b c.png", try Sample.file())
    try folder.write("in/text.png", "not an image")
    try folder.write("outside.png", try Sample.file())
    symlink("../outside.png", "\(folder.path)/in/out.png")
    symlink("\(folder.path)/outside.png", "\(folder.path)/in/absolute.png")
    symlink("a.png", "\(folder.path)/in/inside.png")
    symlink("/", "\(folder.path)/in/root")
    mkfifo("\(folder.path)/in/pipe.png", 0o644)
  }

  @Test func imagesAreBlurred() async throws {
    for path in ["a.png", "sub/b%20c.png", "inside.png", "sub/../a.png"] {
      let reply = try await server.get("/v1/pictures/\(path)?sigma=2")
      #expect(reply.status == 200, "\(path): \(reply.text)")
      #expect(reply["content-type"] == "image/png")
    }
    let filled = try await server.get("/v1/pictures/a.png?operation=fill&aspect=1:1")
    #expect(filled.status == 200, "\(filled.text)")
    #expect(try await server.get("/v1/pictures/a.png?operation=scene").status == 400)
  }

  /// Paths out of the folder, and such as lead nowhere.
  static let elsewhere = [
    "out.png", "absolute.png", "../outside.png", "%2e%2e/outside.png", "sub/../../outside.png",
    "root/etc/passwd", "/etc/passwd", "%2Fetc%2Fpasswd", "nothing.png", "sub", ".", "..",
    "pipe.png", "a.png/", "a.png%2f..%2f..%2foutside.png", "..%5Coutside.png",
  ]

  @Test(arguments: elsewhere) func nothingElseIsThere(_ path: String) async throws {
    let reply = try await server.get("/v1/pictures/\(path)?sigma=2")
    #expect(reply.status == 404, "\(path): \(reply.text)")
    // Who asks cannot tell what there is.
    #expect(reply.problem == "no-such-picture")
  }

  @Test func otherFilesAreNoImages() async throws {
    #expect(try await server.get("/v1/pictures/text.png?sigma=2").status == 415)
  }

  @Test func cachesGetWhatTheyNeed() async throws {
    let target = "/v1/pictures/a.png?sigma=2"
    let first = try await server.get(target)
    let tag = try #require(first["etag"])
    let modified = try #require(first["last-modified"])
    #expect(first["cache-control"] == "public, max-age=3600")
    #expect(first["vary"] == "Accept")
    for header in [
      "If-None-Match: \(tag)", "If-None-Match: \"x\", W/\(tag)", "If-None-Match: *",
      "If-Modified-Since: \(modified)",
    ] {
      let again = try await server.get(target, [header])
      #expect(again.status == 304, "\(header)")
      #expect(again.body.isEmpty && again["etag"] == tag)
      #expect(again["cache-control"] == "public, max-age=3600")
      // That of the image, which was made before.
      #expect(again["content-length"] == "\(first.body.count)")
      #expect(again["transfer-encoding"] == nil && again["connection"] == nil)
    }
    #expect(try await server.get(target, ["If-None-Match: \"x\""]).status == 200)
    // A tag decides where there is one.
    let both = ["If-None-Match: \"x\"", "If-Modified-Since: \(modified)"]
    #expect(try await server.get(target, both).status == 200)
    let old = "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT"
    #expect(try await server.get(target, [old]).status == 200)
  }

  /// Nothing but the end of the connection says that nothing follows, for who does not know the status.
  @Test func theConnectionEndsWithNoLength() async throws {
    let target = "/v1/pictures/a.png?sigma=2"
    let tag = try #require(try await server.get(target)["etag"])
    // One that has made no image knows no length.
    let other = try TestServer { [folder] in $0.pictures = folder.path + "/in" }
    let (reply, rest) = try await onThread { [port = other.port] in
      let client = try RawClient(port: port)
      client.send("GET \(target) HTTP/1.1\r\nHost: a\r\nIf-None-Match: \(tag)\r\n\r\n")
      return (try client.reply(), client.rest())
    }
    #expect(reply.status == 304 && reply["connection"] == "close")
    #expect(reply["content-length"] == nil && reply["transfer-encoding"] == nil)
    #expect(rest.bytes.isEmpty && rest.isClosed)
  }

  /// Conditional requests for page after page need one connection.
  @Test func theConnectionGoesOnWhereTheLengthIsKnown() async throws {
    let target = "/v1/pictures/a.png?sigma=2"
    let first = try await server.get(target)
    let tag = try #require(first["etag"])
    try await onThread { [port = server.port] in
      let client = try RawClient(port: port)
      for method in ["GET", "HEAD", "GET", "HEAD"] {
        let condition = method == "GET" ? "If-None-Match: \(tag)\r\n" : ""
        client.send("\(method) \(target) HTTP/1.1\r\nHost: a\r\n\(condition)\r\n")
        let reply = try client.reply(hasBody: false)
        #expect(reply.status == (method == "GET" ? 304 : 200))
        #expect(
          reply.headers.filter { $0.name == "Content-Length" }.map(\.value) == [
            "\(first.body.count)"
          ])
        #expect(reply["connection"] == nil && reply["transfer-encoding"] == nil)
      }
      client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try client.reply().body == first.body)
    }
  }

  @Test func anotherResultHasAnotherTag() async throws {
    var tags: Set<String> = []
    for query in ["sigma=2", "sigma=3", "sigma=2&format=webp", "sigma=2&edge=wrap"] {
      tags.insert(try #require(try await server.get("/v1/pictures/a.png?\(query)")["etag"]))
    }
    let webp = try await server.get("/v1/pictures/a.png?sigma=2", ["Accept: image/avif"])
    tags.insert(try #require(webp["etag"]))
    #expect(tags.count == 5)
    try folder.write("in/a.png", try Sample.file(width: 30))
    let changed = try await server.get("/v1/pictures/a.png?sigma=2")
    #expect(!tags.contains(changed["etag"] ?? ""))
  }

  @Test func signaturesAreNoPartOfATag() async throws {
    let keys = try SigningKeys(text: "k:0123456789abcdef")
    let server = try TestServer { [folder] in
      $0.pictures = folder.path + "/in"
      $0.keys = keys
    }
    let target = "/v1/pictures/a.png?sigma=2"
    var tags: Set<String> = []
    for expires in [4_000_000_000, 4_000_000_001] {
      let address = SignedTarget.signed(target, method: "GET", keys: keys, expires: expires)
      tags.insert(try #require(try await server.get(address)["etag"]))
    }
    #expect(tags.count == 1)
    #expect(try await server.get(target).status == 403)
  }

  /// Images that are read count among the buffered bodies while they wait.
  @Test func whatIsReadCountsAmongBodies() async throws {
    let worker = WaitingWorker()
    let size = try Sample.file().count
    let server = try TestServer(worker: worker, jobs: 1) { [folder] in
      $0.pictures = folder.path + "/in"
      $0.buffer = size + size / 2
    }
    let first = Task { try await server.get("/v1/pictures/a.png?sigma=3").status }
    #expect(await eventually { worker.started == 1 })
    #expect(server.server.service.gate.bytes == size)
    let second = try await server.get("/v1/pictures/sub/b%20c.png?sigma=3")
    #expect(second.status == 429 && second.problem == "overloaded", "\(second.text)")
    #expect(second["retry-after"] != nil)
    worker.open()
    #expect(try await first.value == 200)
    #expect(await eventually { server.server.service.gate.bytes == 0 })
    #expect(try await server.get("/v1/pictures/sub/b%20c.png?sigma=3").status == 200)
  }

  /// The head says all but the length, and no worker is asked. Until GET was answered nobody may keep it, as that may
  /// be refused.
  @Test func headsMakeNoImage() async throws {
    let target = "/v1/pictures/a.png?sigma=2&format=webp"
    let worker = WaitingWorker()
    let idle = try TestServer(worker: worker) { $0.pictures = "\(folder.path)/in" }
    let reply = try await idle.ask(
      "HEAD \(target) HTTP/1.1\r\nHost: a\r\n\r\n", hasBody: false)
    #expect(reply.status == 200 && reply["content-length"] == nil)
    #expect(reply["content-type"] == "image/webp" && worker.started == 0)
    let whole = try await server.get(target)
    #expect(whole["etag"] != nil && whole["etag"] == reply["etag"])
    #expect(reply["cache-control"] == "no-store")
    let next = try await server.ask(
      "HEAD \(target) HTTP/1.1\r\nHost: a\r\n\r\n", hasBody: false)
    #expect(next.status == 200 && next["cache-control"] == whole["cache-control"])
    #expect(next["cache-control"]?.hasPrefix("public") == true)
  }

  @Test func headsOfOtherFilesAreRefused() async throws {
    try folder.write("in/text.png", "hello")
    let reply = try await server.ask(
      "HEAD /v1/pictures/text.png?sigma=2 HTTP/1.1\r\nHost: a\r\n\r\n", hasBody: false)
    #expect(reply.status == 415 && reply["cache-control"] == "no-store")
  }

  @Test func timesAreReadAsTheyAreWritten() {
    for seconds in [0, 784_111_777, 1_700_000_000, 4_102_444_799] {
      #expect(HTTPDate.seconds(HTTPDate.text(seconds)) == seconds)
    }
    #expect(HTTPDate.text(784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
    for text in [
      "", "x", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
      "Sun, 06 Nov 9999 2147483647:2147483647:-2147483648 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
    ] {
      #expect(HTTPDate.seconds(text) == nil)
    }
  }
}
