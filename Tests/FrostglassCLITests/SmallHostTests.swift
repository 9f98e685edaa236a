import FrostglassCore
import FrostglassStills
import TestSupport
import Testing

/// Missing resources are reported at once, instead of a crash or an endless wait.
@Suite struct SmallHostTests {
  private func run(under limit: String, _ arguments: String) throws -> CommandRun {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.file())
    return try CommandRun(
      "sh", ["-c", "ulimit -c 0; \(limit); exec '\(CommandRun.executable)' \(arguments)"],
      in: scratch.path)
  }

  @Test(arguments: [5, 6, 8]) func tooFewDescriptorsAreSaid(_ count: Int) throws {
    let run = try run(under: "ulimit -n \(count)", "blur in.png out.png --sigma 3")
    #expect(run.exitCode == 69 && run.signal == 0, "\(run)")
    #expect(run.errors.contains("ulimit -n") && run.errors.contains("\(count) allowed"), "\(run)")
  }

  /// Threads' stacks alone would take more.
  @Test func tooFewAddressesAreSaid() throws {
    let megabytes = 16 * (2 * ProcessorCores.count + 8)
    let run = try run(
      under: "ulimit -s 65536; ulimit -v \((megabytes + 250) * 1024)",
      "blur in.png out.png --sigma 3")
    #expect(run.exitCode == 69 && run.signal == 0, "\(run)")
    #expect(run.errors.contains("ulimit -v"), "\(run)")
  }

  /// A service that gets no worker would refuse everything for ever.
  @Test func aServiceWithoutWorkersEnds() throws {
    let run = try run(
      under: "ulimit -n 16", "serve --listen 127.0.0.1:0 --workers 2 --spare-workers 0")
    #expect(run.exitCode == 69 && run.signal == 0, "\(run)")
    #expect(run.errors.contains("worker") || run.errors.contains("ulimit -n"), "\(run)")
  }

  @Test func programsGetAnObject() throws {
    let run = try run(under: "ulimit -n 6", "blur in.png out.png --sigma 3 --json")
    #expect(run.exitCode == 69 && run.errors.hasPrefix("{"), "\(run)")
  }

  @Test func enoughIsEnough() throws {
    let run = try run(under: "ulimit -n 32; ulimit -v 16000000", "blur in.png out.png --sigma 3")
    #expect(run.exitCode == 0 && run.errors.isEmpty, "\(run)")
  }
}

/// Texts that reach a terminal.
@Suite struct TerminalTextTests {
  @Test func controlCharactersOfFileNamesAreWrittenOut() throws {
    let scratch = try Scratch()
    let name = "x\u{1B}[31m\u{7}\u{9B}\nfrostglass: done.png"
    let missing = try scratch.run("blur", name, "out.png", "--sigma", "2")
    #expect(missing.exitCode == 66)
    #expect(missing.errors.contains("x\\x1b[31m\\x07\\x9b\\nfrostglass: done.png"), "\(missing)")
    try scratch.add("y\u{1B}[31m.png", Array("no".utf8))
    let batch = try scratch.run(
      "blur", "y\u{1B}[31m.png", "--out-dir", "out", "--sigma", "2")
    let said = batch.errors + String(decoding: batch.output, as: UTF8.self)
    #expect(batch.exitCode == 65 && !said.contains("\u{1B}"), "\(batch)")
    #expect(said.contains("\\x1b"), "\(batch)")
  }
}

/// GIF from GIF with regions, and masks and regions that do not do what was meant.
@Suite struct RegionNoteTests {
  @Test(arguments: [["redact", "--grow", "0"], ["blur", "--sigma", "3"]])
  func aGIFKeepsItsColorsOutsideRegions(_ words: [String]) throws {
    let scratch = try Scratch()
    let indices = (0..<1024).map { UInt8($0 * 5 & 255) }
    try scratch.add(
      "in.gif",
      PalettedGIF(
        width: 32, height: 32, colors: PalettedGIF.manyColors, [.init(width: 32, indices)]
      ).bytes)
    let run = try scratch.run(
      [words[0], "in.gif", "out.gif", "--region", "8,8,12,12"] + words.dropFirst())
    #expect(run.exitCode == 0 && run.errors.isEmpty, "\(run)")
    let (before, after) = (
      try scratch.picture("in.gif").image, try scratch.picture("out.gif").image
    )
    var inside = 0
    for y in 0..<32 {
      for x in 0..<32 {
        let isSame = (0..<3).allSatisfy {
          before.sample(x: x, y: y, channel: $0) == after.sample(x: x, y: y, channel: $0)
        }
        if (8..<20).contains(x), (8..<20).contains(y) {
          inside += isSame ? 0 : 1
        } else {
          #expect(isSame, "\(x), \(y)")
        }
      }
    }
    #expect(inside > 100)
  }

  @Test func aGIFThatChangesOutsideRegionsSaysSo() throws {
    let scratch = try Scratch()
    var image = Image(zeros: Size(width: 40, height: 40), format: .rgb8)
    for y in 0..<40 {
      for x in 0..<40 {
        image.setSample(Float(x) / 39, x: x, y: y, channel: 0)
        image.setSample(Float(y) / 39, x: x, y: y, channel: 1)
      }
    }
    try scratch.add("in.png", StillEncoder().encode(image, as: .png))
    let run = try scratch.run("redact", "in.png", "out.gif", "--region", "1,1,5,5")
    #expect(run.exitCode == 0 && run.errors.contains("256 colors"), "\(run)")
  }

  @Test(arguments: [(1, true), (20, true), (100, false), (255, false), (0, false)])
  func aMaskOfLabelsIsTold(_ largest: Int, _ isTold: Bool) throws {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.file())
    var mask = Image(zeros: Size(width: 24, height: 16), format: .gray8)
    for x in 0..<24 { mask.setSample(Float(largest) / 255, x: x, y: 3, channel: 0) }
    try scratch.add("mask.png", StillEncoder().encode(mask, as: .png))
    let run = try scratch.run("blur", "in.png", "out.png", "--sigma", "3", "--mask", "mask.png")
    // Where there is nothing but 0, there is nothing to do.
    #expect(run.exitCode == (largest == 0 ? 64 : 0), "\(run)")
    #expect(run.errors.contains("largest value is \(largest) of 255") == isTold, "\(run)")
    guard largest > 0 else { return }
    // All that is not 0 is redacted.
    let redacted = try scratch.run("redact", "in.png", "safe.png", "--mask", "mask.png")
    #expect(redacted.exitCode == 0 && !redacted.errors.contains("largest"), "\(redacted)")
  }

  @Test(arguments: [[], ["--allow-outside"]])
  func aRegionOutOfRangeIsNoDoubt(_ allowance: [String]) throws {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.file())
    let run = try scratch.run(
      ["redact", "in.png", "out.png", "--region=-2000000,-2000000,4000000,4000000"] + allowance)
    #expect(run.exitCode == 64 && run.errors.contains("from -1000000 to 1000000"), "\(run)")
    #expect(!run.errors.contains("covers nothing") && !run.errors.contains("--allow-outside"))
    let whole = try scratch.run(
      "redact", "in.png", "out.png", "--region=-900000,-900000,1000000,1000000")
    #expect(whole.exitCode == 0 && whole.errors.isEmpty, "\(whole)")
  }

  @Test func memoryGoesByTheEffort() throws {
    let scratch = try Scratch()
    try scratch.add(
      "in.png",
      StillEncoder().encode(Image(zeros: Size(width: 2000, height: 1000), format: .rgb8), as: .png))
    let words = ["blur", "in.png", "out.avif", "--sigma", "2", "--memory", "150M", "--overwrite"]
    #expect(try scratch.run(words + ["--effort", "0"]).exitCode == 0)
    let refused = try scratch.run(words + ["--effort", "5"])
    #expect(
      refused.exitCode == 65 && refused.errors.contains("more than the allowed"), "\(refused)")
  }
}
