import FrostglassCore
import FrostglassStills
import Testing

/// The example package, which depends on this one by path, builds and runs.
@Suite struct ExampleTests {
  /// Builds in a place of its own: the running `swift test` holds the lock of the usual one. Kept,
  /// so that only the first run takes long.
  private func built() throws -> String {
    let folder = CommandRun.package + "/Examples/BlurPhoto"
    let place = ["-c", "release", "--scratch-path", CommandRun.package + "/.build/examples"]
    let build = try CommandRun("swift", ["build"] + place, in: folder)
    try #require(build.exitCode == 0, "\(build)")
    let shown = try CommandRun("swift", ["build", "--show-bin-path"] + place, in: folder)
    let path = try #require(shown.text.split(separator: "\n").last, "\(shown)")
    return path + "/BlurPhoto"
  }

  @Test(.timeLimit(.minutes(10))) func blursAFileAndAnImageInMemory() throws {
    let program = try built()
    let scratch = try Scratch()
    try scratch.add("in.png", SamplePicture.file())
    let run = try CommandRun(program, ["in.png", "out.jpg"], in: scratch.path)
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.text.contains("input 0   24×16 rgb8"), "\(run)")
    let found = try #require(run.text.firstMatch(of: /middle of the spot: ([0-9.]+)\n/), "\(run)")
    let middle = try #require(Double(found.1))
    // 1 / (2πσ²) for σ = 2, stored in 8 bits.
    #expect(abs(middle - 0.0398) < 1.5 / 255)
    let still = try scratch.picture("out.jpg")
    #expect(still.format == .jpeg)
    #expect(still.image.size == Size(width: 24, height: 16))

    let usage = try CommandRun(program, [], in: scratch.path)
    #expect(usage.exitCode == 64, "\(usage)")
  }
}
