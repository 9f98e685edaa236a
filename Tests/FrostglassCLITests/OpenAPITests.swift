import Glibc
import TestSupport
import Testing

private let validator = "\(Files.root)/.build/service-venv/bin/python"

/// What the service says of itself is a valid OpenAPI description, by a validator from PyPI.
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
}
