import Frostglass
import FrostglassCore
import FrostglassFind
import FrostglassOptions
import FrostglassServer
import FrostglassStills
import Glibc
import Synchronization
import TestSupport
import Testing

/// Faces that the service finds where the operator lets it.
@Suite struct FindTests {
  /// Says of each image that a face is there, or none, or that it can look no more.
  private final class ToldFinder: ImageFinder {
    let faces: [Found]
    let fails: Bool
    private let sources = Mutex(0)
    private let output = Mutex<Job.Output?>(nil)

    init(_ faces: [Found], fails: Bool = false) { (self.faces, self.fails) = (faces, fails) }

    /// What the last search was for.
    var lastOutput: Job.Output? { output.withLock { $0 } }
    var asked: Int { sources.withLock { $0 } }
    var canSearch: Bool { !fails }

    func record(
      of source: StillSource, _ decoding: DecodeOptions, for output: Job.Output?,
      _ options: FindOptions
    ) async throws(Failure) -> FindRecord {
      sources.withLock { $0 += 1 }
      self.output.withLock { $0 = output }
      guard !fails else { throw Failure("the search for faces ended", .unavailable) }
      let size: Size
      do throws(DecodeError) { size = try StillDecoder(decoding).header(of: source).size } catch {
        throw Failure("\(error)", .badData)
      }
      return FindRecord(
        found: try options.divided(faces, in: size),
        models: [FindRecord.Model(name: "told.onnx", digest: "00")], effort: options.effort,
        score: options.score)
    }

    func file(_ record: FindRecord, named name: String) -> String {
      "{\"name\": \"\(name)\", \"boxes\": \(record.found.covered.map(\.box))}"
    }
  }

  private static let face = Found(x: 4, y: 4, width: 6, height: 6, score: 0.9)

  private func server(
    _ finder: ToldFinder?, _ change: (inout ServerConfiguration) -> Void = { _ in }
  ) throws -> TestServer {
    try TestServer(worker: InProcessWorker(Pipeline(backend: .fast), finder: finder)) {
      $0.limits.finds = finder != nil
      change(&$0)
    }
  }

  private func pixels(_ reply: RawClient.Reply) throws -> Image {
    try #require(reply.status == 200, "\(reply.text)")
    return try StillDecoder().decode(.bytes(reply.body)).image
  }

  @Test func whatIsFoundIsCovered() async throws {
    let server = try server(ToldFinder([Self.face]))
    let picture = try Sample.file()
    let before = try StillDecoder().decode(.bytes(picture)).image
    for target in [
      "/v1/redact?find=faces&fill=solid&color=red&grow=0&format=png",
      "/v1/blur?find=faces&sigma=9&format=png",
    ] {
      let reply = try await server.post(target, picture)
      let after = try pixels(reply)
      #expect(reply["x-frostglass-found"] == "1")
      #expect(reply["x-frostglass-note"]?.contains("1 face; lowest score 0.9") == true)
      for (x, y, isCovered) in [(6, 6, true), (9, 9, true), (1, 1, false), (20, 12, false)] {
        let isSame = (0..<3).allSatisfy {
          before.sample(x: x, y: y, channel: $0) == after.sample(x: x, y: y, channel: $0)
        }
        #expect(isSame != isCovered, "\(target) \(x), \(y)")
      }
    }
    let audit = try await server.post("/v1/redact?find=faces&audit=header", picture)
    #expect(audit["x-frostglass-audit"]?.contains("told.onnx") == true)
    #expect(audit["x-frostglass-audit"]?.contains("\"source\":\"found\"") == true, "\(audit)")
  }

  @Test func facesAreSaidAsJSON() async throws {
    let server = try server(ToldFinder([Self.face]))
    let reply = try await server.post("/v1/find?find-score=0.3", try Sample.file())
    #expect(reply.status == 200 && reply["content-type"] == "application/json", "\(reply.text)")
    #expect(reply.text.contains("\"picture\""))
    #expect(try await server.post("/v1/find?sigma=2", try Sample.file()).status == 400)
    #expect(try await server.post("/v1/find?model=x.onnx", try Sample.file()).status == 400)
    #expect(try await server.post("/v1/find?find-score=7", try Sample.file()).status == 400)
  }

  /// Nothing is answered that could be taken for an image with all faces covered.
  @Test func nothingFoundIsRefused() async throws {
    let faint = Found(x: 4, y: 4, width: 6, height: 6, score: 0.31)
    let server = try server(ToldFinder([faint]))
    let picture = try Sample.file()
    for target in ["/v1/find", "/v1/redact?find=faces", "/v1/blur?find=faces&sigma=3"] {
      let refused = try await server.post(target, picture)
      #expect(refused.status == 422 && refused.problem == "nothing-found", "\(refused.text)")
      #expect(refused.text.contains("the best has 0.31") && !refused.text.contains("--find"))
      let allowed = try await server.post(
        target + (target.contains("?") ? "&" : "?") + "allow-none", picture)
      #expect(allowed.status == 200, "\(allowed.text)")
      #expect(allowed["x-frostglass-found"] == "0")
    }
    let other = try await server.post("/v1/redact?find=faces&find-score=0.3", picture)
    #expect(other.status == 200, "\(other.text)")
  }

  /// What would leave visible what was found, and words about a search that is not asked for.
  @Test(arguments: [
    "redact?find=faces&invert", "redact?find=faces&grow=-3", "blur?sigma=2&find-score=0.5",
    "redact?find=faces&fill=mosaic&cell=2", "redact?find=faces&fill=blur&sigma=0.3",
    "blur?sigma=2&allow-none", "redact?find=plates", "redact?find=faces&find-effort=much",
  ])
  func doubtfulSearchesAreRefused(_ target: String) async throws {
    let finder = ToldFinder([Self.face])
    let server = try server(finder)
    let reply = try await server.post("/v1/\(target)", try Sample.file())
    #expect(reply.status == 400, "\(reply.text)")
    #expect(finder.asked == 0)
  }

  @Test func nobodyLooksUnlessTold() async throws {
    let server = try server(nil)
    let picture = try Sample.file()
    #expect(try await server.post("/v1/find", picture).status == 404)
    for target in ["/v1/redact?find=faces", "/v1/blur?sigma=2&allow-none"] {
      let reply = try await server.post(target, picture)
      #expect(reply.status == 422 && reply.problem == "no-find", "\(reply.text)")
    }
    for page in ["/openapi.json", "/docs"] {
      #expect(try await !server.get(page).text.contains("find-effort"))
    }
    let worker = InProcessWorker(Pipeline(backend: .fast))
    let answer = await worker.perform(WorkOrder("find", parts: ["picture": picture]))
    #expect(answer.status == 422)
  }

  @Test func aSearchThatEndedIsNobodysMistake() async throws {
    let server = try server(ToldFinder([], fails: true))
    let reply = try await server.post("/v1/redact?find=faces", try Sample.file())
    #expect(reply.status == 503 && reply.problem == "unavailable", "\(reply.text)")
    #expect(try await server.post("/v1/blur?sigma=2", try Sample.file()).status == 200)
  }

  /// Networks take long, and that is told before they begin.
  @Test func looksCountAsWork() async throws {
    let finder = ToldFinder([Self.face])
    let server = try server(finder) { $0.limits.maxWork = 0.05 }
    let picture = try Sample.file(.jpeg, width: 1200, height: 900)
    #expect(try await server.post("/v1/blur?sigma=2&format=jpg", picture).status == 200)
    for target in ["/v1/find", "/v1/blur?sigma=2&format=jpg&find=faces"] {
      let reply = try await server.post(target, picture)
      #expect(reply.status == 422 && reply.problem == "too-much-work", "\(reply.text)")
      #expect(reply.text.contains("finding faces 0.1"), "\(reply.text)")
      #expect(reply.text.contains("find-effort=quick"), "\(reply.text)")
    }
    #expect(finder.asked == 0)
  }

  /// All frames that are written are looked at.
  @Test func looksAtEachFrameCount() async throws {
    let animation = try BombTests.animation(frames: 1000)
    for (frames, isTaken) in [(1, true), (1000, false)] {
      let finder = ToldFinder([Self.face])
      let server = try server(finder) {
        $0.limits.maxFrames = frames
        $0.limits.maxWork = 0.06
      }
      for target in ["/v1/find", "/v1/redact?find=faces&format=gif"] {
        let reply = try await server.post(target, animation)
        #expect(reply.status == (isTaken ? 200 : 422), "\(frames) \(target): \(reply.text)")
        #expect(isTaken || reply.text.contains("finding faces"), "\(reply.text)")
      }
      #expect(finder.asked == (isTaken ? 2 : 0))
      let still = try await server.post("/v1/redact?find=faces&format=jpg", animation)
      #expect(still.status == 200 && finder.lastOutput?.format == .jpeg, "\(still.text)")
    }
  }

  @Test(arguments: ["sigma=0", "filter=none", "filter=brightness(1)", "sigma=0.3"])
  func filtersThatHideNothingAreRefused(_ effect: String) async throws {
    let server = try server(ToldFinder([Self.face]))
    let reply = try await server.post("/v1/blur?find=faces&\(effect)", try Sample.file())
    #expect(reply.status == 400, "\(reply.text)")
  }

  @Test func presetsHoldIt() async throws {
    let folder = try Folder()
    try folder.write("hide.json", #"{"operation": "redact", "find": "faces", "find-score": 0.4}"#)
    let server = try server(ToldFinder([Self.face])) { $0.presets = folder.path }
    let reply = try await server.post("/v1/redact?preset=hide", try Sample.file())
    #expect(reply.status == 200 && reply["x-frostglass-found"] == "1", "\(reply.text)")
    #expect(throws: Failure.self) { try self.server(nil) { $0.presets = folder.path } }
    try folder.write("find.json", #"{"operation": "find", "find-score": 0.4}"#)
    try folder.write("soft.json", #"{"operation": "blur", "find": "faces", "sigma": 9}"#)
    let others = try self.server(ToldFinder([Self.face])) { $0.presets = folder.path }
    for target in ["/v1/find?preset=find", "/v1/blur?preset=soft", "/v1/plan?preset=soft"] {
      let reply = try await others.post(target, try Sample.file())
      #expect(reply.status == 200, "\(target): \(reply.text)")
    }
    try folder.write("soft.json", #"{"operation": "blur", "find": "faces", "sigma": 0}"#)
    #expect(throws: Failure.self) {
      try self.server(ToldFinder([])) { $0.presets = folder.path }
    }
    try folder.write("soft.json", #"{"operation": "blur", "find": "faces", "sigma": 9}"#)
    try folder.write("hide.json", #"{"operation": "redact", "find": "all"}"#)
    #expect(throws: Failure.self) {
      try self.server(ToldFinder([])) { $0.presets = folder.path }
    }
  }

  private static let models = "\(Files.root)/.build/models"

  /// With the models, workers and walls that there are.
  @Test(
    .enabled(
      if: Files.bytes(of: "\(models)/centerface.onnx") != nil,
      "there are no models; scripts/models.sh takes them from PyPI"))
  func theBuiltServiceFindsThem() async throws {
    let service = try await BuiltService.start(["--find", "--spare-workers", "0"])
    let face = try Sample.photograph()
    let found = try await service.ask(TestServer.request("/v1/find?find-effort=quick", face))
    #expect(found.status == 200 && found["x-frostglass-found"] == "1", "\(found.text)")
    // What it says is what a redaction takes.
    let (body, header) = TestServer.form(
      files: [("picture", face), ("regions", found.body)], fields: [("format", "jpg")])
    let given = try await service.ask(TestServer.request("/v1/redact", body, [header]))
    #expect(given.status == 200, "\(given.text)")
    let asked = try await service.ask(
      TestServer.request("/v1/redact?find=faces&find-effort=quick&format=jpg", face))
    #expect(asked.status == 200 && asked.body == given.body, "\(asked.text)")
    for (sigma, status) in [("20", 200), ("0.3", 400)] {
      let blurred = try await service.ask(
        TestServer.request("/v1/blur?find=faces&find-effort=quick&sigma=\(sigma)", face))
      #expect(blurred.status == status, "\(blurred.text)")
    }
    let none = try await service.ask(
      TestServer.request("/v1/redact?find=faces", try Sample.photograph("rocket.jpg")))
    #expect(none.status == 422 && none.problem == "nothing-found", "\(none.text)")
    let broken = try await service.ask(
      TestServer.request("/v1/find", Array(face.prefix(face.count / 3))))
    #expect(broken.status == 422 && !broken.text.contains("/"), "\(broken.text)")
    // Each worker has a process for each of the two models, and no more.
    let looking = { @Sendable () -> [Int32] in
      service.children.flatMap { worker in
        Files.names(in: "/proc/\(worker)/task").compactMap {
          Files.text(of: "/proc/\(worker)/task/\($0)/children")
        }.flatMap { $0.split(separator: " ").compactMap { Int32($0) } }
      }
    }
    let finders = looking()
    #expect(finders.count == 4, "\(finders)")
    // One worker lost its detectors: another does its orders.
    for finder in finders.prefix(2) { kill(finder, SIGKILL) }
    for _ in 0..<3 {
      let next = try await service.ask(TestServer.request("/v1/find?find-effort=quick", face))
      #expect(next.status == 200, "\(next.text)")
    }
    #expect(await eventually { looking().count == 4 })
    for finder in looking() { kill(finder, SIGKILL) }
    // Whoever asks next may get the words of that; others come once the workers are new.
    var status = 0
    for _ in 0..<1200 where status != 200 {
      status = try await service.ask(TestServer.request("/v1/find?find-effort=quick", face)).status
      if status != 200 { try await Task.sleep(for: .milliseconds(50)) }
    }
    #expect(status == 200)
    // Detectors end with their worker, and are waited for.
    let last = looking()
    for worker in service.children { kill(worker, SIGKILL) }
    #expect(await eventually { last.allSatisfy { Files.text(of: "/proc/\($0)/stat") == nil } })
    #expect(try await service.end() == 0, "\(service.said)")
  }

  @Test func aServiceWithoutModelsDoesNotStart() async throws {
    let folder = try Folder()
    let said = await Task { () -> String in
      do {
        _ = try await BuiltService.start(
          ["--find"], environment: ["FROSTGLASS_MODELS=\(folder.path)"])
        return "it started"
      } catch let error as BuiltService.NotStarted { return error.said } catch { return "\(error)" }
    }.value
    #expect(said.contains("the models that find faces are not installed"), "\(said)")
  }
}
