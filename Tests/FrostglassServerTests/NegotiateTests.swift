import FrostglassStills
import FrostglassServer
import Testing

@Suite struct NegotiateTests {
  private func type(_ accept: String?, _ query: String = "") async throws -> (Int, String?) {
    let server = try TestServer()
    let reply = try await server.post(
      "/v1/blur?sigma=2" + query, try Sample.file(.jpeg), accept.map { ["Accept: \($0)"] } ?? [])
    #expect(query != "" || reply.status != 200 || reply["vary"] == "Accept")
    return (reply.status, reply["content-type"])
  }

  @Test(
    arguments: [
      (nil, "image/jpeg"), ("*/*", "image/jpeg"), ("image/*", "image/jpeg"),
      ("image/webp,*/*;q=0.8", "image/webp"), ("image/png", "image/png"),
      ("image/jxl,*/*;q=0.8", "image/jxl"), ("image/jxl,image/webp", "image/webp"),
      ("image/avif;q=0.5, image/png;q=0.9, */*;q=0.1", "image/png"),
      ("image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8", "image/webp"),
      ("image/webp;q=0, image/png", "image/png"), ("TEXT/HTML, IMAGE/WEBP", "image/webp"),
      ("image/jpeg;q=0.9, image/png;q=0.9", "image/jpeg"), ("image/gif", "image/gif"),
      ("image/tiff", "image/tiff"), ("image/gif, image/webp;q=0.5", "image/gif"),
      ("image/gif, image/webp", "image/webp"), ("image/heic", "image/heic"),
      ("image/bmp", "image/bmp"),
    ]) func theBestThatIsAcceptedIsChosen(_ accept: String?, _ expected: String) async throws
  {
    let (status, type) = try await type(accept)
    #expect(status == 200)
    #expect(type == expected, "\(accept ?? "nothing")")
  }

  /// Several lines of a field are one.
  @Test func severalLinesCount() async throws {
    let reply = try await TestServer().post(
      "/v1/blur?sigma=2", try Sample.file(.jpeg), ["Accept: text/html", "Accept: image/png"])
    #expect(reply.status == 200 && reply["content-type"] == "image/png")
  }

  @Test func aFieldDecides() async throws {
    #expect(try await type("image/webp", "&format=png").1 == "image/png")
  }

  @Test func nothingAcceptableIsSaid() async throws {
    #expect(try await type("text/html").0 == 406)
    #expect(try await type("application/json;q=1, */*;q=0").0 == 406)
  }

  @Test func nonsenseIsLeftOut() {
    #expect(
      AcceptedRange.list("a;q=2, ;;, image/png;q=x, image/webp ; q=0.5").map(\.type) == [
        "image/webp"
      ])
    #expect(AcceptedRange.list("").isEmpty)
  }
}
