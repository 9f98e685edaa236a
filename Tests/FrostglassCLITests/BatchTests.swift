import FrostglassStills
import Testing

/// Several inputs into one folder.
@Suite struct BatchTests {
  private func scratch() throws -> Scratch {
    let scratch = try Scratch()
    try scratch.addFolder("out")
    try scratch.add("a.png", SamplePicture.file())
    try scratch.add("b.jpg", SamplePicture.file(.jpeg))
    try scratch.add("c.gif", SamplePicture.gif)
    return scratch
  }

  private let inputs = ["a.png", "b.jpg", "c.gif"]

  @Test func eachKeepsItsName() throws {
    let scratch = try scratch()
    let run = try scratch.run(["blur"] + inputs + ["--out-dir", "out", "--sigma", "2"])
    #expect(run.exitCode == 0, "\(run)")
    #expect(
      scratch.names == (inputs + ["out/", "out/a.png", "out/b.jpg", "out/c.png"]).sorted())
    #expect(try scratch.picture("out/b.jpg").format == .jpeg)
    #expect(try scratch.picture("out/c.png").format == .png)
  }

  @Test func oneFormatForAll() throws {
    let scratch = try scratch()
    let run = try scratch.run(
      ["blur"] + inputs + ["--out-dir", "out", "--sigma", "2", "--format", "webp"])
    #expect(run.exitCode == 0, "\(run)")
    for name in ["a", "b", "c"] {
      #expect(try scratch.picture("out/\(name).webp").format == .webp)
    }
  }

  @Test func oneIsABatchToo() throws {
    let scratch = try scratch()
    let run = try scratch.run("blur", "a.png", "--out-dir", "out/", "--sigma", "2")
    #expect(run.exitCode == 0, "\(run)")
    #expect(scratch.names.contains("out/a.png"))
  }

  @Test func aBadOneDoesNotStopTheOthers() throws {
    let scratch = try scratch()
    try scratch.add("bad.jpg", Array("words".utf8))
    let run = try scratch.run(
      "blur", "a.png", "bad.jpg", "b.jpg", "--out-dir", "out", "--sigma", "2")
    #expect(run.exitCode == 65, "\(run)")
    #expect(run.output.isEmpty)
    #expect(run.errors.contains("bad.jpg: this is not an image"), "\(run)")
    #expect(run.errors.contains("1 of 3 failed: bad.jpg"), "\(run)")
    #expect(scratch.names.filter { $0.hasPrefix("out/") } == ["out/", "out/a.png", "out/b.jpg"])
  }

  @Test func existingOutputsAreKept() throws {
    let scratch = try scratch()
    try scratch.add("out/a.png", [1])
    let batch = ["blur", "a.png", "b.jpg", "--out-dir", "out", "--sigma", "2"]
    let run = try scratch.run(batch)
    #expect(run.exitCode == 73, "\(run)")
    #expect(run.errors.contains("out/a.png: this file exists"), "\(run)")
    #expect(try scratch.contents("out/a.png") == [1])
    #expect(scratch.names.contains("out/b.jpg"))
    #expect(try scratch.run(batch + ["--overwrite"]).exitCode == 0)
    #expect(try scratch.picture("out/a.png").format == .png)
  }

  /// The reason all failures share, or 65.
  @Test(arguments: [(["no.png", "none.png"], 66), (["no.png", "bad.jpg"], 65)])
  func theExitCodeSaysWhy(_ inputs: [String], _ code: Int) throws {
    let scratch = try scratch()
    try scratch.add("bad.jpg", Array("words".utf8))
    let run = try scratch.run(["blur", "a.png"] + inputs + ["--out-dir", "out", "--sigma", "2"])
    #expect(Int(run.exitCode) == code, "\(run)")
    #expect(run.errors.contains("2 of 3 failed"), "\(run)")
  }

  @Test func twoOfOneNameAreRefused() throws {
    let scratch = try scratch()
    try scratch.addFolder("more")
    try scratch.add("more/a.png", SamplePicture.file())
    let run = try scratch.run(
      "blur", "a.png", "more/a.png", "--out-dir", "out", "--sigma", "2")
    #expect(run.exitCode == 64, "\(run)")
    #expect(run.explains(["a.png", "more/a.png", "both"]), "\(run)")
    #expect(!scratch.names.contains("out/a.png"))
  }

  @Test(arguments: ["absent", "a.png"]) func theFolderMustBeOne(_ folder: String) throws {
    let scratch = try scratch()
    let run = try scratch.run("blur", "a.png", "b.jpg", "--out-dir", folder, "--sigma", "2")
    #expect(run.exitCode == 73, "\(run)")
    #expect(run.explains([folder, "not a directory"]), "\(run)")
  }
}
