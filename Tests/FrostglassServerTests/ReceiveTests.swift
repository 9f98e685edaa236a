import FrostglassCore
import FrostglassServer
import FrostglassStills
import Testing

@Suite struct ReceiveTests {
  /// Announced lengths are refused before a byte of them was read.
  @Test func anAnnouncedOversizeIsRefusedUnread() async throws {
    let server = try TestServer { $0.mostBytes = 1000 }
    let (reply, isClosed) = try await onThread { [port = server.port] in
      let client = try RawClient(port: port)
      client.send("POST /v1/blur?sigma=2 HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\n\r\n")
      let reply = try client.reply()
      return (reply, client.rest().isClosed)
    }
    #expect(reply.status == 413)
    #expect(reply.problem == "body-too-long")
    #expect(isClosed)
    #expect(await eventually { server.server.service.gate.bytes == 0 })
  }

  @Test func aWaitingClientIsSpared() async throws {
    let server = try TestServer { $0.mostBytes = 1000 }
    let reply = try await server.ask(
      "POST /v1/blur HTTP/1.1\r\nHost: a\r\nContent-Length: 2000\r\nExpect: 100-continue\r\n\r\n")
    #expect(reply.status == 413, "and not 100")
    let odd = try await server.ask(
      "POST /v1/blur HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: cake\r\n\r\nab")
    #expect(odd.status == 417)
  }

  @Test func chunksThatAreTooLongAreSwallowedThenRefused() async throws {
    let server = try TestServer { $0.mostBytes = 100_000 }
    let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 7, count: 0x10000) + Array("\r\n".utf8)
    let reply = try await onThread { [port = server.port] in
      let client = try RawClient(port: port)
      client.send(
        "POST /v1/blur?sigma=2 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
      for _ in 0..<8 { client.send(chunk) }
      client.send("0\r\n\r\n")
      return try client.reply()
    }
    #expect(reply.status == 413)
    #expect(await eventually { server.server.service.gate.bytes == 0 })
  }

  @Test func endlessChunksEndTheConnection() async throws {
    let server = try TestServer {
      $0.mostBytes = 1000
      $0.connections.mostExcess = 100_000
    }
    let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 7, count: 0x10000) + Array("\r\n".utf8)
    let isClosed = try await onThread { [port = server.port] in
      let client = try RawClient(port: port)
      client.send(
        "POST /v1/blur?sigma=2 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
      for _ in 0..<64 { client.send(chunk) }
      return client.rest().isClosed
    }
    #expect(isClosed)
  }

  @Test func allBodiesTogetherHaveAnEnd() async throws {
    let server = try TestServer {
      $0.mostBytes = 1_000_000
      $0.buffer = 10_000
    }
    let reply = try await server.post("/v1/blur?sigma=2", [UInt8](repeating: 7, count: 20_000))
    #expect(reply.status == 429)
    #expect(try await server.post("/v1/blur?sigma=2", try Sample.file()).status == 200)
  }

  @Test func formsHoldAnImageAMaskAndFields() async throws {
    let server = try TestServer()
    let picture = try Sample.file(width: 40, height: 40)
    var mask = Image(zeros: Size(width: 40, height: 40), format: .gray8)
    for index in 0..<800 { mask.bytes[index] = 255 }
    let form = TestServer.form(
      files: [("picture", picture), ("mask", try StillEncoder().encode(mask, as: .png))],
      fields: [("sigma", "4"), ("format", "png")])
    let reply = try await server.post("/v1/blur", form.body, [form.header])
    #expect(reply.status == 200, "\(reply.text)")
    let (before, after) = (try Sample.decoded(picture).image, try Sample.decoded(reply.body).image)
    let half = before.bytesPerRow * 20
    #expect(
      after.bytes[half...] == before.bytes[half...], "where the mask is black, nothing changes")
    let everywhere = try await server.post("/v1/blur?sigma=4&format=png", picture)
    #expect(everywhere.status == 200, "\(everywhere.text)")
    let blurred = try Sample.decoded(everywhere.body).image
    #expect(
      zip(after.bytes[..<half], blurred.bytes[..<half]).allSatisfy {
        abs(Int($0) - Int($1)) <= 1
      }, "where it is white, the picture is blurred")
    #expect(before.bytes[..<half] != blurred.bytes[..<half])
  }

  @Test func emptyFileFieldsOfBrowsersAreNothing() async throws {
    let server = try TestServer()
    let picture = try Sample.file()
    let body =
      Array(
        ("--cut\r\nContent-Disposition: form-data; name=\"mask\"; filename=\"\"\r\n"
          + "Content-Type: application/octet-stream\r\n\r\n\r\n").utf8)
      + TestServer.form(files: [("picture", picture)], fields: [("sigma", "1")]).body
    let header = "Content-Type: multipart/form-data; boundary=\"cut\""
    #expect(try await server.post("/v1/blur", body, [header]).status == 200)
  }

  @Test(
    arguments: [
      "", "--cut", "--cut--", "--cut\r\n", "--cut\r\n\r\n", "--cut\r\nA: b\r\n\r\nx\r\n--cut--",
      "--cut\r\nContent-Disposition: form-data; name=\"picture\"\r\n\r\nno end",
      "--cut\r\nContent-Disposition: form-data; name=\"picture\"\r\n\r\n\r\n--cutx",
      "--cut\r\nContent-Disposition: attachment; name=\"picture\"\r\n\r\nx\r\n--cut--",
      "--cut\r\nContent-Disposition: form-data\r\n\r\nx\r\n--cut--",
      "--other\r\nContent-Disposition: form-data; name=\"picture\"\r\n\r\nx\r\n--other--",
    ]) func brokenFormsAreRefused(_ text: String) async throws
  {
    let server = try TestServer()
    let reply = try await server.post(
      "/v1/blur?sigma=1", Array(text.utf8), ["Content-Type: multipart/form-data; boundary=cut"])
    #expect(reply.status == 400, "\(reply.text)")
  }

  @Test func unknownAndDoubleFilesAreRefused() async throws {
    let server = try TestServer()
    let picture = try Sample.file()
    for files in [
      [("picture", picture), ("picture", picture)], [("picture", picture), ("x", picture)],
    ] {
      let form = TestServer.form(files: files, fields: [("sigma", "1")])
      #expect(try await server.post("/v1/blur", form.body, [form.header]).status == 400)
    }
    let boundless = try await server.post(
      "/v1/blur?sigma=1", picture, ["Content-Type: multipart/form-data"])
    #expect(boundless.status == 400)
  }

  /// Other services call it file, image or upload.
  @Test func theOnlyFileIsTheImage() async throws {
    let server = try TestServer()
    let picture = try Sample.file()
    for name in ["file", "image", "a b"] {
      let form = TestServer.form(files: [(name, picture)], fields: [("sigma", "1")])
      let reply = try await server.post("/v1/blur", form.body, [form.header])
      #expect(reply.status == 200, "\(name): \(reply.text)")
    }
    // A mask alone is a mask, and of two files none is meant rather than the other.
    for files in [[("mask", picture)], [("file", picture), ("mask", picture)]] {
      let form = TestServer.form(files: files, fields: [("sigma", "1")])
      #expect(try await server.post("/v1/blur", form.body, [form.header]).status == 400)
    }
  }
}
