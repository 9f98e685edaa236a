import FrostglassCore
import FrostglassStills
import Testing

/// `frostglass fill`.
@Suite struct FillCommandTests {
  @Test(
    arguments: [
      (["--size", "90x160"], Size(width: 90, height: 160)),
      (["--aspect", "9:16"], Size(width: 24, height: 43)),
      (
        [
          "--size", "50X50", "--sigma", "3", "--dim", "0", "--saturation", "2", "--radius", "4",
          "--shadow", "0.5", "--margin", "10%", "--align", "bottom",
        ], Size(width: 50, height: 50)
      ),
    ]) func makesTheCanvas(_ options: [String], _ size: Size) throws
  {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.file())
    let run = try scratch.run(["fill", "in.png", "out.png"] + options)
    #expect(run.exitCode == 0 && run.output.isEmpty && run.errors.isEmpty, "\(run)")
    #expect(try scratch.picture("out.png").image.size == size)
  }

  @Test func fromAPipeToAPipe() throws {
    let scratch = try Scratch()
    try scratch.add("in.jpg", SampleImage.file(.jpeg, width: 900, height: 600))
    let run = try scratch.shell(
      "cat in.jpg | \"$frostglass\" fill - - --size 40x80 > out.jpg")
    #expect(run.exitCode == 0, "\(run)")
    let still = try scratch.picture("out.jpg")
    #expect(still.format == .jpeg && still.image.size == Size(width: 40, height: 80))
  }

  @Test func metadataStaysUnlessStripped() throws {
    let scratch = try Scratch()
    try scratch.add("in.jpg", SampleImage.fromCamera(maker: "Lumen Works"))
    for (name, options) in [("kept.jpg", []), ("stripped.jpg", ["--strip"])] {
      let run = try scratch.run(["fill", "in.jpg", name, "--aspect", "1:1"] + options)
      #expect(run.exitCode == 0, "\(run)")
    }
    let maker = Array("Lumen Works".utf8)
    #expect(try scratch.contents("kept.jpg").contains(maker))
    #expect(try !scratch.contents("stripped.jpg").contains(maker))
  }

  @Test(
    arguments: [
      ([], ["--size", "--aspect"]), (["--size", "5x5", "--aspect", "1:1"], ["exclude"]),
      (["--size", "100"], ["--size is 100", "1080x1920"]), (["--size", "0x5"], ["0x5"]),
      (["--aspect", "9x16"], ["9x16", "9:16"]), (["--aspect", "1:0"], ["1:0", "9:16"]),
      (["--size", "5x5", "--dim", "2"], ["--dim is 2", "0.0 to 1.0"]),
      (["--size", "5x5", "--shadow", "-1"], ["--shadow is -1"]),
      (["--size", "5x5", "--saturation", "x"], ["--saturation is x"]),
      (["--size", "5x5", "--sigma", "-2"], ["--sigma is -2", "0 to 1000"]),
      (["--size", "5x5", "--radius", "-2"], ["--radius is -2", "0 or more"]),
      (["--size", "5x5", "--margin", "wide"], ["--margin is wide", "3%"]),
      (["--size", "5x5", "--align", "middle"], ["middle", "center"]),
      (["--size", "5x5", "--margin", "3"], ["margin is 3px", "from 0 to 2"]),
      (["--sise", "5x5"], ["did you mean --size"]),
    ]) func wrongWordsAreExplained(_ options: [String], _ words: [String]) throws
  {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.file())
    let run = try scratch.run(["fill", "in.png", "out.png"] + options)
    #expect(run.exitCode == 64, "\(run)")
    #expect(run.explains(words), "\(run)")
    #expect(scratch.names == ["in.png"])
  }

  @Test func badInputsAreExplainedAndLeaveNothing() throws {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.withBrokenChecksum())
    try scratch.add("old.png", [1])
    let damaged = try scratch.run("fill", "in.png", "out.png", "--size", "9x9")
    #expect(damaged.exitCode == 65 && damaged.explains(["in.png", "damaged"]), "\(damaged)")
    let absent = try scratch.run("fill", "absent.png", "out.png", "--size", "9x9")
    #expect(absent.exitCode == 66 && absent.explains(["absent.png"]), "\(absent)")
    let existing = try scratch.run("fill", "in.png", "old.png", "--size", "9x9")
    #expect(
      existing.exitCode == 73 && existing.explains(["old.png", "--overwrite"]), "\(existing)")
    try scratch.add("good.png", SampleImage.file())
    let large = try scratch.run(
      "fill", "good.png", "out.png", "--size", "1000x1000", "--max-pixels", "999999")
    #expect(large.exitCode == 65 && large.explains(["1000×1000", "999999"]), "\(large)")
    #expect(scratch.names == ["good.png", "in.png", "old.png"])
  }
}
