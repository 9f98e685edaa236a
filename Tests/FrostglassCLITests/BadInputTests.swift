import FrostglassCore
import FrostglassStills
import TestSupport
import Testing

/// Files that are no usable image: a sentence, the right code, nothing left behind.
@Suite struct BadInputTests {
  /// By name and data: an image may have any name.
  @Test(arguments: [["blur", "in.mp4", "out.jpg"], ["plan", "in.mp4"]])
  func aVideoIsNoImage(_ words: [String]) throws {
    let scratch = try Scratch()
    try scratch.add("in.mp4", [0, 0, 0, 24] + Array("ftypisom".utf8))
    try scratch.refusal(words + ["--sigma", "2"], exit: 65, ["`frostglass video in.mp4 out.mp4`"])
    try scratch.add("in.mp4", SampleImage.file())
    let run = try scratch.run(words + ["--sigma", "2"])
    #expect(run.exitCode == 0, "\(run)")
  }

  struct Bad: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var name: String
    var bytes: @Sendable () throws -> [UInt8]
    var words: [String]
  }

  static let files = [
    Bad(testDescription: "empty", name: "in.jpg", bytes: { [] }, words: ["no data"]),
    Bad(
      testDescription: "truncated JPEG", name: "in.jpg",
      bytes: {
        let whole = try SampleImage.file(.jpeg, width: 200, height: 200)
        return Array(whole.prefix(whole.count * 2 / 3))
      }, words: ["damaged", "intact copy"]),
    Bad(
      testDescription: "PNG with a broken checksum", name: "in.png",
      bytes: { try SampleImage.withBrokenChecksum() }, words: ["damaged", "intact copy"]),
    Bad(
      testDescription: "text named jpg", name: "in.jpg",
      bytes: { Array("Dear diary, this is no picture.\n".utf8) },
      words: ["not an image", "JPEG", "PNG"]),
  ]

  @Test(arguments: files) func isExplained(_ bad: Bad) throws {
    let scratch = try Scratch()
    try scratch.add(bad.name, bad.bytes())
    let run = try scratch.run("blur", bad.name, "out.png", "--sigma", "2")
    #expect(run.exitCode == 65, "\(run)")
    #expect(run.explains(bad.words + [bad.name]), "\(run)")
    #expect(scratch.names == [bad.name])
  }

  @Test func leavesAnExistingOutputAsItWas() throws {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.withBrokenChecksum())
    try scratch.add("out.png", [1, 2, 3])
    let run = try scratch.run("blur", "in.png", "out.png", "--sigma", "2", "--overwrite")
    #expect(run.exitCode == 65, "\(run)")
    #expect(try scratch.contents("out.png") == [1, 2, 3])
    #expect(scratch.names == ["in.png", "out.png"])
  }

  @Test func aDirectoryIsNoImage() throws {
    let scratch = try Scratch()
    try scratch.addFolder("photos")
    let run = try scratch.run("blur", "photos", "out.png", "--sigma", "2")
    #expect(run.exitCode == 65, "\(run)")
    #expect(run.explains(["photos", "directory", "give an image file"]), "\(run)")
    #expect(scratch.names == ["photos/"])
  }

  @Test(arguments: ["blur", "plan", "compare"]) func aMissingFileIsNamed(_ command: String) throws {
    let scratch = try Scratch()
    let output = command == "blur" ? ["out.png"] : []
    let run = try scratch.run([command, "absent.png"] + output + ["--sigma", "2"])
    #expect(run.exitCode == 66, "\(run)")
    #expect(run.explains(["absent.png", "no such file"]), "\(run)")
    #expect(scratch.names.isEmpty)
  }

  @Test(
    .enabled(
      if: Privileges.unprivileged != nil, "setpriv does not work here"))
  func anUnreadableFileIsNoInput() throws {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.file())
    let user = try #require(Privileges.unprivileged)
    let run = try scratch.shell(
      "chmod 0 in.png; chmod 777 .; \(user)\"$frostglass\" blur in.png out.png --sigma 2")
    #expect(run.exitCode == 66, "\(run)")
    #expect(run.explains(["in.png", "cannot be read", "Permission denied"]), "\(run)")
    #expect(scratch.names == ["in.png"])
  }

  @Test(arguments: ["blur", "plan"]) func aBombIsRefusedByItsHeader(_ command: String) throws {
    let scratch = try Scratch()
    try scratch.add("in.png", PNGBomb.file(width: 30000, height: 30000))
    let run = try scratch.run(command, "in.png", "out.png", "--sigma", "2")
    #expect(run.exitCode == 65, "\(run)")
    let words = ["in.png", "30000×30000", "500000000", "--max-pixels 900000000"]
    #expect(run.explains(words), "\(run)")
    // Decoded, it would be 900 MB.
    #expect(run.memoryTouched < 450_000_000)
    #expect(scratch.names == ["in.png"])
  }

  /// The limit is the reason, not the file.
  @Test func theSameFileSmallerIsBlurred() throws {
    let scratch = try Scratch()
    try scratch.add("in.png", PNGBomb.file(width: 300, height: 300))
    let run = try scratch.run("blur", "in.png", "out.png", "--sigma", "2")
    #expect(run.exitCode == 0, "\(run)")
    #expect(try scratch.picture("out.png").image.size == Size(width: 300, height: 300))
  }

  @Test func theLimitCanBeChosen() throws {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.file(width: 24, height: 16))
    let refused = try scratch.run(
      "blur", "in.png", "out.png", "--sigma", "2", "--max-pixels", "383")
    #expect(refused.exitCode == 65, "\(refused)")
    #expect(refused.explains(["24×16", "383"]), "\(refused)")
    #expect(scratch.names == ["in.png"])
    let allowed = try scratch.run(
      "blur", "in.png", "out.png", "--sigma", "2", "--max-pixels", "384")
    #expect(allowed.exitCode == 0, "\(allowed)")
  }
}
