import FrostglassCore
import FrostglassStills
import TestSupport
import Testing

/// Images that would take more memory than allowed, or fit no file, are refused before they are decoded.
@Suite struct MemoryTests {
  static let commands: [[String]] = [
    ["blur", "in.png", "out.png", "--sigma", "2"],
    ["blur", "in.png", "out.png", "--sigma", "2", "--backend", "reference"],
    ["redact", "in.png", "out.png", "--region", "10,10,40,40"],
    ["fill", "in.png", "out.png", "--aspect", "1:2"],
    ["compare", "in.png", "--sigma", "2", "--backend", "fast"],
    ["placeholder", "in.png"],
  ]

  @Test(arguments: commands) func aLimitIsKept(_ words: [String]) throws {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.file(width: 300, height: 200))
    let refused = try scratch.run(words + ["--memory", "10000"])
    #expect(refused.exitCode == 65, "\(refused)")
    let says = ["in.png", "300×200", "of memory", "9.8 KiB", "--memory "]
    #expect(refused.explains(says), "\(refused)")
    #expect(scratch.names == ["in.png"])
    let advice = try #require(refused.errors.split(separator: " ").last)
    let allowed = try scratch.run(
      words + ["--memory", advice.trimmingPrefix("\n").filter { !$0.isNewline }])
    #expect(allowed.exitCode == 0, "\(allowed)")
  }

  @Test func planSaysWhatIsNeeded() throws {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.file(width: 300, height: 200))
    let run = try scratch.run("plan", "in.png", "out.png", "--sigma", "2", "--memory", "1")
    #expect(run.exitCode == 0, "\(run)")
    let last = run.text.split(separator: "\n").last ?? ""
    #expect(last.hasPrefix("memory    about ") && last.contains(" row by row, "), "\(run)")
  }

  /// Few bytes that claim 90 million pixels in a row longer than a PNG's.
  @Test(arguments: ["blur", "plan"]) func whatNoOutputHoldsIsNotDecoded(
    _ command: String
  ) throws {
    let scratch = try Scratch()
    try scratch.add("in.png", PNGBomb.file(width: 2_424_861, height: 37))
    let run = try scratch.run(command, "in.png", "out.png", "--sigma", "2")
    #expect(run.exitCode == 65, "\(run)")
    #expect(run.explains(["PNG cannot hold 2424861×37", "1000000 pixels", "TIFF"]), "\(run)")
    #expect(run.memoryTouched < 200_000_000)
    #expect(scratch.names == ["in.png"])
  }

  @Test func aFormatThatFitsIsTaken() throws {
    let scratch = try Scratch()
    try scratch.add("in.png", PNGBomb.file(width: 20_000, height: 3))
    let webp = try scratch.run("blur", "in.png", "out.webp", "--sigma", "1")
    #expect(
      webp.explains(["WebP cannot hold 20000×3", "JPEG, PNG, APNG, JPEG XL, GIF, TIFF"]), "\(webp)")
    let jpeg = try scratch.run("blur", "in.png", "out.jpg", "--sigma", "1")
    #expect(jpeg.exitCode == 0, "\(jpeg)")
  }

  /// Every row of an image of one column is three bytes.
  @Test func aColumnCostsWhatItsPixelsCost() throws {
    let scratch = try Scratch()
    try scratch.add("in.png", PNGBomb.file(width: 1, height: 400_000))
    let run = try scratch.run("blur", "in.png", "out.tif", "--sigma", "2", "--memory", "64M")
    #expect(run.exitCode == 0, "\(run)")
    #expect(try scratch.picture("out.tif").image.size == Size(width: 1, height: 400_000))
  }
}

/// Images in masks count: two bytes a pixel, and as many again for what is made of them.
extension MemoryTests {
  private static let (width, height) = (2000, 1500)
  /// Bytes of a mask.
  private static let whole = 2 * width * height

  private func pictures() throws -> Scratch {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.file(width: Self.width, height: Self.height))
    var mask = Image(zeros: Size(width: Self.width, height: Self.height), format: .gray8)
    for y in 300..<1200 {
      for x in 200..<900 { mask.setSample(1, x: x, y: y, channel: 0) }
    }
    try scratch.add("mask.png", StillEncoder().encode(mask, as: .png))
    return scratch
  }

  @Test func planCountsMasks() throws {
    let scratch = try pictures()
    func need(_ words: String...) throws -> Int {
      let run = try scratch.run(["plan", "in.png", "out.png", "--sigma", "2", "--json"] + words)
      let found = try #require(run.text.firstMatch(of: #/"byRows": ?(\d+)/#), "\(run)")
      return try #require(Int(found.1))
    }
    let plain = try need()
    let asItIs = try need("--mask", "mask.png")
    let feathered = try need("--mask", "mask.png", "--feather", "30")
    #expect(asItIs >= plain + Self.whole && asItIs < plain + 2 * Self.whole)
    #expect(feathered >= plain + 2 * Self.whole && feathered < plain + 3 * Self.whole)
    #expect(try need("--region", "9,9,900,900", "--feather", "30") < plain + Self.whole)
  }

  /// A limit that has room for reading the mask, but not for processing it, is exceeded. With a lower one, nothing is
  /// read.
  @Test(arguments: [
    ["blur", "in.png", "out.png", "--sigma", "2", "--feather", "30"],
    ["redact", "in.png", "out.png"],
  ]) func aLimitHoldsForMasks(_ words: [String]) throws {
    let scratch = try pictures()
    let words = words + ["--mask", "mask.png"]
    for (limit, name) in [("1M", "mask.png"), ("11M", "in.png")] {
      let refused = try scratch.run(words + ["--memory", limit])
      #expect(refused.exitCode == 65, "\(refused)")
      #expect(refused.explains([name, "2000×1500", "of memory", "--memory "]), "\(refused)")
      #expect(scratch.names == ["in.png", "mask.png"])
      guard name == "in.png" else { continue }
      let advice = try #require(refused.errors.split(separator: " ").last).filter { !$0.isNewline }
      let allowed = try scratch.run(words + ["--memory", advice])
      #expect(allowed.exitCode == 0, "\(allowed)")
    }
  }

  /// A mask is feathered into one of its size, with some rows on the way.
  @Test func featheringTakesOneMask() throws {
    let scratch = try pictures()
    func touched(_ words: String...) throws -> Int {
      let run = try scratch.run(
        ["blur", "in.png", "out.png", "--overwrite", "--sigma", "2", "--mask", "mask.png"] + words)
      #expect(run.exitCode == 0, "\(run)")
      return run.memoryTouched
    }
    #expect(try touched("--feather", "30") - touched() < 2 * Self.whole)
  }
}
