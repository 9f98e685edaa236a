import FrostglassStills
import Frostglass
import FrostglassServer
import Testing

@Suite struct PlanWorkTests {
  private func problem(_ server: TestServer, _ query: String) async throws -> RawClient.Reply {
    try await server.post("/v1/blur?" + query, try Sample.file())
  }

  @Test(
    arguments: [
      ("sgma=2", "did you mean sigma?"), ("", "nothing to do"), ("sigma=-1", "sigma"),
      ("sigma=NaN", "sigma"), ("style=ligth", "did you mean light?"),
      ("filter=blur(", "column"), ("edge=round&sigma=2", "edge"),
      ("sigma=2&linear=maybe", "linear"),
      ("sigma=2&style=light&filter=invert()", "exclude"), ("sigma=2&region=1,2", "region"),
      ("sigma=2&mask=x", "part"), ("sigma=2&preset=hero", "no preset"),
      ("sigma=2&max-pixels=9000000000", "max-pixels"), ("sigma=2&overwrite=1", "overwrite"),
      ("sigma=2&backend=gl", "backend"), ("sigma=2&format=psd", "psd"),
      ("sigma=2&format=svg", "svg"), ("sigma=2&output-quality=101", "output-quality"),
    ]) func whatIsWrongIsSaid(_ query: String, _ words: String) async throws
  {
    let reply = try await problem(try TestServer(), query)
    #expect(reply.status == 400, "\(query): \(reply.text)")
    #expect(reply.text.contains(words), "\(query): \(reply.text)")
    #expect(!reply.text.contains("--"), "fields have no hyphens: \(reply.text)")
  }

  /// Repeated fields are ambiguous and refused, except regions, which are combined.
  @Test(
    arguments: [
      "sigma=2&sigma=3", "preset=hero&preset=hero",
      "sigma=2&region=0,0,4,4&invert=true&invert=false",
      "sigma=2&format=png&format=webp", "style=light&style=light",
    ]) func doublesAreRefused(_ query: String) async throws
  {
    let reply = try await problem(try TestServer(), query)
    #expect(reply.status == 400, "\(query): \(reply.text)")
    let last = query.split(separator: "&").last?.prefix { $0 != "=" } ?? ""
    #expect(reply.text.contains("\(last) is given twice"), "\(query): \(reply.text)")
  }

  @Test func regionsAreGivenSeveralTimes() async throws {
    let server = try TestServer()
    let twice = try await problem(server, "sigma=3&region=1,1,4,4&region=9,9,4,4&format=png")
    let together = try await problem(server, "sigma=3&region=1,1,4,4;9,9,4,4&format=png")
    #expect(twice.status == 200, "\(twice.text)")
    #expect(twice.body == together.body)
  }

  @Test func limitsAreTheOperators() async throws {
    let server = try TestServer { $0.limits.maxPixels = 100 }
    let reply = try await problem(server, "sigma=2")
    #expect(reply.status == 413)
    #expect(reply.problem == "too-many-pixels")
  }

  @Test func fieldsMeanWhatOptionsDo() async throws {
    let server = try TestServer()
    let file = try Sample.file()
    let picture = try Sample.decoded(file).image
    let chain = try FilterChain(text: "gaussian(3px) saturation(1.8)")
    let expected = try await Pipeline(backend: .fast).blur(
      picture, chain, options: PlanOptions(edge: .mirror, linearLight: true))
    let reply = try await problem(
      server, "filter=gaussian(3px)+saturation(1.8)&edge=mirror&linear&format=png")
    #expect(reply.status == 200, "\(reply.text)")
    #expect(try Sample.decoded(reply.body).image.bytes == expected.bytes)
    let off = try await problem(server, "sigma=3&linear=false&format=png")
    let plain = try await Pipeline(backend: .fast).blur(picture, [.gaussian(sigma: 3)])
    #expect(try Sample.decoded(off.body).image.bytes == plain.bytes)
  }

  @Test func presetsAreTheOperators() async throws {
    let folder = try Folder()
    try folder.write("hero.json", Preset([.gaussian(sigma: 3)], name: "Hero").text)
    let server = try TestServer { $0.presets = folder.path }
    #expect(try await server.get("/v1/presets").text.contains("\"hero\""))
    let reply = try await problem(server, "preset=hero&format=png")
    #expect(reply.status == 200, "\(reply.text)")
    let same = try await problem(server, "sigma=3&format=png")
    #expect(reply.body == same.body)
    #expect(try await problem(server, "preset=../hero").status == 400)
  }

  @Test func nothingButPresetsWhereThatIsDecided() async throws {
    let folder = try Folder()
    try folder.write("hero.json", Preset([.gaussian(sigma: 3)]).text)
    let server = try TestServer {
      $0.presets = folder.path
      $0.presetsOnly = true
    }
    #expect(try await problem(server, "preset=hero&format=webp").status == 200)
    for query in ["sigma=3", "preset=hero&sigma=900", "preset=hero&edge=wrap", ""] {
      #expect(try await problem(server, query).problem == "presets-only", "\(query)")
    }
    // Files say where and what, too.
    let picture = try Sample.file()
    let regions = Array(#"[{"x": 1, "y": 1, "width": 3, "height": 3}]"#.utf8)
    for (target, files) in [
      ("blur?preset=hero", [("picture", picture), ("regions", regions)]),
      ("blur?preset=hero", [("picture", picture), ("mask", picture)]),
      ("redact", [("picture", picture), ("regions", regions)]),
      ("scene", [("scene", Array(#"{"size": [9, 9], "layers": []}"#.utf8))]),
    ] {
      let form = TestServer.form(files: files)
      let reply = try await server.post("/v1/\(target)", form.body, [form.header])
      #expect(reply.status == 403 && reply.problem == "presets-only", "\(target): \(reply.text)")
    }
  }
}
