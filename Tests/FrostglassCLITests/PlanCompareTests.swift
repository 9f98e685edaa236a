import FrostglassCore
import FrostglassStills
import Testing

/// Looking at a recipe without running it, and running it twice.
@Suite struct PlanCompareTests {
  private func scratch() throws -> Scratch {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.noise(width: 64, height: 48))
    return scratch
  }

  private func certifiedError(_ run: CommandRun) -> Double? {
    run.text.firstMatch(of: /certified under ([0-9.]+) levels/).flatMap { Double($0.1) }
  }

  @Test func aPlanIsPrinted() throws {
    let scratch = try scratch()
    let run = try scratch.run("plan", "in.png", "out.jpg", "--sigma", "5")
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.errors.isEmpty)
    #expect(run.text.hasPrefix("filters   gaussian(x=5px)\n"), "\(run)")
    #expect(run.text.contains("input 0   64×48 rgb8"), "\(run)")
    let error = try #require(certifiedError(run), "\(run)")
    #expect(error > 0 && error < 1)
    #expect(scratch.names == ["in.png"])
  }

  /// A frame is large enough for draws of several passes.
  @Test func drawsOfAGPUAreListedWithWhatTheyMove() throws {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.noise(width: 800, height: 600))
    let run = try scratch.run("plan", "in.png", "--sigma", "5", "--backend", "gl")
    #expect(run.exitCode == 0, "\(run)")
    let lines = run.text.split(separator: "\n")
    let summary = try #require(lines.first { $0.hasPrefix("gl  ") }, "\(run)")
    #expect(summary.hasSuffix("inputs and results are 2.7 MiB"), "\(summary)")
    let draws = lines.filter { $0.hasPrefix("draw ") }
    #expect(summary.contains(" \(draws.count) draws move "), "\(summary)")
    #expect(draws.last?.contains("Store: 800×600, reads ") == true, "\(run)")
    let json = try scratch.run("plan", "in.png", "--sigma", "5", "--backend", "gl", "--json")
    #expect(json.text.contains("\"leastBytes\":2880000,\"draws\":[{\"passes\":\""), "\(json)")
    let cpu = try scratch.run("plan", "in.png", "--sigma", "5")
    #expect(!cpu.text.contains("draw 1"), "\(cpu)")
  }

  @Test func fastIsCertifiedLooserThanExact() throws {
    let scratch = try scratch()
    let errors = try ["exact", "fast"].map { quality in
      let run = try scratch.run("plan", "in.png", "--sigma", "12", "--quality", quality)
      return try #require(certifiedError(run), "\(run)")
    }
    #expect(errors[1] > errors[0])
    #expect(errors[1] < 2)
  }

  @Test func aPlanReadsOnlyTheHeader() throws {
    let scratch = try Scratch()
    let whole = try SampleImage.noise(width: 64, height: 48)
    try scratch.add("cut.png", Array(whole.prefix(whole.count / 2)))
    #expect(try scratch.run("plan", "cut.png", "--sigma", "5").exitCode == 0)
    #expect(try scratch.run("blur", "cut.png", "out.png", "--sigma", "5").exitCode == 65)
  }

  @Test func aPlanTakesTheOptionsOfBlur() throws {
    let run = try scratch().run(
      "plan", "in.png", "out.jpg", "--style", "dark", "--sigma", "5", "--scale", "2", "--linear",
      "--edge", "mirror", "--strip", "--overwrite", "--verbose", "--backend", "gl",
      "--output-quality", "50", "--background", "black", "--profile", "keep")
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.text.contains("dark("), "\(run)")
  }

  @Test(arguments: ["0.5", "50%"]) func aStyleHasAnIntensity(_ half: String) throws {
    let scratch = try scratch()
    let style = try scratch.run("plan", "in.png", "--style", "light", "--intensity", half)
    let filter = try scratch.run("plan", "in.png", "--filter", "light(intensity=50%)")
    #expect(style.exitCode == 0 && filter.exitCode == 0, "\(style)")
    #expect(style.text == filter.text)
    #expect(style.text != (try scratch.run("plan", "in.png", "--style", "light")).text)
  }

  /// One level of one sample: 255² × 64 × 48 × 3 over 1 are 87.8 dB.
  @Test func twoFilesAreComparedAsTheyAre() throws {
    let scratch = try scratch()
    var image = try scratch.picture("in.png").image
    let place = 20 * image.bytesPerRow + 3 * 30 + 1
    image.bytes[place] ^= 1
    try scratch.add("other.png", StillEncoder().encode(image, as: .png))
    let run = try scratch.run(
      "compare", "in.png", "other.png", "--tolerance", "0.5", "--difference", "d.png")
    #expect(run.exitCode == 1 && run.errors.isEmpty, "\(run)")
    #expect(run.text.contains("maximum   1.0 at 30, 20\n"), "\(run)")
    #expect(run.text.contains("PSNR      87.7762 dB\n"), "\(run)")
    #expect(run.text.contains("SSIM      1.0\n"), "\(run)")
    #expect(try scratch.picture("d.png").image.size == image.size)
    let same = try scratch.run("compare", "in.png", "in.png", "--tolerance", "0")
    #expect(same.exitCode == 0 && same.text.contains("PSNR      infinite\n"), "\(same)")
    #expect(try scratch.shell("$frostglass compare - other.png <in.png").exitCode == 0)
  }

  @Test(
    arguments: [
      (["in.png", "small.png"], 65, ["64×48", "24×16", "same size"]),
      (["in.png", "absent.png"], 66, ["absent.png"]),
      (["in.png", "small.png", "--sigma", "3"], 64, ["--sigma", "two files"]),
      (["in.png", "small.png", "--backend", "gl"], 64, ["--backend", "two files"]),
      (["-", "-"], 64, ["standard input"]), (["a", "b", "c"], 64, ["INPUT and OTHER"]),
      (["in.png", "in.png", "--overwrite"], 64, ["--overwrite", "--difference FILE"]),
      (["in.png", "--sigma", "3", "--overwrite"], 64, ["--overwrite", "--difference FILE"]),
      (
        ["in.png", "--sigma", "3", "--with", "fast", "--truth"], 64,
        ["--with is fast", "one of them"]
      ),
    ] as [([String], Int32, [String])])
  func whatCannotBeComparedIsExplained(words: [String], code: Int32, says: [String]) throws {
    let scratch = try scratch()
    try scratch.add("small.png", SampleImage.file())
    let run = try scratch.run(["compare"] + words)
    #expect(run.exitCode == code && run.explains(says), "\(run)")
  }

  @Test func sigmaHasALetter() throws {
    let scratch = try scratch()
    let (short, long) = (
      try scratch.run("plan", "in.png", "-s", "5"),
      try scratch.run("plan", "in.png", "--sigma", "5")
    )
    #expect(short.exitCode == 0 && short.output == long.output, "\(short)")
  }

  @Test func equalBackendsCompareEqual() throws {
    let run = try scratch().run(
      "compare", "in.png", "--sigma", "5", "--backend", "reference", "--with", "reference",
      "--tolerance", "0")
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.text.contains("compared  reference with reference"), "\(run)")
    #expect(run.text.contains("maximum   0.0"), "\(run)")
    #expect(run.text.contains("every pass within its budget"), "\(run)")
  }

  @Test func exactIsWithinALevelOfTheTruth() throws {
    let run = try scratch().run("compare", "in.png", "--sigma", "5", "--truth")
    #expect(run.exitCode == 0, "\(run)")
    let found = try #require(run.text.firstMatch(of: /maximum +([0-9.]+) at \d+, \d+/), "\(run)")
    let maximum = try #require(Double(found.1))
    #expect(maximum > 0 && maximum <= 1)
    #expect(run.text.contains("PSNR"), "\(run)")
  }

  @Test func moreThanToleratedIsOne() throws {
    let scratch = try scratch()
    let run = try scratch.run(
      "compare", "in.png", "--sigma", "5", "--with", "truth", "--tolerance", "0", "--difference",
      "difference.png")
    #expect(run.exitCode == 1, "\(run)")
    #expect(run.errors.isEmpty, "\(run)")
    let difference = try scratch.picture("difference.png").image
    #expect(difference.size == Size(width: 64, height: 48))
    #expect(difference.bytes.contains { $0 > 0 })
  }

  @Test func anExistingDifferenceIsKept() throws {
    let scratch = try scratch()
    try scratch.add("difference.png", [1])
    let words = ["compare", "in.png", "--sigma", "5", "--difference", "difference.png"]
    let run = try scratch.run(words)
    #expect(run.exitCode == 73, "\(run)")
    #expect(run.explains(["difference.png", "exists"]), "\(run)")
    #expect(try scratch.contents("difference.png") == [1])
    #expect(try scratch.run(words + ["--overwrite"]).exitCode == 0)
    let difference = try scratch.picture("difference.png").image
    #expect(difference.size == Size(width: 64, height: 48))
  }
}
