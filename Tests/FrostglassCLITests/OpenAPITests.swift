import FrostglassCore
import FrostglassStills
import Glibc
import TestSupport
import Testing

private let generator = "\(Files.root)/.build/service-venv/bin/openapi-python-client"
private let validator = "\(Files.root)/.build/service-venv/bin/python"

/// The service's OpenAPI description is valid, by a validator from PyPI.
@Suite(
  .enabled(
    if: access(validator, X_OK) == 0 && RunningService.has("curl"),
    "needs scripts/service-venv.sh and curl"))
struct OpenAPITests {
  @Test(arguments: [[], ["--pictures", "."]]) func itIsValid(_ arguments: [String]) throws {
    let scratch = try Scratch()
    let service = try RunningService(scratch, arguments)
    try scratch.add("openapi.json", try service.curl("/openapi.json").body)
    let run = try CommandRun(
      validator, ["-m", "openapi_spec_validator", "openapi.json"], in: scratch.path)
    #expect(run.exitCode == 0, "\(run)")
    // Or it would take anything.
    try scratch.add("broken.json", Array("{\"openapi\":\"3.1.0\",\"info\":{}}".utf8))
    let broken = try CommandRun(
      validator, ["-m", "openapi_spec_validator", "broken.json"], in: scratch.path)
    #expect(broken.exitCode != 0)
  }

  /// A client that a generator from PyPI makes of it sends an image and gets one.
  @Test(.enabled(if: access(generator, X_OK) == 0, "needs scripts/service-venv.sh"))
  func aGeneratedClientBlurs() throws {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.file())
    let service = try RunningService(scratch)
    try scratch.add("openapi.json", try service.curl("/openapi.json").body)
    try scratch.add(
      "config.json",
      Array("{\"content_type_overrides\":{\"image/png\":\"application/octet-stream\"}}".utf8))
    let made = try CommandRun(
      generator,
      [
        "generate", "--path", "openapi.json", "--meta", "none", "--output-path", "client",
        "--config", "config.json",
      ], in: scratch.path)
    #expect(made.exitCode == 0, "\(made)")
    try scratch.add("ask.py", Array(Self.ask.utf8))
    let run = try CommandRun(validator, ["ask.py", service.address], in: scratch.path)
    #expect(run.exitCode == 0, "\(run)")
    #expect(try scratch.picture("out.png").image.size == scratch.picture("in.png").image.size)
  }

  private static let ask = """
    import io, sys
    from client import Client
    from client.api.pictures import blur
    from client.types import File
    client = Client(base_url=sys.argv[1])
    picture = File(payload=io.BytesIO(open("in.png", "rb").read()))
    answer = blur.sync_detailed(client=client, body=picture, sigma="2")
    assert answer.status_code == 200, answer
    open("out.png", "wb").write(answer.parsed.payload.read())
    """
}
