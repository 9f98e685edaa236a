import FrostglassCore
import FrostglassStills
import Testing

/// `--resize` and what goes with it.
@Suite struct ResizeCommandTests {
  @Test(
    arguments: [
      (["--resize", "30x20"], Size(width: 30, height: 15)),
      (["--resize", "30x"], Size(width: 30, height: 15)),
      (["--resize", "x10"], Size(width: 20, height: 10)),
      (["--width", "30"], Size(width: 30, height: 15)),
      (["--width", "30", "--height", "10"], Size(width: 20, height: 10)),
      (["--resize", "30x20", "--fit", "cover"], Size(width: 30, height: 20)),
      (
        ["--resize", "30X20", "--fit", "cover", "--gravity", "top-left", "--dpr", "1.5"],
        Size(width: 45, height: 30)
      ),
      (
        ["--resize", "30x20", "--fit", "contain", "--background", "red"],
        Size(width: 30, height: 20)
      ),
      (["--resize", "200x", "--enlarge"], Size(width: 200, height: 100)),
      (["--resize", "200x"], Size(width: 60, height: 30)),
    ])
  func everyCommandGivesTheSize(_ options: [String], _ size: Size) throws {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.file(width: 60, height: 30))
    for (name, words) in [
      ("blur.png", ["blur", "in.png", "blur.png", "--sigma", "2"]),
      ("redact.png", ["redact", "in.png", "redact.png", "--region", "5,5,20,20"]),
    ] {
      let planned = try scratch.run(words + options + ["--dry-run"])
      #expect(planned.text.contains("\(size.width)×\(size.height)"), "\(planned)")
      let run = try scratch.run(words + options)
      #expect(run.exitCode == 0 && run.errors.isEmpty, "\(run)")
      #expect(try scratch.picture(name).image.size == size)
    }
    let plan = try scratch.run(["plan", "in.png", "--sigma", "2", "--json"] + options)
    #expect(plan.text.contains("\"width\":\(size.width)"), "\(plan)")
  }

  @Test func aBatchAndSeveralOutputsGetTheSize() throws {
    let scratch = try Scratch()
    try scratch.add("a.png", SampleImage.file(width: 60, height: 30))
    try scratch.add("b.png", SampleImage.file(width: 30, height: 60))
    let batch = try scratch.run(
      "blur", "a.png", "b.png", "--out-dir", "out", "--sigma", "2", "--resize", "12x12")
    #expect(batch.exitCode == 0, "\(batch)")
    #expect(try scratch.picture("out/a.png").image.size == Size(width: 12, height: 6))
    #expect(try scratch.picture("out/b.png").image.size == Size(width: 6, height: 12))
    let several = try scratch.run(
      "blur", "a.png", "c.png", "--sigma", "2", "--also", "-> d.png", "--width", "20")
    #expect(several.exitCode == 0, "\(several)")
    #expect(try scratch.picture("c.png").image.size == Size(width: 20, height: 10))
    #expect(try scratch.picture("d.png").image.size == Size(width: 20, height: 10))
  }

  /// Points are so many pixels, as everything else in a result for such a screen.
  @Test func dprIsTheScaleOfPoints() throws {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.file(width: 60, height: 30))
    let common = ["--filter", "blur(2pt)", "--width", "15", "--dpr", "2"]
    for (name, options) in [
      ("a.png", []), ("b.png", ["--scale", "2"]), ("c.png", ["--scale", "1"]),
    ] {
      let run = try scratch.run(["blur", "in.png", name] + common + options)
      #expect(run.exitCode == 0, "\(run)")
    }
    #expect(try scratch.contents("a.png") == scratch.contents("b.png"))
    #expect(try scratch.contents("a.png") != scratch.contents("c.png"))
  }

  /// As for imgproxy: what looks alike at 1x and 2x is asked for by the same numbers.
  @Test func dprScalesLengthsInPixels() throws {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.file(width: 60, height: 30))
    for (name, options) in [
      ("a.png", ["--sigma", "2", "--width", "15", "--dpr", "2"]),
      ("b.png", ["--sigma", "4", "--width", "30"]),
      ("c.png", ["--filter", "blur(2px) pixelate(3px)", "--width", "15", "--dpr", "2"]),
      ("d.png", ["--filter", "blur(4px) pixelate(6px)", "--width", "30"]),
      ("e.png", ["--sigma", "10%", "--width", "15", "--dpr", "2"]),
      ("f.png", ["--sigma", "10%", "--width", "30"]),
    ] {
      let run = try scratch.run(["blur", "in.png", name] + options)
      #expect(run.exitCode == 0, "\(run)")
    }
    for (left, right) in [("a.png", "b.png"), ("c.png", "d.png"), ("e.png", "f.png")] {
      #expect(try scratch.contents(left) == scratch.contents(right), "\(left)")
    }
    #expect(try scratch.contents("a.png") != scratch.contents("c.png"))
  }

  @Test(
    arguments: [
      (["--resize", "30"], ["--resize is 30", "300x200"]), (["--resize", "x"], ["--resize is x"]),
      (["--resize", "0x5"], ["0x5"]), (["--resize", "5x5x5"], ["5x5x5"]),
      (["--resize", "-3x"], ["-3x"]), (["--resize", "1000001x"], ["1000000"]),
      (["--resize", "5x5", "--width", "5"], ["exclude"]), (["--width", "0"], ["--width is 0"]),
      (["--fit", "cover"], ["--fit needs a size"]), (["--dpr", "2"], ["--dpr needs a size"]),
      (["--enlarge"], ["--enlarge needs a size"]),
      (["--width", "5", "--fit", "crop"], ["crop", "inside"]),
      (["--width", "5", "--fit", "cover", "--gravity", "north"], ["north", "top-left"]),
      (["--width", "5", "--gravity", "top"], ["--gravity is for"]),
      (["--width", "5", "--dpr", "11"], ["--dpr is 11"]),
    ])
  func whatMakesNoSenseIsRefused(_ options: [String], _ words: [String]) throws {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.file())
    let run = try scratch.run(["blur", "in.png", "out.png", "--sigma", "2"] + options)
    #expect(run.exitCode == 64, "\(run)")
    #expect(run.explains(words), "\(run)")
    #expect(scratch.names == ["in.png"])
  }

  /// Regions of a redaction are those of the image as it is, in points, too.
  @Test func dprMovesNoRegionOfARedaction() throws {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.file(width: 60, height: 30))
    let common = ["--region", "10pt,5pt,20pt,10pt", "--fill", "solid"]
    for (name, options) in [
      ("a.png", ["--width", "60", "--dpr", "0.5"]), ("b.png", ["--width", "30"]),
    ] {
      let run = try scratch.run(["redact", "in.png", name] + common + options)
      #expect(run.exitCode == 0, "\(run)")
    }
    #expect(try scratch.contents("a.png") == scratch.contents("b.png"))
  }

  /// Pixels that are cropped count too, because they have to be computed.
  @Test(arguments: [["blur", "--sigma", "2"], ["redact", "--region", "0,0,9,1"]])
  func allOfAnImageCountsForTheLimit(_ words: [String]) throws {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.file(width: 1000, height: 1))
    let size = ["--resize", "1x60", "--fit", "cover", "--enlarge", "--gravity", "attention"]
    let run = try scratch.run(
      [words[0], "in.png", "out.png", "--max-pixels", "100000"] + size + words.dropFirst())
    #expect(run.exitCode == 65 && run.explains(["60000×60"]), "\(run)")
  }

  @Test func videosAreNotResized() throws {
    let scratch = try Scratch()
    let run = try scratch.run(
      "redact", "in.mp4", "out.mp4", "--region", "1,1,9,9", "--resize", "30x20")
    #expect(run.exitCode == 64 && run.explains(["--resize is for images"]), "\(run)")
  }

  @Test func aLargeJPEGTakesLittleMemory() throws {
    let scratch = try Scratch()
    let large = Image(zeros: Size(width: 4000, height: 3000), format: .rgb8)
    try scratch.add("in.jpg", StillEncoder().encode(large, as: .jpeg))
    let words = ["blur", "in.jpg", "out.jpg", "--sigma", "5", "--memory", "20M"]
    let run = try scratch.run(words + ["--resize", "300x300"])
    #expect(run.exitCode == 0, "\(run)")
    #expect(try scratch.picture("out.jpg").image.size == Size(width: 300, height: 225))
  }
}
