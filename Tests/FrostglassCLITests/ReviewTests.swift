import FrostglassCore
import FrostglassStills
import Testing

/// `redact --review`: a sheet of what was covered.
@Suite struct ReviewTests {
  private func scratch() throws -> Scratch {
    let scratch = try Scratch()
    for name in ["a.png", "b.png"] {
      try scratch.add(name, SampleImage.file(width: 48, height: 32))
    }
    return scratch
  }

  private func color(_ image: Image, _ x: Int, _ y: Int) -> [Float] {
    (0..<3).map { image.sample(x: x, y: y, channel: $0) }
  }

  @Test func aTileShowsThePlaceAndWhatIsAround() throws {
    let scratch = try scratch()
    let words = ["--region", "20,10,8,6", "--fill", "solid", "--review", "sheet.png"]
    let run = try scratch.run(["redact", "a.png", "x.png"] + words)
    #expect(run.exitCode == 0 && run.errors == "review sheet.png\n", "\(run)")
    let sheet = try scratch.picture("sheet.png").image
    // Two columns of 236 at least, with gaps of 16; the image is 4 times as large, in the middle.
    #expect(sheet.size == Size(width: 520, height: 48 + 172 + 40 + 16 + 16))
    let (left, top) = (16 + (236 - 192) / 2, 48 + (172 - 128) / 2)
    #expect(color(sheet, left + 24 * 4 + 2, top + 13 * 4 + 2) == [0, 0, 0])
    #expect(color(sheet, left + 2 * 4, top + 2 * 4) == [1, 0, 0])
    #expect(color(sheet, left + 46 * 4, top + 2 * 4) == [0, 0, 1])
    // The line around the place is light and dark in turn.
    let line = Set((20 * 4..<28 * 4).map { color(sheet, left + $0, top + 10 * 4) })
    #expect(line == [[0, 0, 0], [1, 1, 1]])
    // Below stands what it is.
    let caption = (0..<200).contains { x in
      (0..<40).contains { color(sheet, 16 + x, 48 + 172 + $0)[0] < 0.5 }
    }
    #expect(caption)
    let again = try scratch.run(["redact", "a.png", "y.png"] + words)
    #expect(again.exitCode == 73 && again.explains(["sheet.png", "exists"]), "\(again)")
    #expect(!scratch.names.contains("y.png"))
  }

  @Test func thirtyPlacesArePages() throws {
    let scratch = try scratch()
    let rows = (0..<33).map { "\($0 < 20 ? "a" : "b").png,\($0),3,4,5" }
    try scratch.add("rows.csv", Array(("image,x,y,w,h\n" + rows.joined(separator: "\n")).utf8))
    let run = try scratch.run(
      "redact", "a.png", "b.png", "--out-dir", "out", "--regions", "rows.csv", "--review", "s.jpg")
    #expect(run.exitCode == 0 && run.errors.contains("review s.jpg to s-2.jpg\n"), "\(run)")
    let step = 172 + 40 + 16
    #expect(try scratch.picture("s.jpg").image.size == Size(width: 1276, height: 64 + 6 * step))
    #expect(try scratch.picture("s-2.jpg").image.size == Size(width: 772, height: 64 + step))
    #expect(!scratch.names.contains("s-3.jpg"))
    let dry = try scratch.run(
      "redact", "a.png", "x.png", "--region", "1,1,5,5", "--review", "t.png", "--dry-run")
    #expect(dry.exitCode == 0 && !scratch.names.contains("t.png"), "\(dry)")
  }

  /// All pages that there may be are looked for before any work.
  @Test func aFurtherPageThatIsThereIsRefused() throws {
    let scratch = try scratch()
    try scratch.add("s-2.png", [1])
    let region = ["--region", (0..<31).map { "\($0),3,4,5" }.joined(separator: ";")]
    for words in [["a.png", "x.png"], ["a.png", "b.png", "--out-dir", "out"]] {
      // 31 places of one image, 62 of two.
      let run = try scratch.run(["redact"] + words + region + ["--review", "s.png"])
      #expect(run.exitCode == 73 && run.explains(["s-2.png", "exists"]), "\(run)")
      #expect(scratch.names.filter { $0 != "out/" } == ["a.png", "b.png", "s-2.png"])
    }
    let one = try scratch.run(
      "redact", "a.png", "x.png", "--region", "1,1,4,4", "--review", "s.png")
    #expect(one.exitCode == 0, "\(one)")
  }

  /// Nor is one a file that is read, whatever may be overwritten.
  @Test func aFurtherPageIsNoFileOfTheCommand() throws {
    let scratch = try scratch()
    try scratch.addFolder("in")
    let names = ["a-2.png", "in/b-2.png", "mask-2.png"]
    for name in names { try scratch.add(name, scratch.contents("a.png")) }
    let before = try names.map { try scratch.contents($0) }
    let region = ["--region", (0..<31).map { "\($0),3,4,5" }.joined(separator: ";"), "--overwrite"]
    for (words, page) in [
      (["a-2.png", "x.png", "--review", "a.png"], "a-2.png"),
      (["b.png", "x-2.png", "--review", "./x.png"], "x-2.png"),
      (["in", "--recursive", "--out-dir", "out", "--review", "in/b.png"], "b-2.png"),
      (
        ["b.png", "--out-dir", "out", "--mask", "mask-2.png", "--review", "mask.png"], "mask-2.png"
      ),
    ] {
      let run = try scratch.run(["redact"] + words + region)
      #expect(run.exitCode == 64 && run.explains(["--review", page]), "\(run)")
    }
    #expect(try names.map { try scratch.contents($0) } == before)
  }

  @Test(arguments: [
    (["a.png", "x.png", "--review", "-"], "must be a file"),
    (["a.png", "-", "--review", "s.png"], "looks at the files"),
    (["a.png", "x.png", "--review", "s.gif"], "must end in .png"),
    (["a.png", "x.png", "--review", "a.png"], "an image of this command"),
    (["a.png", "x.png", "--review", "s.png", "--audit", "s.png"], "two names"),
    (["a.png", "x.png", "--review", "s.png", "--audit", "./s.png"], "two names"),
    (["a.png", "x.png", "--audit", "./x.png"], "an image of this command"),
    (["a.png", "--out-dir", ".", "--format", "webp", "--audit", "./a.webp"], "which is an output"),
    (["a.png", "--out-dir", "out", "--report", "r", "--audit", "./r"], "two names"),
  ])
  func whatIsNoSheetIsRefused(_ words: [String], _ reason: String) throws {
    let scratch = try scratch()
    let run = try scratch.run(["redact", "--region", "1,1,5,5"] + words)
    #expect(run.exitCode == 64 && run.explains([reason]), "\(run)")
    #expect(scratch.names == ["a.png", "b.png"])
  }

  /// It shows one run, and a page of another is not lost.
  @Test func goingOnTakesAnotherPage() throws {
    let scratch = try scratch()
    let words =
      ["redact", "a.png", "b.png", "--out-dir", "out"] + ["--region", "20,10,8,6", "--resume"]
    #expect(try scratch.run(words + ["--review", "s.png"]).exitCode == 0)
    #expect(try scratch.shell("rm out/b.png").exitCode == 0)
    let page = try scratch.contents("s.png")
    let again = try scratch.run(words + ["--review", "s.png"])
    #expect(again.exitCode == 73 && again.explains(["s.png", "give another name"]), "\(again)")
    #expect(!again.errors.contains("--overwrite") && !scratch.names.contains("out/b.png"))
    #expect(try scratch.contents("s.png") == page)
    #expect(try scratch.run(words + ["--review", "t.png"]).exitCode == 0)
    #expect(scratch.names.contains("out/b.png"))
  }
}
