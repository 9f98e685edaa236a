import FrostglassCore
import FrostglassStills
import Glibc
import TestSupport
import Testing

/// One image, several files: `--also`.
@Suite struct SeveralOutputsCommandTests {
  private func scratch() throws -> Scratch {
    let scratch = try Scratch()
    try scratch.add("in.png", StillEncoder().encode(TestImages.noise(90, 70), as: .png))
    return scratch
  }

  @Test func eachFileHasItsFilters() throws {
    let scratch = try scratch()
    let run = try scratch.run(
      "blur", "in.png", "a.png", "--sigma", "5", "--also", "grayscale(1) -> b.webp", "--also",
      "-> c.png")
    #expect(run.exitCode == 0 && run.errors.isEmpty, "\(run)")
    let alone = try scratch.run("blur", "in.png", "alone.png", "--sigma", "5")
    #expect(alone.exitCode == 0)
    let decoder = StillDecoder()
    let (first, expected) = try (
      decoder.decode(.file(scratch / "a.png")).image,
      decoder.decode(.file(scratch / "alone.png")).image
    )
    #expect(try ImageComparison(first, expected).maximum <= 1)
    #expect(try decoder.header(of: .file(scratch / "b.webp")).format == .webp)
    #expect(
      try decoder.decode(.file(scratch / "c.png")).image.bytes == TestImages.noise(90, 70).bytes)
  }

  /// Files are encoded beside each other, which takes a thread for each: without them they would wait for
  /// ever.
  @Test(.enabled(if: ThreadRefusal.isPossible, "needs a C compiler"))
  func withoutThreadsNothingIsWrittenAndThatIsSaid() throws {
    let scratch = try scratch()
    let run = try scratch.run(
      ["blur", "in.png", "a.png", "--sigma", "5", "--also", "-> b.png", "--backend", "fast"],
      environment: ThreadRefusal.environment(in: scratch))
    #expect(run.exitCode == 70 && run.explains(["no thread could be started"]), "\(run)")
    #expect(!scratch.names.contains("a.png") && !scratch.names.contains("b.png"))
  }

  @Test func anImageAndWordsDoNotShareStandardOutput() throws {
    let run = try scratch().run(
      "blur", "in.png", "a.png", "--sigma", "2", "--json", "--also", "-> -")
    #expect(run.exitCode == 64 && run.output.isEmpty, "\(run)")
    #expect(run.errors.contains("--json and - as output exclude each other"), "\(run)")
  }

  @Test func plansShowWhatIsShared() throws {
    let scratch = try scratch()
    let run = try scratch.run(
      "plan", "in.png", "a.png", "--sigma", "20", "--also", "blur(20px) saturate(2) -> b.png")
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.text.contains("filters 1 blur(radius=20px) saturate(amount=2)"), "\(run)")
    #expect(run.text.contains("→ result 1 Store"), "\(run)")
    // One load for both.
    #expect(run.text.components("Load input 0") == 1, "\(run)")
  }

  /// Other spellings of a path, and links, name the same file.
  @Test(arguments: ["./a.png", "sub/../a.png", "link.png", "sub/link.png", "other/a.png"])
  func twoNamesOfOneFileAreRefused(_ name: String) throws {
    let scratch = try scratch()
    try scratch.addFolder("sub")
    symlink("a.png", scratch / "link.png")
    symlink("../a.png", scratch / "sub/link.png")
    symlink(".", scratch / "other")
    let run = try scratch.run(
      "blur", "in.png", "a.png", "--sigma", "5", "--also", "grayscale(1) -> \(name)")
    #expect(run.exitCode == 64 && run.explains([name, "two outputs are this file"]), "\(run)")
    #expect(!scratch.names.contains("a.png"))
  }

  /// Equal strings may be different names.
  @Test func namesThatOnlyLookAlikeAreTwo() throws {
    let scratch = try scratch()
    let run = try scratch.run(
      "blur", "in.png", "\u{E9}.png", "--sigma", "5", "--also", "grayscale(1) -> e\u{301}.png")
    #expect(run.exitCode == 0, "\(run)")
  }

  @Test(arguments: [
    ("blur(2px) b.png", "it must be filters, an arrow and a file"),
    ("blur(2px) ->", "a file's name must follow"),
    ("-> a.png", "two outputs are this file"),
    ("-> b.xyz", "is not a format that can be written"),
    ("blurr(2px) -> b.png", "blurr"),
  ])
  func mistakesAreNamed(_ text: String, _ words: String) throws {
    let scratch = try scratch()
    let run = try scratch.run("blur", "in.png", "a.png", "--sigma", "5", "--also", text)
    #expect(run.exitCode == 64 && run.errors.contains(words), "\(run)")
    #expect(!scratch.names.contains("a.png"))
    let batch = try scratch.run(
      "blur", "in.png", "--out-dir", "out", "--sigma", "5", "--also", "-> b.png")
    #expect(batch.exitCode == 64 && batch.errors.contains("exclude each other"), "\(batch)")
  }
}

extension String {
  /// Returns the number of times that a part occurs.
  fileprivate func components(_ part: String) -> Int {
    indices.count { self[$0...].hasPrefix(part) }
  }
}
