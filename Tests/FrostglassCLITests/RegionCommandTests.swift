import FrostglassCore
import FrostglassStills
import Testing

/// `--region`, `--regions`, `--mask` and what goes with them.
@Suite struct RegionCommandTests {
  private func scratch() throws -> Scratch {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.file())
    return scratch
  }

  /// Pixels that are not as they were.
  private func changed(_ scratch: Scratch, _ name: String) throws -> [(x: Int, y: Int)] {
    let (before, after) = (SampleImage.image(), try scratch.picture(name).image)
    var changed: [(Int, Int)] = []
    for y in 0..<before.size.height {
      for x in 0..<before.size.width
      where (0..<3).contains(where: {
        before.sample(x: x, y: y, channel: $0) != after.sample(x: x, y: y, channel: $0)
      }) {
        changed.append((x, y))
      }
    }
    return changed
  }

  @Test(arguments: [
    ["--region", "10,4,6,5"], ["--region", "10,4,6,2;10,6,6,3"],
    ["--region", "10,4,6,2", "--region", "10,6,6,3"], ["--regions", "r.json"],
    ["--regions", "r.csv"], ["--mask", "mask.png"], ["--region", "0,0,2,2", "--regions", "r.csv"],
    ["--region", "11,5,4,3", "--grow", "1"],
  ])
  func onlyTheRegionIsBlurred(_ where: [String]) throws {
    let scratch = try scratch()
    try scratch.add("r.json", Array(#"{"regions": [{"bbox": [10, 4, 6, 5]}]}"#.utf8))
    try scratch.add("r.csv", Array("left,top,right,bottom\n10,4,16,9\n".utf8))
    var mask = Image(zeros: Size(width: 24, height: 16), format: .gray8)
    for y in 4..<9 { for x in 10..<16 { mask.setSample(1, x: x, y: y, channel: 0) } }
    try scratch.add("mask.png", StillEncoder().encode(mask, as: .png))
    let run = try scratch.run(["blur", "in.png", "out.png", "--sigma", "3"] + `where`)
    #expect(run.exitCode == 0 && run.errors.isEmpty, "\(run)")
    let changed = try changed(scratch, "out.png")
    #expect(
      changed.count == 30 || (`where`.contains("1") && changed.count > 20), "\(changed.count)")
    #expect(changed.allSatisfy { (10..<16).contains($0.x) && (4..<9).contains($0.y) })
  }

  @Test func invertedIsEverywhereElse() throws {
    let scratch = try scratch()
    let run = try scratch.run(
      "blur", "in.png", "out.png", "--filter", "tint(white, 0.5)", "--region", "10,4,6,5",
      "--invert")
    #expect(run.exitCode == 0, "\(run)")
    #expect(try changed(scratch, "out.png").count == 24 * 16 - 30)
  }

  @Test func aScaledMaskAndALostRegionAreTold() throws {
    let scratch = try scratch()
    let mask = SampleImage.image(.gray8, width: 12, height: 8)
    try scratch.add("mask.png", StillEncoder().encode(mask, as: .png))
    let run = try scratch.run(
      "blur", "in.png", "out.png", "--sigma", "2", "--mask", "mask.png", "--region", "90,0,5,5")
    #expect(run.exitCode == 0, "\(run)")
    for words in [
      "warning: mask.png: the mask has 12×8 pixels and is stretched to the image's 24×16",
      "warning: region 1, a rectangle of 5px × 5px at 90px, 0px, is outside",
    ] { #expect(run.errors.contains(words), "\(run)") }
    let covers = try scratch.run(
      "blur", "in.png", "all.png", "--sigma", "2", "--mask", "in.png", "--mask-channel", "alpha")
    #expect(covers.exitCode == 0, "\(covers)")
    #expect(covers.errors.contains("warning: in.png: the mask has no alpha channel"), "\(covers)")
  }

  @Test func nothingLeftOfARegionIsAnError() throws {
    let scratch = try scratch()
    for command in [["blur", "in.png", "out.png"], ["plan", "in.png"], ["compare", "in.png"]] {
      let run = try scratch.run(command + ["--sigma", "2", "--region", "90,0,5,5"])
      #expect(run.exitCode == 64, "\(run)")
      #expect(run.explains(["a rectangle of 5px × 5px at 90px, 0px", "24×16"]), "\(run)")
    }
    #expect(scratch.names == ["in.png"])
  }

  @Test(arguments: [
    ("r.json", "[{\"x\": 1}]", Int32(65), ["r.json:1:2", "x, y, width, height"]),
    ("r.json", "{\"regions\": []}", 65, ["r.json", "no regions"]),
    ("r.csv", "x,y,w\n", 65, ["r.csv", "no regions"]),
    ("none.json", "", 66, ["r.json", "no such file"]),
    (
      "r.csv", "image,x,y,w,h\na.png,1,1,5,5\nb.png,1,1,5,5", 65,
      ["r.csv", "a.png, b.png", "in.png is none of them", "--regions-of"]
    ),
  ])
  func badFilesAreExplained(
    name: String, text: String, exitCode: Int32, words: [String]
  ) throws {
    let scratch = try scratch()
    try scratch.add(name, Array(text.utf8))
    let file = name == "none.json" ? "r.json" : name
    let run = try scratch.run("blur", "in.png", "out.png", "--sigma", "2", "--regions", file)
    #expect(run.exitCode == exitCode, "\(run)")
    #expect(run.explains(words), "\(run)")
  }

  @Test func whatSaysWhereIsNotOverwritten() throws {
    let scratch = try scratch()
    try scratch.add("mask.png", SampleImage.file())
    let table = Array("x,y,w,h\n1,1,5,5\n".utf8)
    try scratch.add("r.csv", table)
    let mask = ["--mask", "mask.png", "--overwrite"]
    let regions = ["--regions", "r.csv", "--format", "jpg", "--overwrite"]
    let also = ["--sigma", "2", "--also", "-> ./mask.png"]
    let cases: [([String], String)] = [
      (["blur", "in.png", "./mask.png", "--sigma", "2"] + mask, "--mask reads"),
      (["blur", "in.png", "out.png"] + also + mask, "--mask reads"),
      (["redact", "in.png", "mask.png"] + mask, "--mask reads"),
      (["blur", "in.png", "r.csv", "--sigma", "2"] + regions, "--regions reads"),
      (["blur", "mask.png", "--out-dir", ".", "--sigma", "2"] + mask, "--mask reads"),
    ]
    for (words, told) in cases { try scratch.refusal(words, exit: 64, [told]) }
    #expect(try scratch.contents("mask.png") == SampleImage.file())
    #expect(try scratch.contents("r.csv") == table)
  }

  @Test func aPlanShowsTheMask() throws {
    let run = try scratch().run(
      "plan", "in.png", "--sigma", "2", "--region", "ellipse(2,2,9,9)", "--feather", "3")
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.text.contains("coverage of an ellipse feathered by 3"), "\(run)")
  }
}
