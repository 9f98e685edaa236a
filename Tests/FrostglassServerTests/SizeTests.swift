import Frostglass
import FrostglassServer
import FrostglassStills
import Testing

/// Results of another size than the image's.
@Suite struct SizeTests {
  private func size(_ reply: RawClient.Reply) throws -> Size {
    #expect(reply.status == 200, "\(reply.text)")
    return try StillDecoder().header(of: .bytes(reply.body)).size
  }

  @Test(
    arguments: [
      ("width=30", 30, 15), ("resize=30x20", 30, 15), ("height=10", 20, 10),
      ("width=30&height=20&fit=cover&gravity=attention", 30, 20),
      ("width=30&height=20&fit=contain", 30, 20), ("width=30&height=20&fit=fill", 30, 20),
      ("width=15&dpr=2", 30, 15), ("width=120", 60, 30), ("width=120&enlarge=true", 120, 60),
    ]) func everyOperationGivesTheSize(_ query: String, _ width: Int, _ height: Int) async throws
  {
    let server = try TestServer()
    let file = try Sample.file(width: 60, height: 30)
    for path in ["blur?sigma=2", "redact?region=5,5,20,20"] {
      let reply = try await server.post("/v1/\(path)&format=png&\(query)", file)
      #expect(try size(reply) == Size(width: width, height: height), "\(path)")
      #expect(reply["x-frostglass-encoded-pixels"] == "\(width * height)")
    }
    let plan = try await server.post("/v1/plan?sigma=2&\(query)", file)
    #expect(plan.text.contains("\"width\":\(width)"), "\(plan.text)")
  }

  @Test(
    arguments: [
      ("width=0", "width"), ("fit=cover", "needs a size"), ("width=5&fit=crop", "inside"),
      ("width=5&resize=5x5", "exclude"), ("width=5&gravity=top", "gravity is for"),
    ]) func whatMakesNoSenseIsRefused(_ query: String, _ words: String) async throws
  {
    let reply = try await TestServer().post("/v1/blur?sigma=2&\(query)", try Sample.file())
    #expect(reply.status == 400 && reply.text.contains(words), "\(reply.text)")
    #expect(!reply.text.contains("--"), "\(reply.text)")
  }

  @Test func limitsHoldForBothSizes() async throws {
    let server = try TestServer { $0.limits.maxPixels = 2000 }
    let file = try Sample.file(width: 60, height: 30)
    #expect(try await server.post("/v1/blur?sigma=2&width=10", file).status == 200)
    for query in ["blur?sigma=2", "redact?region=1,1,5,5"] {
      let large = try await server.post("/v1/\(query)&width=600&enlarge=true", file)
      #expect(large.status == 413 && large.problem == "too-many-pixels", "\(large.text)")
      #expect(large.text.contains("600×300"), "\(large.text)")
    }
  }

  /// The cost of filters follows from the size of the result.
  @Test func aSmallResultOfALargeImageIsLittleWork() async throws {
    let server = try TestServer { $0.limits.maxWork = 0.2 }
    let file = try Sample.file(.jpeg, width: 1200, height: 900)
    let query = "/v1/blur?filter=bilateral(10px)&format=png"
    let refused = try await server.post(query, file)
    #expect(refused.status == 422 && refused.problem == "too-much-work", "\(refused.text)")
    #expect(try size(await server.post(query + "&width=40", file)) == Size(width: 40, height: 30))
  }
}
