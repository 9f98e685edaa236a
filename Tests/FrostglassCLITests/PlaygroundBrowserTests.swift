import Foundation
import TestSupport
import Testing

/// The playground in a browser: Tests/Programs/Browser/playground.py uses it as people do.
@Suite(
  .enabled(
    if: RunningService.has("chromium", "python3", "curl"), "needs chromium, python3 and curl"))
struct PlaygroundBrowserTests {
  @Test func itIsUsed() throws {
    let scratch = try Scratch()
    try scratch.add("photo.png", try photograph("horse.png"))
    try scratch.add("notes.txt", Array("These are words.\n".utf8))
    try scratch.add("keys", Array("k:0123456789abcdef\n".utf8))
    try scratch.addFolder("downloads")
    try scratch.addFolder("presets")
    try scratch.add(
      "presets/mist.json",
      Array(#"{"name": "Mist", "filter": "blur(2%) saturate(180%)"}"#.utf8))
    // Larger than what previews are made of.
    try scratch.add("rocket.jpg", try photograph("rocket.jpg"))
    let filled = try scratch.run("fill", "rocket.jpg", "large.jpg", "--size", "1500x1000")
    #expect(filled.exitCode == 0, "\(filled)")

    if RunningService.has("ffmpeg") {
      let video = try scratch.shell(
        "ffmpeg -v error -nostdin -f lavfi -i testsrc2=s=320x180:r=25:d=2 -c:v libvpx -b:v 1M film.webm"
      )
      #expect(video.exitCode == 0, "\(video)")
    }

    let service = try RunningService(scratch)
    let signed = try RunningService(scratch, ["--keys", "keys"])
    let presets = try RunningService(scratch, ["--presets", "presets", "--presets-only"])
    let run = try CommandRun(
      "python3",
      [
        "\(Files.root)/Tests/Programs/Browser/playground.py", service.address, signed.address,
        presets.address, scratch.path,
      ], in: scratch.path, environment: ["FROSTGLASS": CommandRun.executable])
    let lines = run.text.split(separator: "\n")
    for line in lines where !line.hasPrefix("ok: ") { Issue.record("\(line)") }
    #expect(lines.count > 70, "\(run)")
    #expect(run.exitCode == 0, "\(run)")
    for one in [service, signed, presets] {
      one.send(SIGTERM)
      #expect(try one.end().exitCode == 0)
    }
  }

  private func photograph(_ name: String) throws -> [UInt8] {
    try #require(Files.bytes(of: "\(Photographs.folder)/\(name)"))
  }
}
