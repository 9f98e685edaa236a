import FrostglassCore
import FrostglassStills
import TestSupport
import Testing

/// The example package, which depends on this one by path: its program runs, built here as a target, and
/// its manifest finds what it needs.
@Suite struct ExampleTests {
  @Test func theManifestResolves() throws {
    let folder = CommandRun.package + "/Examples/BlurPhoto"
    let scratch = try Scratch()
    let run = try CommandRun(
      "swift", ["package", "--scratch-path", scratch.path, "describe"], in: folder)
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.text.contains("Name: BlurPhoto"), "\(run)")
  }

  @Test func blursAFileAndAnImageInMemory() throws {
    let program = CommandRun.built("example-blur-photo")
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.file())
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

  /// The command has glibc clear what it gives out to decoders, and libde265 take other memory; a program that
  /// links the library finds its memory as its environment asks for it.
  @Test func theLibraryLeavesMemoryToTheProgramThatLinksIt() throws {
    let scratch = try Scratch()
    try scratch.add("in.heic", TinyHEIC.damaged)
    func pictures(_ program: String, _ words: [String]) throws -> [[UInt8]] {
      try ["85", "170"].map { byte throws in
        let run = try CommandRun(
          CommandRun.built(program), words + ["in.heic", "\(program)-\(byte).png"],
          in: scratch.path, environment: ["MALLOC_PERTURB_": byte])
        #expect(run.exitCode == 0, "\(run)")
        return try scratch.picture("\(program)-\(byte).png").image.bytes
      }
    }
    let cleared = try pictures("frostglass", ["blur", "--sigma", "1"])
    #expect(cleared[0] == cleared[1])
    let own = try pictures("example-blur-photo", [])
    #expect(own[0] != own[1])
  }
}
